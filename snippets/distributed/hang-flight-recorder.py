# ---
# wordings:
#   - text: "Not all ranks joining collective, sequence number: {seq:int}"
#     sample: "Not all ranks joining collective, sequence number: 1"
#   - text: "Collective sequence number: {seq:int} has errors"
#     sample: "Collective sequence number: 4 has errors"
#   - text: "error msg: Culprit rank {rank:int}; Error type: {error:ident}"
#     sample: "error msg: Culprit rank 1; Error type: COLLECTIVE_TYPE_MISMATCH, Expected collective type: 'all_reduce' does not match found collective type: 'barrier'"
#   - text: "No errors found for this collective entry, There could be some other reasons why we see collective timeout"
#   - text: "We cannot decide what's wrong with this collective entry because we missed FR dumps from ranks"
#   - text: "Missing dump files from ranks"
#     exception: AssertionError
#     near: [flight_recorder, torchfrtrace, fr_trace]
#     sample: "AssertionError: Missing dump files from ranks {1}"
#   - text: "builder.py\", line {_:int}, in build_collectives"
#     near: ["_pg_guids[("]
#     sample: |
#       File "/usr/lib/python3/site-packages/torch/distributed/flight_recorder/components/builder.py", line 212, in build_collectives
#         pg_name = _pg_guids[(original_pg_name, first_rank)]
#       KeyError: ('0', 0)
#   - text: "Stack trace of the failed collective not found, potentially because FlightRecorder is disabled"
#     role: symptom
# tags: [ddp, hang, multi-gpu, multiprocessing]
# recover: process
# needs: [fork]
# cases:
#   no-trace: {silent: true}
#   lock-held: {silent: true, wrong: {longer-timeout: "https://github.com/meta-pytorch/tnt/pull/858"}}
#   missing-key:
#     silent: true
#     survives: {"without: device= in torch.tensor(values, device=device)": "without a GPU the default is right; NCCL takes tensors on the GPU only"}
#   send-first: {silent: true}
# related: [distributed/collective-deadlock, distributed/rendezvous-network, data-loading/loader-hangs]
# docs: ["https://docs.pytorch.org/tutorials/unstable/flight_recorder_tutorial.html", "https://github.com/benfred/py-spy"]
# causes:
#   no-trace:
#     if: paste("FlightRecorder is disabled", "in build_collectives", "Missing dump files from ranks", "missed FR dumps from ranks")
#     sample: "Stack trace of the failed collective not found, potentially because FlightRecorder is disabled."
#   lock-held:
#   missing-key:
#     likely: error in ["COLLECTIVE_TYPE_MISMATCH", "SIZE_OR_SYNTAX_MISMATCH", "COLLECTIVE_DTYPE_MISMATCH"]
#     sample: "error msg: Culprit rank 1; Error type: COLLECTIVE_TYPE_MISMATCH, Expected collective type: 'all_reduce' does not match found collective type: 'barrier'"
#   send-first:
# ---

# %%
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from filelock import FileLock
from torch._C._distributed_c10d import _dump_fr_trace

device = "cpu"


def start(rank, train, folder, seconds):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=timedelta(seconds=seconds))
    try:
        train(rank, folder)
    except RuntimeError as error:
        Path(folder, f"error_{rank}").write_text(str(error))
        time.sleep(1)  # the other rank comes to its own time-out
        os._exit(1)
    dist.destroy_process_group()


def run(train, folder, seconds=3):
    """What torchrun does: train(rank, folder) in two processes. Returns them, and the error of each rank that had one."""
    ranks = mp.start_processes(start, (train, folder, seconds), nprocs=2, join=False, start_method="fork").processes
    for process in ranks:
        process.join()
    return [path.read_text() for path in sorted(Path(folder).glob("error_*"))]


def hangs(train):
    """Does every rank that waits get gloo's time-out, or lose the peer that got it?"""
    with tempfile.TemporaryDirectory() as folder:
        errors = run(train, folder)
    return any("Timed out waiting" in error for error in errors)


def while_it_hangs(train, *names):
    """Run train until each rank has written the files `names`, then end both ranks. Returns the folder."""
    folder = tempfile.mkdtemp()
    ranks = mp.start_processes(start, (train, folder, 300), nprocs=2, join=False, start_method="fork").processes
    while all(process.is_alive() for process in ranks):
        time.sleep(0.5)
        if all(Path(folder, f"{name}{rank}").exists() for name in names for rank in range(2)):
            break
    for process in ranks:
        process.kill()
        process.join()
    return folder


def keep_calls(rank, folder, seconds=1):
    """Write the calls of this rank after `seconds`, as the first fix of this page does."""

    def write():
        calls = pickle.loads(_dump_fr_trace())
        if "" in calls["pg_config"]:
            calls["pg_config"]["0"] = calls["pg_config"].pop("")
        Path(folder, f"new_{rank}").write_bytes(pickle.dumps(calls))
        os.rename(f"{folder}/new_{rank}", f"{folder}/rank_{rank}")

    threading.Timer(seconds, write).start()


def torchfrtrace(folder):
    """What the command prints, without the frames of PyTorch and of this harness."""
    command = [sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", folder, "--prefix", "rank_"]
    printed = subprocess.run(command, capture_output=True, text=True)
    return printed.stdout + printed.stderr


# %%
def prepare(folder):
    with FileLock(f"{folder}/data.lock"):
        if not os.path.exists(f"{folder}/data.pt"):
            torch.save(torch.arange(4), f"{folder}/data.pt")
        dist.barrier()  # waits for the other rank, which waits for the lock


def train(rank, folder):
    prepare(folder)


# %% break no-trace
with tempfile.TemporaryDirectory() as folder:
    errors = run(train, folder)  # 3 seconds in place of gloo's 30 minutes
waited = next(error for error in errors if "Timed out waiting 3000ms" in error)
assert "rank" not in waited and "data.lock" not in waited  # who? where?


# %% check no-trace
COMMAND = "torchfrtrace traces --prefix rank_"


def kept(rank, folder):
    keep_calls(rank, folder)
    train(rank, folder)


def run_command(folder):
    module = "torch.distributed.flight_recorder.fr_trace"
    here = COMMAND.replace("traces", folder)
    here = here.replace("torchfrtrace", f"{sys.executable} -m {module}")
    printed = subprocess.run(here, shell=True, capture_output=True, text=True)
    return printed.stdout + printed.stderr


# in the folder `traces` lie the files of all ranks
printed = run_command(while_it_hangs(kept, "rank_"))
lines = printed[printed.find("Not all ranks") :].splitlines()
print("\n".join(lines[:10]))
assert "Not all ranks joining collective" in lines[0]
assert any(line.startswith("missing ranks: {") for line in lines)

# %% fix no-trace
import faulthandler
import pickle
import threading

import torch.distributed as dist
from torch._C._distributed_c10d import _dump_fr_trace  # NCCL: _dump_nccl_trace


def note_if_it_hangs(folder, seconds=300):
    """Where this rank stands after `seconds`, and what it called."""
    rank = dist.get_rank()
    stack = open(f"{folder}/stack_{rank}.txt", "w")
    faulthandler.dump_traceback_later(seconds, file=stack)

    def write():
        calls = pickle.loads(_dump_fr_trace())
        groups = calls["pg_config"]
        if "" in groups:
            groups["0"] = groups.pop("")  # gloo leaves out the group's name
        with open(f"{folder}/rank_{rank}", "wb") as file:
            pickle.dump(calls, file)

    timer = threading.Timer(seconds, write)
    timer.daemon = True  # a run that ends earlier does not wait for it
    timer.start()


# %% proof no-trace
def noted(rank, folder):
    note_if_it_hangs(folder, seconds=1)
    assert all(thread.daemon for thread in threading.enumerate() if isinstance(thread, threading.Timer))
    train(rank, folder)


def loads(path):
    try:
        return bool(pickle.loads(Path(path).read_bytes()))
    except (OSError, EOFError, pickle.UnpicklingError):
        return False


folder = tempfile.mkdtemp()
ranks = mp.start_processes(start, (noted, folder, 300), nprocs=2, join=False, start_method="fork").processes
while all(process.is_alive() for process in ranks):
    time.sleep(0.1)
    if all(loads(f"{folder}/rank_{rank}") and "in prepare" in Path(folder, f"stack_{rank}.txt").read_text() for rank in range(2)):
        break
for process in ranks:
    process.kill()
    process.join()
stacks = [Path(folder, f"stack_{rank}.txt").read_text() for rank in range(2)]
waits = [" in barrier" in stack for stack in stacks]
assert sorted(waits) == [False, True], stacks  # one at the barrier, ...
missing = waits.index(False)
assert "in acquire" in stacks[missing]  # ... the other one at the lock
assert f"missing ranks: {{{missing}}}" in torchfrtrace(folder)

# %% break lock-held
assert hangs(train)


# %% check lock-held
PROGRAM = """
import faulthandler

faulthandler.dump_traceback_later(300)
"""


# at the top of the script: after so many seconds each rank prints where it stands
def where(rank, folder):
    sys.stderr = open(f"{folder}/stack_{rank}", "w")
    exec(PROGRAM.replace("300", "1"))
    keep_calls(rank, folder, 2)
    train(rank, folder)


folder = while_it_hangs(where, "rank_")
found = []
for rank in range(2):
    stack = Path(folder, f"stack_{rank}").read_text()
    found.append("barrier" if " in barrier" in stack else "acquire")
print("the ranks stand in:", sorted(found))
assert sorted(found) == ["acquire", "barrier"]

# %% fix lock-held
import os

import torch
import torch.distributed as dist
from filelock import FileLock


def prepare(folder):
    with FileLock(f"{folder}/data.lock"):
        if not os.path.exists(f"{folder}/data.pt"):
            torch.save(torch.arange(4), f"{folder}/data.pt")
    dist.barrier()  # behind the `with`: no lock is held while it waits


# %% proof lock-held
save = torch.save


def slow_save(data, path):
    with open(f"{path}.log", "a") as log:
        log.write("x")
    time.sleep(0.5)
    save(data, path)


def prepared(rank, folder):
    torch.save = slow_save
    if rank == 1:
        time.sleep(1)
        Path(folder, "came").touch()
    prepare(folder)
    assert Path(folder, "came").exists()  # no rank goes on before the other one has come
    assert torch.load(f"{folder}/data.pt").tolist() == [0, 1, 2, 3]
    Path(folder, f"done_{rank}").touch()


def at_once(rank, folder):
    torch.save = slow_save
    prepare(folder)


with tempfile.TemporaryDirectory() as folder:
    assert run(prepared, folder, 60) == []
    assert Path(folder, "done_0").exists() and Path(folder, "done_1").exists()
with tempfile.TemporaryDirectory() as folder:
    assert run(at_once, folder, 60) == []
    assert Path(folder, "data.pt.log").read_text() == "x"  # one rank made the data

# %% wrong longer-timeout
# A longer timeout: each rank waits for the other, however long it is. The error comes later.
with tempfile.TemporaryDirectory() as folder:
    errors = run(train, folder, seconds=6)
late = [error for error in errors if "Timed out waiting 6000ms" in error]
print("ranks with a timeout:", len(late))
assert late

# %%
def counts_of(rank):
    """What each rank found in its own images."""
    return [{"car": 3, "person": 1, "bicycle": 2}, {"person": 4, "car": 1}][rank]


# %% break missing-key
def train(rank, folder):
    for name, count in counts_of(rank).items():
        total = torch.tensor(count)
        dist.all_reduce(total)  # rank 1 has no bicycle: one call less
    dist.barrier()


assert hangs(train)


# %% check missing-key
COMMAND = "torchfrtrace traces --prefix rank_ | grep Culprit"


def train(rank, folder):
    keep_calls(rank, folder)
    for name, count in counts_of(rank).items():
        dist.all_reduce(torch.tensor(count))
    dist.barrier()


module = "torch.distributed.flight_recorder.fr_trace"
here = COMMAND.replace("traces", while_it_hangs(train, "rank_"))
here = here.replace("torchfrtrace", f"{sys.executable} -m {module}")
here = here.replace(" |", " 2>&1 |")
done = subprocess.run(here, shell=True, capture_output=True, text=True)
# then print the keys on every rank, in their order: they must be the same
print(done.stdout)
assert "COLLECTIVE_TYPE_MISMATCH" in done.stdout

# %% fix missing-key
import torch
import torch.distributed as dist

NAMES = ["person", "car", "bicycle"]


def sum_of_ranks(counts):
    """The counts of all ranks: one call, in an order that all share."""
    values = [counts.get(name, 0) for name in NAMES]
    total = torch.tensor(values, device=device)
    dist.all_reduce(total)
    return dict(zip(NAMES, total.tolist()))


# %% proof missing-key
def train(rank, folder):
    total = sum_of_ranks(counts_of(rank))
    dist.barrier()
    assert total == {"person": 5, "car": 4, "bicycle": 2}
    Path(folder, f"done_{rank}").touch()


with tempfile.TemporaryDirectory() as folder:
    assert run(train, folder, 60) == []
    assert Path(folder, "done_0").exists() and Path(folder, "done_1").exists()


# %% break send-first
def train(rank, folder):
    x, got = torch.ones(3), torch.empty(3)
    dist.send(x, 1 - rank)  # both send, nobody receives
    dist.recv(got, 1 - rank)


assert hangs(train)


# %% check send-first
PROGRAM = """
import faulthandler

faulthandler.dump_traceback_later(300)
"""


# at the top of the script: after so many seconds each rank prints where it stands
def train(rank, folder):
    sys.stderr = open(f"{folder}/stack_{rank}", "w")
    exec(PROGRAM.replace("300", "1"))
    keep_calls(rank, folder, 2)
    dist.send(torch.ones(3), 1 - rank)


folder = while_it_hangs(train, "rank_")
for rank in range(2):
    assert " in send" in Path(folder, f"stack_{rank}").read_text()
    calls = pickle.loads(Path(folder, f"rank_{rank}").read_bytes())["entries"]
    print(f"rank {rank} stands in send; the recorder holds {len(calls)} calls")
    assert not calls  # gloo's recorder does not note send and recv

# %% fix send-first
import torch
import torch.distributed as dist


def exchange(x, peer):
    got = torch.empty_like(x)
    send = dist.P2POp(dist.isend, x, peer)
    recv = dist.P2POp(dist.irecv, got, peer)
    for work in dist.batch_isend_irecv([send, recv]):
        work.wait()
    return got


# %% proof send-first
def train(rank, folder):
    x = torch.full((100_000,), float(rank + 1))
    got = exchange(x, 1 - rank)
    assert got.eq(2 - rank).all() and x.eq(rank + 1).all()
    Path(folder, f"done_{rank}").touch()


with tempfile.TemporaryDirectory() as folder:
    assert run(train, folder, 60) == []
    assert Path(folder, "done_0").exists() and Path(folder, "done_1").exists()
