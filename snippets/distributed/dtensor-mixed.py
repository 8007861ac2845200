# ---
# wordings:
#   - text: "got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor"
#     exception: RuntimeError
#     sample: "RuntimeError: aten.mm.default: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!"
#   - text: "got mixed torch.Tensor and DTensor"
#     exception: RuntimeError
# tags: [fsdp, multi-gpu, checkpoint, optimizer]
# recover: fix
# related: [distributed/fsdp-uniform-dtype, checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html", "https://docs.pytorch.org/docs/stable/distributed.tensor.html", "https://docs.pytorch.org/docs/stable/distributed.checkpoint.html"]
# outranks: [state-dict-size-mismatch, state-dict-keys]
# causes:
#   other-method:
#     likely: paste("aten.addmm.default", "aten.mm.default", "aten.embedding.default", "aten.linear.default", "aten.native_layer_norm", "aten.convolution.default")
#   loading:
#     if: paste("aten.copy_.default") and paste("While copying the parameter named", "load_state_dict")
#   unsharded-rest:
#     if: frames("clip_grad")
#     likely: paste("aten._foreach_", "aten._fused_") and not paste("aten._foreach_lerp_")
#   optimizer-state:
#     likely: frames("/torch/optim/")
#     sample: |-
#       Traceback (most recent call last):
#         File "/opt/conda/lib/python3.12/site-packages/torch/optim/adam.py", line 450, in _single_tensor_adam
#           exp_avg.lerp_(grad, 1 - device_beta1)
#       RuntimeError: aten.lerp_.Scalar got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!
#   plain-tensor:
#     likely: paste("aten.mul.Tensor", "aten.add.Tensor", "aten.cat.default", "aten.sub.Tensor", "aten.where.self", "aten.masked_fill", "aten.index")
# ---

# %%
import copy
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

warnings.simplefilter("ignore")
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
mesh = dist.init_device_mesh("cpu", (1,))
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.block(x).relu())

    def score(self, x):  # a second way in, beside forward
        return self.head(self.block(x).relu()).softmax(-1)


model = Net()
plain = copy.deepcopy(model)
x = torch.rand(3, 4)

# %%
fully_shard(model, mesh=mesh)

# %% break other-method
scores = model.score(x)

# %% check other-method
print(type(model.head.weight.data).__name__)  # sharded until forward gathers it
assert "DTensor" in type(model.head.weight.data).__name__

# %% fix other-method
from torch.distributed.fsdp import register_fsdp_forward_method

register_fsdp_forward_method(model, "score")  # once, behind fully_shard
scores = model.score(x)

# %% proof other-method
torch.testing.assert_close(scores, plain.score(x))
scores[:, 0].sum().backward()
assert all(p.grad is not None for p in model.parameters())

# %% use other-method
model = copy.deepcopy(plain)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# >>>
scores = model.score(x)
# <<<
for batch in torch.rand(2, 5, 4):
    optimizer.zero_grad()
    scores = model.score(batch)
    nn.functional.nll_loss(scores.log(), torch.zeros(5, dtype=torch.long)).backward()
    optimizer.step()
assert not torch.equal(model.head.weight.full_tensor(), plain.head.weight)
assert model.score(batch)[:, 0].mean() > plain.score(batch)[:, 0].mean()

# %%
trained = Net()
torch.save(trained.state_dict(), "model.pt")

# %% break loading
model.load_state_dict(torch.load("model.pt"))

# %% check loading
state = torch.load("model.pt")
print(type(state["head.weight"]), type(model.head.weight.data))
assert type(state["head.weight"]) is torch.Tensor

# %% fix loading
import torch
from torch.distributed.checkpoint import state_dict as dcp

state = torch.load("model.pt")
options = dcp.StateDictOptions(full_state_dict=True)
dcp.set_model_state_dict(model, state, options=options)

# %% proof loading
for name, value in model.state_dict().items():
    assert torch.equal(value.full_tensor(), trained.state_dict()[name]), name
torch.testing.assert_close(model(x), trained(x))

# %%
model = copy.deepcopy(plain)

# %% break unsharded-rest
fully_shard(model.block, mesh=mesh)  # the blocks, but not what is around them
model(x).square().sum().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

# %% check unsharded-rest
from torch.distributed.tensor import DTensor

fully_shard(model.block, mesh=mesh)
rest = [name for name, p in model.named_parameters() if not isinstance(p, DTensor)]
print(rest)
assert rest == ["head.weight", "head.bias"]

# %% fix unsharded-rest
import torch
from torch.distributed.fsdp import fully_shard

fully_shard(model.block)
fully_shard(model)  # last of all the whole: takes what is left
model(x).square().sum().backward()
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

# %% proof unsharded-rest
from torch.distributed.fsdp import FSDPModule

assert isinstance(model.block, FSDPModule)
plain(x).square().sum().backward()
wanted = torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
torch.testing.assert_close(norm.full_tensor(), wanted)
for (name, p), other in zip(model.named_parameters(), plain.parameters()):
    torch.testing.assert_close(p.grad.full_tensor(), other.grad)

# %%
from torch.distributed.tensor import Shard, distribute_tensor

x = distribute_tensor(torch.rand(4, 2), mesh, [Shard(0)])
y = torch.tensor([[1.0, 0.0]] * 4)  # a mask, made in place: a plain tensor

# %% break plain-tensor
masked = x * y

# %% check plain-tensor
print(type(x).__name__, type(y).__name__)
assert type(y) is torch.Tensor

# %% fix plain-tensor
from torch.distributed.tensor import Replicate, distribute_tensor

places = [Replicate()] * x.device_mesh.ndim  # whole, on every rank
y = distribute_tensor(y, x.device_mesh, places)
masked = x * y

# %% proof plain-tensor
whole = masked.full_tensor()
assert whole[:, 1].abs().sum() == 0 and torch.equal(whole[:, 0], x.full_tensor()[:, 0])
from torch.distributed.tensor.experimental import implicit_replication

with implicit_replication():
    assert torch.equal((x * torch.tensor([[1.0, 0.0]] * 4)).full_tensor(), whole)
import inspect
import subprocess
import sys
from pathlib import Path

text = Path(inspect.currentframe().f_code.co_filename).read_text()
fix = text.partition("in place: a plain tensor\n")[2].partition("whole = masked")[0]
PROGRAM = f"""
import sys
import torch
import torch.distributed as dist
from torch.distributed.tensor import Shard, distribute_tensor

store = dist.FileStore("ranks", 2)
dist.init_process_group("gloo", store=store, rank=int(sys.argv[1]), world_size=2)
mesh = dist.init_device_mesh("cpu", (2,))
torch.manual_seed(0)
plain, y = torch.rand(4, 2), torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 3.0], [0.0, 1.0]])
x, mask = distribute_tensor(plain, mesh, [Shard(0)]), y
{fix}
torch.testing.assert_close(masked.full_tensor(), plain * mask)
"""
ranks = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", PROGRAM, str(rank)]) for rank in (0, 1)]
assert [rank.wait() for rank in ranks] == [0, 0]
