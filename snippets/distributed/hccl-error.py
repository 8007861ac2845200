# ---
# wordings:
#   - text: "HCCL function error: {call:line}, error code is {code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: createHCCLCommOrigin:torch_npu/csrc/distributed/ProcessGroupHCCL.cpp:2258 HCCL function error: HcclCommInitRootInfoConfig(numRanks, &rootInfo, rank, config, &(comm->hcclComm_)), error code is 4"
#   - text: "HCCL error in: torch_npu/{_:path}"
#     exception: RuntimeError
#     sample: "RuntimeError: [ERROR] HCCL error in: torch_npu/csrc/distributed/ProcessGroupHCCL.cpp:64"
#   - text: "Transport init error. Reason: "
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "Getting socket times out"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "Get_Socket_Timeout(EI0006)"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "Communication_Error_Get_Socket(EI0006)"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "The wait execution of the Notify register times out"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "OPS function error: Hccl{op:ident}, error code is {code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: InnerRunOpApi:torch_npu/csrc/framework/OpParamMaker.cpp:281 OPS function error: HcclAllreduce, error code is 6"
#   - text: "ERR02200 DIST call hccl api failed"
#     role: symptom
#   - text: "ERR02011 DIST timeout error"
#     role: symptom
# tags: [ddp, device, hang, multi-gpu]
# recover: process
# needs: ["fault:two ranks as threads with a store of torch, in place of two NPUs"]
# outranks: [npu-inner-error]
# related: [distributed/collective-deadlock, devices/npu-inner-error, distributed/rendezvous-network]
# docs: ["https://github.com/Ascend/pytorch/tree/master/docs/zh/api/environment_variable/collective_communication", "https://github.com/Ascend/pytorch/tree/master/docs/zh/user_guide/troubleshooting/troubleshooting_cases"]
# cases:
#   late-rank:
#     silent: true
#     commands:
#       linux: |
#         export HCCL_CONNECT_TIMEOUT=1200  # seconds until all ranks are there, 120 if not set
#         export HCCL_EXEC_TIMEOUT=3600     # seconds that one collective may take
#         torchrun --nproc_per_node=8 train.py
#   one-failed:
#     unbroken: "an Ascend NPU"
#     commands:
#       linux: "grep -rn -m 1 ERROR ~/ascend/log  # the earliest line is the rank that failed first"
# causes:
#   late-rank:
#     if: paste("EI0006", "Getting socket times out")
#     sample: "EI0006: Getting socket times out."
#   one-failed:
#     if: paste("EI0002", "Notify register times out")
#     sample: "EI0002: The wait execution of the Notify register times out. Reason: The Notify register has not received the Notify record from remote rank"
#   first-rank:
#     undecided: the reason stands in the log of another rank
# ---

# %%
import threading
import time
from datetime import timedelta

from torch import distributed as dist


def meet(limit, late):
    """Two ranks wait for one another; the second is late. What the first one says."""
    store, said = dist.HashStore(), []

    def second():
        time.sleep(late)  # it still downloads, or tokenizes
        store.set("rank 1", "here")

    other = threading.Thread(target=second)
    other.start()
    try:
        store.wait(["rank 1"], timedelta(seconds=limit))
        said.append("all here")
    except dist.DistStoreError as error:
        said.append(str(error).splitlines()[0])
    other.join()
    return said[0]


# %% break late-rank
said = meet(limit=0.3, late=1.5)
print(said)
assert "imeout" in said

# %% check late-rank
from datetime import datetime

# the first line of each rank's log: how far apart did they begin?
began = {0: datetime(2026, 1, 15, 20, 59, 0), 1: datetime(2026, 1, 15, 21, 3, 30)}
apart = max(began.values()) - min(began.values())
print(apart.total_seconds(), "s")  # more than 120: they missed one another
assert apart.total_seconds() > 120

# %% proof late-rank
assert meet(limit=30, late=1.5) == "all here"

# %% proof one-failed
import os
import subprocess
from pathlib import Path

Path("ascend/log").mkdir(parents=True)
Path("ascend/log/plog-11.log").write_text("[INFO] HCCL: start\n[ERROR] HCCL: link time out\n[ERROR] HCCL: end\n")
Path("ascend/log/plog-12.log").write_text("[INFO] HCCL: start\n")
done = subprocess.run(commands["linux"], shell=True, env={**os.environ, "HOME": os.getcwd()}, capture_output=True, text=True)
assert done.stdout.replace(os.getcwd(), "~") == "~/ascend/log/plog-11.log:2:[ERROR] HCCL: link time out\n"
