# ---
# wordings:
#   - text: "``sharded_state_dict`` can only be used when parameters are flatten and sharded"
#     exception: RuntimeError
#   - text: "``local_state_dict`` can only be used when parameters are flatten and sharded"
#     exception: RuntimeError
#   - text: "sharded_state_dict/local_state_dict can only be called when parameters are flatten and sharded"
#     exception: RuntimeError
#   - text: "load_sharded_state_dict can only be called when parameters are"
#     exception: RuntimeError
#     sample: "RuntimeError: load_sharded_state_dict can only be called when parameters are flatten and sharded."
#   - text: "Found state_dict_type LOCAL_STATE_DICT. DeviceMesh is not compatible with LOCAL_STATE_DICT"
#     exception: RuntimeError
# tags: [fsdp, checkpoint, multi-gpu]
# recover: fix
# related: [distributed/dtensor-mixed, checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.checkpoint.html", "https://docs.pytorch.org/docs/stable/fsdp.html"]
# causes:
#   one-process:
#     if: paste("parameters are flatten and sharded", "load_sharded_state_dict can only be called")
#     sample: "RuntimeError: ``sharded_state_dict`` can only be used when parameters are flatten and sharded."
#   device-mesh:
#     if: paste("DeviceMesh is not compatible with LOCAL_STATE_DICT")
#     sample: "RuntimeError: Found state_dict_type LOCAL_STATE_DICT. DeviceMesh is not compatible with LOCAL_STATE_DICT. Please set state_dict_type to SHARDED_STATE_DICT to get DTensor state_dict."
# cases:
#   one-process:
#     silent: true
#     survives:
#       "without: options= in dcp.get_model_state_dict(model, options=options)": "with one process FSDP1 gives whole weights in any case; the proof takes the options to FSDP2"
# ---

# %%
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import StateDictType

warnings.simplefilter("ignore")
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)
device = torch.device("cpu")  # of this process: torch.device("cuda", local_rank)
model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
wanted = {name: value.clone() for name, value in model.state_dict().items()}
model = FSDP(model, device_id=device, use_orig_params=True)

# %% break one-process
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        state = model.state_dict()
assert any("NO_SHARD" in str(warning.message) for warning in caught)
assert all(type(value) is torch.Tensor for value in state.values())  # all whole

# %% check one-process
print(dist.get_world_size(), model.sharding_strategy)
assert model.sharding_strategy.name == "NO_SHARD"

# %% fix one-process
import torch
import torch.distributed as dist
from torch.distributed.checkpoint import state_dict as dcp

options = dcp.StateDictOptions(full_state_dict=True)
state = dcp.get_model_state_dict(model, options=options)
if dist.get_rank() == 0:
    torch.save(state, "model.pt")

# %% proof one-process
saved = torch.load("model.pt")
assert saved.keys() == wanted.keys()
assert all(torch.equal(saved[name], wanted[name]) for name in wanted)
# FSDP2 shards with one process, too: there the option tells whole weights from pieces
from torch.distributed.fsdp import fully_shard

other = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
fully_shard(other, mesh=dist.init_device_mesh("cpu", (1,)))
assert all(type(value) is torch.Tensor for value in dcp.get_model_state_dict(other, options=options).values())
