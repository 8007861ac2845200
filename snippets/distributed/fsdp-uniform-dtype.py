# ---
# wordings:
#   - text: "Must flatten tensors with uniform dtype but got {a:dtype} and {b:dtype}"
#     exception: ValueError
#     sample: "ValueError: Must flatten tensors with uniform dtype but got torch.bfloat16 and torch.float32"
#   - text: "Must flatten tensors with uniform dtype"
#     exception: ValueError
#   - text: "`FlatParameter` requires uniform dtype but got {a:dtype} and {b:dtype}"
#     exception: ValueError
#     sample: "ValueError: `FlatParameter` requires uniform dtype but got torch.float16 and torch.float32"
#   - text: "FlatParameter requires uniform dtype"
#     exception: ValueError
#   - text: "Cannot flatten integer dtype tensors"
#     exception: ValueError
#   - text: "FSDP expects uniform original parameter dtype but got {all:line}"
#     exception: AssertionError
#     sample: "AssertionError: FSDP expects uniform original parameter dtype but got {torch.float32, torch.bfloat16}"
#   - text: "FSDP reduce-scatter expects uniform gradient dtype but got {all:line}"
#     exception: AssertionError
#     sample: "AssertionError: FSDP reduce-scatter expects uniform gradient dtype but got {torch.float32, torch.bfloat16}"
# tags: [fsdp, dtype, amp, lora, quantization]
# recover: fix
# related: [distributed/fsdp-uniform-requires-grad]
# docs: ["https://docs.pytorch.org/docs/stable/fsdp.html", "https://huggingface.co/docs/bitsandbytes/main/en/fsdp_qlora"]
# causes:
#   mixed-precision:
#     likely: paste("with uniform dtype", "requires uniform dtype") and not paste("qlora", "QLoRA", "load_in_4bit", "load_in_8bit", "bitsandbytes", "bnb_4bit")
#   quantized:
#     if: paste("Cannot flatten integer dtype tensors", "torch.uint8", "torch.int8")
#     likely: paste("qlora", "QLoRA", "load_in_4bit", "load_in_8bit", "bitsandbytes", "bnb_4bit")
#     sample: "ValueError: Cannot flatten integer dtype tensors"
#   fully-shard:
#     if: paste("FSDP expects uniform original parameter dtype")
#     likely: paste("FSDP reduce-scatter expects uniform gradient dtype")
# ---

# %%
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard

warnings.simplefilter("ignore")
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)
device = torch.device("cpu")  # of this process: torch.device("cuda", local_rank)
model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 8))
model.to(torch.bfloat16)  # loaded as it was saved
model[1].to(torch.float32)  # kept in float32 by a library, or added afterwards
x = torch.randn(4, 8)

# %% break mixed-precision
model = FSDP(model, device_id=device, use_orig_params=True)

# %% check mixed-precision
from collections import Counter

print(Counter(parameter.dtype for parameter in model.parameters()))
odd = [name for name, p in model.named_parameters() if p.dtype == torch.float32]
print(odd)  # look at the rarer of the two
assert odd == ["1.weight", "1.bias"]

# %% fix mixed-precision
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision

model = model.to(torch.float32)  # one dtype for what is kept
model = FSDP(
    model,
    device_id=device,
    use_orig_params=True,
    mixed_precision=MixedPrecision(param_dtype=torch.bfloat16),
)

# %% proof mixed-precision
assert {p.dtype for p in model.parameters()} == {torch.float32}
out = model(x)
assert out.dtype == torch.bfloat16
out.float().square().sum().backward()
assert all(p.grad is not None and p.grad.dtype == torch.float32 for p in model.parameters())
before = model[0].weight.detach().clone()
torch.optim.SGD(model.parameters(), lr=1e-3).step()
assert not torch.equal(model[0].weight, before)  # such small steps would round to nothing in bfloat16

# %% break fully-shard
fully_shard(model)
model(x)

# %% check fully-shard
dtypes = {p.dtype for p in model.parameters() if p.requires_grad}
print(dtypes)  # of the trained parameters: FSDP2 needs one dtype only there
assert len(dtypes) == 2

# %% fix fully-shard
import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

model = model.to(torch.float32)
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
fully_shard(model, mp_policy=policy)

# %% proof fully-shard
assert {p.dtype for p in model.parameters()} == {torch.float32}
out = model(x)
assert out.dtype == torch.bfloat16
out.float().square().sum().backward()
assert all(p.grad is not None and p.grad.dtype == torch.float32 for p in model.parameters())
