# ---
# wordings:
#   - text: "torch.distributed.elastic.multiprocessing.errors.ChildFailedError"
#     exception: ChildFailedError
#     role: wrapper
#   - text: "failed (exitcode: {code:int}) local_rank: {local_rank:int} (pid: {pid:int})"
#     role: wrapper
#     sample: "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 3 (pid: 407727) of binary: /home/user/anaconda/envs/vlp/bin/python"
#   - text: "ChildFailedError:"
#     exception: ChildFailedError
#     role: wrapper
#   - text: "traceback : Signal {_:int} ({signal:ident}) received by PID"
#     role: wrapper
#     sample: "traceback : Signal 9 (SIGKILL) received by PID 27045"
#   - text: "Root Cause (first observed failure)"
#     role: wrapper
#   - text: "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
#     role: wrapper
#   - text: "CHILD PROCESS FAILED WITH NO ERROR_FILE"
#     role: wrapper
#   - text: "torchelastic.worker.status.FAILED"
#     role: wrapper
#   - text: "exits with return code = {code:int}"
#     role: wrapper
#     near: [launch.py, runner.py, sigkill_handler, deepspeed, --local_rank]
#     sample: "[2023-04-14 13:11:27,885] [ERROR] [launch.py:434:sigkill_handler] ['/usr/bin/python3', '-u', 'main.py', '--local_rank=0', '--data_path', 'data'] exits with return code = -9"
#   - text: "local_rank={_:int}', {_:line}returned non-zero exit status {code:int}"
#     exception: CalledProcessError
#     role: wrapper
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', '-u', 'tools/train.py', '--local_rank=1', '--launcher', 'pytorch']' returned non-zero exit status 1."
#   - text: "local_rank={_:int}']' returned non-zero exit status {code:int}"
#     exception: CalledProcessError
#     role: wrapper
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', '-u', 'train.py', '--local_rank=0']' returned non-zero exit status 1."
#   - text: "local-rank={_:int}', {_:line}returned non-zero exit status {code:int}"
#     exception: CalledProcessError
#     role: wrapper
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', '-u', 'tools/train.py', '--local-rank=1', '--launcher', 'pytorch']' returned non-zero exit status 1."
#   - text: "returned non-zero exit status {code:int}"
#     exception: CalledProcessError
#     role: wrapper
#     near: [accelerate/commands/launch.py, 'accelerate\commands\launch.py', accelerate_cli.py, simple_launcher, launch_command, accelerate.exe, torch/distributed/launch.py, 'torch\distributed\launch.py', deepspeed/launcher]
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', 'train_network.py']' returned non-zero exit status 1."
#   - text: "died with <Signals.{signal:ident}: {_:int}>"
#     exception: CalledProcessError
#     role: wrapper
#     near: [--local_rank, --local-rank, accelerate/commands/launch.py, simple_launcher, torch/distributed/launch.py, deepspeed/launcher]
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python3', '-u', 'train.py', '--local_rank=0']' died with <Signals.SIGKILL: 9>."
#   - text: "process {_:int} terminated with exit code {code:int}"
#     exception: [ProcessExitedException, Exception]
#     role: wrapper
#     near: [torch/multiprocessing, 'torch\multiprocessing', ProcessExitedException]
#     sample: "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with exit code 1"
#   - text: "process {_:int} terminated with signal {signal:ident}"
#     exception: [ProcessExitedException, Exception]
#     role: wrapper
#     near: [torch/multiprocessing, 'torch\multiprocessing', ProcessExitedException]
#     sample: "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with signal SIGKILL"
#   - text: "in replica {_:int} on device {_:int}"
#     role: wrapper
#     near: ["Caught "]
#     sample: "RuntimeError: Caught RuntimeError in replica 0 on device 0."
#   - text: "Engine core initialization failed. See root cause above"
#     exception: RuntimeError
#     role: wrapper
#   - text: "Engine process failed to start. See stack trace for the root cause"
#     exception: RuntimeError
#     role: wrapper
# tags: [crash, multi-gpu, multiprocessing, ram]
# recover: process
# outranks: [launcher-warnings]
# timeout: 120
# related: [data-loading/worker-killed, distributed/collective-deadlock, memory/cuda-oom]
# docs: ["https://docs.pytorch.org/docs/stable/elastic/errors.html"]
# cases:
#   own-error:
#     commands:
#       linux: |
#         torchrun --nproc-per-node=2 --tee=3 --log-dir=logs train.py
#         grep -rh -m 1 -A 40 Traceback logs
#       powershell: |
#         torchrun --nproc-per-node=2 --tee=3 --log-dir=logs train.py
#         Get-ChildItem logs -Recurse -Filter stderr.log | Select-String Traceback -Context 0,40
#       trainer: accelerate launch --tee 3 --log_dir logs train.py
#   out-of-ram:
#     needs: ["fault:SIGKILL of a process over a memory limit"]
#     wrong: {smaller-batch: "https://github.com/microsoft/Swin-Transformer/issues/267"}
#     survives:
#       "without: map_location= in torch.load('model.pt', map_location='cpu', mmap=True)": this file holds CPU tensors; one that was saved from a GPU needs it
#   replica:
#     unbroken: "DataParallel copies a model to GPUs only"
#     commands:
#       linux: CUDA_VISIBLE_DEVICES=0 python train.py
#       powershell: "$env:CUDA_VISIBLE_DEVICES = \"0\"; python train.py"
#   not-started:
#     commands:
#       linux: |
#         ls train.py
#         python train.py --help  # the arguments that it knows
#       powershell: |
#         Get-Item train.py
#         python train.py --help  # the arguments that it knows
# causes:
#   own-error:
#     likely: 'code == 1 or paste("exitcode  : 1 (pid", "torchelastic.worker.status.FAILED")'
#   not-started:
#     if: paste("can't open file", "unrecognized arguments:", "arguments are required:")
#     likely: 'code == 2 or code == 127 or paste("exitcode  : 2 (pid")'
#     sample: "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 2) local_rank: 0 (pid: 4187) of binary: /usr/bin/python3"
#   out-of-ram:
#     likely: code == -9 or code == 137 or begins(signal, "SIGKILL")
#   shared-memory:
#     likely: code == -7 or code == 135 or begins(signal, "SIGBUS")
#     sample: "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -7) local_rank: 0 (pid: 15084) of binary: /opt/conda/bin/python"
#   crashed:
#     if: >-
#       code in [-4, -8, -11, 132, 136, 139, 3221225477, 3221225725, 3221225501] or
#       begins(signal, "SIGSEGV", "SIGFPE", "SIGILL")
#     likely: code in [-6, 134, 3221226505] or begins(signal, "SIGABRT")
#     sample: "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -11) local_rank: 0 (pid: 15084) of binary: /opt/conda/bin/python"
#   ended-from-outside:
#     if: >-
#       (code in [-1, -2, -15, 143, 130] or begins(signal, "SIGTERM", "SIGHUP", "SIGINT")) and
#       not paste("SIGKILL", "SIGSEGV", "SIGABRT", "SIGBUS", "exitcode  : 1 (pid", "exitcode: 1)")
#     sample: "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGTERM"
#   engine-core:
#     if: paste("Engine core initialization failed", "Engine process failed to start")
#     sample: "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
#   replica:
#     if: paste("in replica 0 on device", "in replica 1 on device", "in replica 2 on device", "in replica 3 on device")
#     sample: "RuntimeError: Caught RuntimeError in replica 0 on device 0."
# ---

# %%
import subprocess
import sys
from pathlib import Path

import torch
from torch.distributed.run import main as torchrun

OPTIONS = ["--nproc-per-node=1", "--master-addr=127.0.0.1", "--master-port=29577"]
Path("train.py").write_text("""
def main():
    raise ValueError("no image in data/train")


main()
""")

# %% break own-error
torchrun([*OPTIONS, "train.py"])

# %% check own-error
run = [sys.executable, "-m", "torch.distributed.run", *OPTIONS, "train.py"]
lines = subprocess.run(run, capture_output=True, text=True).stderr.splitlines()
first = next(n for n, line in enumerate(lines) if line.startswith("Traceback"))
report = next(n for n, line in enumerate(lines) if "failed (exitcode: " in line)
print(*lines[first : first + 8], sep="\n")  # the first traceback: before the report
assert first < report and lines[report - 1] == "ValueError: no image in data/train"

# %% proof own-error
start = [sys.executable, "-m", "torch.distributed.run", *OPTIONS]
subprocess.run([*start, "--tee=3", "--log-dir=logs", "train.py"], capture_output=True)
(log,) = Path("logs").glob("*/attempt_0/0/stderr.log")
assert log.read_text().rstrip().endswith("ValueError: no image in data/train")  # the process's own words, in a file of its own
found = subprocess.run(["grep", "-rh", "-m", "1", "-A", "40", "Traceback", "logs"], capture_output=True, text=True).stdout
assert found.startswith("Traceback") and "in main" in found and "ValueError: no image" in found and "ChildFailedError" not in found

# the page's other way: @record, for the report itself
Path("train.py").write_text("from torch.distributed.elastic.multiprocessing.errors import record\n\n@record" + Path("train.py").read_text().replace("\n\ndef", "\ndef"))
report = subprocess.run([*start, "train.py"], capture_output=True, text=True).stderr.split("Root Cause")[1]
assert "ValueError: no image" in report and "To enable traceback" not in report

# %% break not-started
torchrun([*OPTIONS, "trian.py"])

# %% proof not-started
import os

Path("train.py").write_text("import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--epochs')\nparser.parse_args()\n")
where = {"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
done = subprocess.run(commands["linux"], shell=True, env={**os.environ, **where}, capture_output=True, text=True)
assert done.stdout.startswith("train.py\n") and "--epochs EPOCHS" in done.stdout
run = [sys.executable, "-m", "torch.distributed.run", *OPTIONS, "train.py"]
assert "unrecognized arguments: --epoch-count" in subprocess.run([*run, "--epoch-count=3"], capture_output=True, text=True).stderr
assert subprocess.run([*run, "--epochs=3"], capture_output=True).returncode == 0

# %%
torch.save({"weight": torch.ones(80, 2**18)}, "model.pt")  # 80 MB


def own_mb():
    """MB that belong to this process alone."""
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024


# Each process may take 60 MB. Over that it is killed: for real, but by itself in place of the kernel.
Path("train.py").write_text(f"""
import os, signal, sys, torch

def own_mb():
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024

before = own_mb()
state = torch.load("model.pt")
images = torch.ones(int(sys.argv[-1]) if sys.argv[1:] else 64, 3, 32, 32)  # a batch
if own_mb() - before > 60:
    os.kill(os.getpid(), signal.SIGKILL)
""")
before = own_mb()

# %% break out-of-ram
# in train.py: state = torch.load("model.pt"), in every process
torchrun([*OPTIONS, "train.py"])

# %% check out-of-ram
import os

processes = 2  # --nproc-per-node
megabytes = os.path.getsize("model.pt") / 2**20
print(f"{megabytes:.0f} MB, times {processes} processes; then the model itself")
assert megabytes > 60

# %% fix out-of-ram
import torch

state = torch.load("model.pt", map_location="cpu", mmap=True)  # read when needed

# %% proof out-of-ram
assert torch.equal(state["weight"], torch.ones(80, 2**18)) and state["weight"].device.type == "cpu"
assert own_mb() - before < 30  # what the file holds is not the process's own

# %% wrong smaller-batch
# A smaller batch: what fills the RAM is the file, of which each process makes its own copy before
# the first batch. The same error.
torchrun([*OPTIONS, "train.py", "--batch-size", "1"])
