# ---
# wordings:
#   - text: "You cannot perform fine-tuning on purely quantized models"
#     exception: ValueError
#     sample: "ValueError: You cannot perform fine-tuning on purely quantized models. Please attach trainable adapters on top of the quantized model to correctly perform fine-tuning. Please see: https://huggingface.co/docs/transformers/peft for more details"
#   - text: "The model is loaded in 8-bit precision. To train this model you need to add additional modules inside the model such as adapters"
#     exception: ValueError
#   - text: "You can't train a model that has been loaded in {_:path} precision on multiple devices in any distributed mode"
#     exception: ValueError
#     sample: "ValueError: You can't train a model that has been loaded in 8-bit precision on multiple devices in any distributed mode."
#   - text: "You can't train a model that has been loaded in 8-bit or 4-bit precision on multiple devices in any distributed mode"
#     exception: ValueError
#   - text: "precision on a different device than the one you're training on"
#     exception: ValueError
#     sample: "ValueError: You can't train a model that has been loaded in 8-bit or 4-bit precision on a different device than the one you're training on. Make sure you loaded the model on the correct device using for example `device_map={'':torch.cuda.current_device()}`"
#   - text: "You can't train a model that has been loaded in {_:path} precision with CPU or disk offload"
#     exception: ValueError
#     sample: "ValueError: You can't train a model that has been loaded in 8-bit precision with CPU or disk offload."
#   - text: "You can't train a model that has been loaded in 8-bit or 4-bit precision with CPU or disk offload"
#     exception: ValueError
#   - text: "You cannot fine-tune quantized model with `torch.compile()`"
#     exception: ValueError
#   - text: "but that quantization method do not support training"
#     exception: ValueError
#     sample: "ValueError: The model you are trying to fine-tune is quantized with QuantizationMethod.AWQ but that quantization method do not support training. Please open an issue on GitHub: https://github.com/huggingface/transformers to request the support for training support for QuantizationMethod.AWQ"
# tags: [quantization, lora, fine-tuning, transformer]
# recover: fix
# needs: ["package:transformers", "package:peft", "package:accelerate", "package:bitsandbytes"]
# timeout: 240
# related: [distributed/fsdp-uniform-dtype, autograd/no-grad-fn]
# docs: ["https://huggingface.co/docs/peft/main/en/developer_guides/quantization", "https://huggingface.co/docs/transformers/main/en/peft"]
# causes:
#   no-adapter:
#     undecided: what was done to the model before is not printed
#   merged:
#     undecided: the merging is over before the Trainer is made
#   wrong-gpu:
#     if: paste("on multiple devices in any distributed mode", "precision on a different device than the one")
#     sample: "ValueError: You can't train a model that has been loaded in 8-bit or 4-bit precision on multiple devices in any distributed mode."
#   offloaded:
#     if: paste("precision with CPU or disk offload")
#     sample: "ValueError: You can't train a model that has been loaded in 8-bit or 4-bit precision with CPU or disk offload."
#   compiled:
#     if: paste("You cannot fine-tune quantized model with `torch.compile()`")
#     sample: "ValueError: You cannot fine-tune quantized model with `torch.compile()` make sure to pass a non-compiled model when fine-tuning a quantized model with PEFT"
#   method:
#     if: paste("that quantization method do not support training")
#     sample: "ValueError: The model you are trying to fine-tune is quantized with QuantizationMethod.AWQ but that quantization method do not support training."
# ---

# %%
import logging
import os

os.environ["HF_HUB_OFFLINE"] = "1"
logging.disable(logging.WARNING)

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, LlamaConfig
from transformers import LlamaForCausalLM, Trainer, TrainingArguments

torch.manual_seed(0)
sizes = {"hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 2}
config = LlamaConfig(vocab_size=32, num_hidden_layers=1, **sizes)
LlamaForCausalLM(config).save_pretrained("small")  # in place of one from the hub
bits = BitsAndBytesConfig(load_in_4bit=True)
model = AutoModelForCausalLM.from_pretrained("small", quantization_config=bits, device_map="cpu")
dataset = [{"input_ids": [1, 2, 3, 4], "labels": [1, 2, 3, 4]}] * 8
arguments = TrainingArguments("out", max_steps=2, learning_rate=1e-2, report_to=[])
base = model.model.layers[0].self_attn.q_proj.weight.detach().clone()


def trained(made):
    Trainer(made, arguments, train_dataset=dataset).train()
    return {name: value for name, value in made.named_parameters() if value.requires_grad}


# %% break no-adapter
trainer = Trainer(model, arguments, train_dataset=dataset)

# %% check no-adapter
print(type(model).__name__, model.is_quantized)  # no PeftModel
assert model.is_quantized and not hasattr(model, "peft_config")

# %% fix no-adapter
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

model = prepare_model_for_kbit_training(model)
lora = LoraConfig(r=16, target_modules="all-linear", task_type="CAUSAL_LM")
model = get_peft_model(model, lora)  # and pass this one to the Trainer

# %% proof no-adapter
assert type(model).__name__ == "PeftModelForCausalLM"
new = trained(model)
assert new and all("lora_" in name for name in new)
assert any(value.abs().sum() > 0 for name, value in new.items() if "lora_B" in name)  # starts at 0
assert any("down_proj.lora_A" in name and value.shape[0] == 16 for name, value in new.items())
layer = model.base_model.model.model.layers[0]
assert torch.equal(layer.self_attn.q_proj.base_layer.weight, base)
assert layer.input_layernorm.weight.dtype == torch.float32

# %%
model = get_peft_model(model, LoraConfig(target_modules="all-linear", task_type="CAUSAL_LM"))

# %% break merged
model = model.merge_and_unload()
trainer = Trainer(model, arguments, train_dataset=dataset)

# %% check merged
model = model.merge_and_unload()
print(type(model).__name__)  # was PeftModelForCausalLM before the merging
assert type(model) is LlamaForCausalLM

# %% fix merged
from transformers import Trainer, TrainingArguments

settings = TrainingArguments("out", learning_rate=1e-2)
trainer = Trainer(model, settings, train_dataset=dataset)  # with its adapters
trainer.train()
model.save_pretrained("adapter")  # merge later, into the model in full precision

# %% proof merged
from peft import PeftModel

whole = AutoModelForCausalLM.from_pretrained("small")
before = whole.model.layers[0].self_attn.q_proj.weight.detach().clone()
merged = PeftModel.from_pretrained(whole, "adapter").merge_and_unload()
moved = model.base_model.model.model.layers[0].self_attn.q_proj.lora_B["default"].weight
assert moved.abs().max() > 1e-3  # one step an epoch, three epochs
assert not torch.equal(merged.model.layers[0].self_attn.q_proj.weight, before)
