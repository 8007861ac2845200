# ---
# wordings:
#   - text: "The current process just got forked, after parallelism has already been used"
#     role: symptom
#     sample: "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks..."
#   - text: "Explicitly set the environment variable TOKENIZERS_PARALLELISM=(true | false)"
#     role: symptom
# tags: [dataloader, multiprocessing, transformer, warning, hang]
# recover: fix
# needs: [fork, "package:tokenizers"]
# related: [data-loading/loader-hangs, devices/fork-cuda-init]
# docs: ["https://huggingface.co/docs/tokenizers"]
# cases:
#   forked:
#     silent: true
#     commands:
#       linux: TOKENIZERS_PARALLELISM=false python train.py
#       powershell: |
#         $env:TOKENIZERS_PARALLELISM = "false"
#         python train.py
#       notebook: |
#         import os
#
#         os.environ["TOKENIZERS_PARALLELISM"] = "false"  # in the first cell, above the imports
# timeout: 240
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

Path("train.py").write_text("""
import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch.utils.data import DataLoader

tokenizer = Tokenizer(models.WordLevel({"good": 0, "film": 1, "[UNK]": 2}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()


def collate(texts):
    return torch.tensor([encoding.ids for encoding in tokenizer.encode_batch(texts)])


texts = ["good film", "film good"] * 50
if "early" in sys.argv:
    collate(texts)  # used once in the main process: its threads are started
loader = DataLoader(texts, batch_size=4, num_workers=2, collate_fn=collate, multiprocessing_context="fork")
print(sum(batch.sum().item() for batch in loader), "of", 100)
""")


def train(*arguments, setting=None, seconds=None):
    """What the training prints; None if it has not ended after so many seconds."""
    environment = {name: text for name, text in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    environment |= {"TOKENIZERS_PARALLELISM": setting} if setting else {}
    with subprocess.Popen(
        [sys.executable, "train.py", *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as made:
        try:
            return made.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(made.pid, 9)


# %% break forked
output = train("early")
print(output)
assert "The current process just got forked" in output

# %% proof forked
assert "forked" not in train()  # the tokenizer was not used before the workers were forked
assert train("early", setting="false") == "100 of 100\n"  # silent, and the same batches
assert train("early", setting="true", seconds=20) is None  # the other value: the workers wait for ever
