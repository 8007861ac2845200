# ---
# wordings:
#   - text: "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq:int}, OpType={op:ident}, {sizes:line}Timeout(ms)={limit:int}) ran for {ran:int} milliseconds before timing out"
#     exception: DistBackendError
#     sample: "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, OpType=ALLREDUCE, NumelIn=9801523, NumelOut=9801523, Timeout(ms)=600000) ran for 600020 milliseconds before timing out."
#   - text: "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq:int}, OpType={op:ident}, Timeout(ms)={limit:int}) ran for {ran:int} milliseconds before timing out"
#     sample: "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=49, OpType=ALLREDUCE, Timeout(ms)=18000000) ran for 18005607 milliseconds before timing out."
#   - text: "Watchdog caught collective operation timeout: WorkNCCL(OpType={op:ident}, {sizes:line}Timeout(ms)={limit:int}) ran for {ran:int} milliseconds before timing out"
#     sample: "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, TensorShape=[1], Timeout(ms)=1800000) ran for 1804226 milliseconds before timing out."
#   - text: "Watchdog caught collective operation timeout: WorkNCCL(OpType={op:ident}, Timeout(ms)={limit:int}) ran for {ran:int} milliseconds before timing out"
#     sample: "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1803435 milliseconds before timing out."
#   - text: "Watchdog caught collective operation timeout"
#   - text: "Caught collective operation timeout: Work"
#   - text: "ran for {ran:int} milliseconds before timing out"
#     sample: "ran for 1800840 milliseconds before timing out."
#   - text: "Timeout at NCCL work: {work:int}, last enqueued NCCL work: {enqueued:int}, last completed NCCL work: {completed:int}"
#     sample: "[PG 5 Rank 3] Timeout at NCCL work: 8, last enqueued NCCL work: 10, last completed NCCL work: 7."
#   - text: "Exception (either an error or timeout) detected by watchdog at work: {work:int}, last enqueued NCCL work: {enqueued:int}, last completed NCCL work: {completed:int}"
#     role: symptom
#     sample: "[PG 1 Rank 0] Exception (either an error or timeout) detected by watchdog at work: 1580, last enqueued NCCL work: 1582, last completed NCCL work: 1579."
#   - text: "due to a collective timeout from this local rank"
#   - text: "due to a collective timeout  from rank"
#   - text: "Some NCCL operations have failed or timed out"
#     role: symptom
#   - text: "NCCL watchdog thread terminated with exception"
#     role: symptom
#   - text: "Process group watchdog thread terminated with exception"
#     role: symptom
#   - text: "c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout("
#     role: symptom
#   - text: "ProcessGroupNCCL's watchdog got stuck for {stuck:int} seconds without making progress"
#     role: symptom
#     sample: "[PG 0 Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives."
#   - text: "Heartbeat monitor timed out! Process will be terminated after dumping debug info"
#     role: symptom
#   - text: "Timed out waiting {waited:int}ms for {operation:ident} operation to complete"
#     exception: RuntimeError
#     sample: "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:84] Timed out waiting 1800000ms for recv operation to complete"
#   - text: "Application timeout caused pair closure"
#     exception: RuntimeError
#   - text: "Connection closed by peer ["
#     exception: RuntimeError
#     role: symptom
#     near: [gloo]
#   - text: "Connection reset by peer"
#     exception: RuntimeError
#     role: symptom
#     near: [gloo/transport]
#     sample: "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:575] Read error [10.0.0.3]:21873: Connection reset by peer"
#   - text: "ncclUniqueId from [0] via c10d key-value store by key"
#     exception: DistBackendError
#     sample: "torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout"
#   - text: "Ranks {missing:line} failed to pass monitoredBarrier in {limit:int} ms"
#     exception: RuntimeError
#     sample: "RuntimeError: [Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 10000 ms"
#   - text: "failed to pass monitoredBarrier in {limit:int} ms"
#     exception: RuntimeError
#     sample: "RuntimeError: [Rank 0]: Ranks 1 failed to pass monitoredBarrier in 10000 ms"
#   - text: "successfully reached monitoredBarrier, but received errors while waiting"
#     role: symptom
#   - text: "Detected mismatch between collectives on ranks"
#     exception: RuntimeError
#   - text: "Cannot apply desired operation due to shape mismatches. All shapes across devices must be valid"
#     exception: DistributedOperationException
#   - text: "Operation timed out!"
#     exception: RuntimeError
#     near: [ProcessGroupNCCL, NCCL_BLOCKING_WAIT, torch/distributed, torch.distributed, c10d]
#   - text: "(torch/distributed/distributed_c10d.py:{_:int})"
#     role: symptom
#     unless: ["init_process_group (torch/", "%Own", ");"]  # py-spy top and record: a program that runs
#     sample: "    barrier (torch/distributed/distributed_c10d.py:5356)"
#   - text: "distributed_c10d.py\", line {_:int} in "
#     role: symptom
#     near: ["most recent call first"]
#     unless: [" in init_process_group", "Fatal Python error", "Windows fatal exception"]
#     sample: |
#       Timeout (0:05:00)!
#       Thread 0x00007f9d583f1b80 (most recent call first):
#         File "/usr/lib/python3/site-packages/torch/distributed/distributed_c10d.py", line 5356 in barrier
# tags: [ddp, hang, multi-gpu, multiprocessing]
# recover: process
# needs: [fork]
# cases:
#   rank-zero-only:
#     wrong: {longer-timeout: "https://github.com/meta-llama/llama-cookbook/issues/65"}
#     survives: {"raw: loss.detach()": "the same number is printed; detached, the sum takes no part in the graph"}
#   uneven-batches:
#     survives: {"without: device= in torch.tensor(len(loader), device=device)": "without a GPU the default is right; NCCL takes tensors on the GPU only"}
# related: [distributed/ddp-unused-params, distributed/hang-flight-recorder]
# rows: [S001-104]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
# causes:
#   slow-rank:
#     likely: frames("main_process_first", "zero_first")
#     undecided: the rank that waits prints that it waits, not why the other one does not come
#     sample: |
#       File "/opt/conda/lib/python3.10/site-packages/transformers/training_args.py", line 2460, in main_process_first
#         dist.barrier()
#       RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete
#   rank-zero-only:
#     undecided: the rank that waits prints that it waits, not why the other one does not come
#   uneven-batches:
#     undecided: the rank that waits prints that it waits, not why the other one does not come
#   skipped-step:
#     undecided: the rank that waits prints that it waits, not why the other one does not come
#   other-rank-died:
#     likely: >-
#       paste("Connection closed by peer", "Connection reset by peer") and not paste("Timed out
#       waiting", "Watchdog caught") or paste("exitcode  : -9", "exitcode: -9", "Signal 9 (SIGKILL)")
#     sample: "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:525] Connection closed by peer [10.0.0.3]:21873"
#   different-calls:
#     if: paste("Detected mismatch between collectives on ranks")
#     likely: (kinds(seq) > 1 or kinds(op) > 1 or kinds(sizes) > 1) and op not in ["ALLTOALL", "ALLTOALL_BASE", "SEND", "RECV", "COALESCED"]
#     sample: |
#       [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=214, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600014 milliseconds before timing out.
#       [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=214, OpType=ALLREDUCE, NumelIn=9801523, NumelOut=9801523, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.
#   gathered-shapes:
#     if: paste("Cannot apply desired operation due to shape mismatches")
#     sample: "accelerate.utils.operations.DistributedOperationException: Cannot apply desired operation due to shape mismatches. All shapes across devices must be valid."
#   first-call:
#     if: paste("ncclUniqueId from [0] via c10d")
#     likely: seq == 1 and paste("[Rank 0] Watchdog caught") and paste("[Rank 1] Watchdog caught")
#     sample: "torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Socket Timeout"
#   same-call:
#     likely: paste("[Rank 0] Watchdog caught") and paste("[Rank 1] Watchdog caught")
#     sample: |
#       [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, OpType=ALLREDUCE, NumelIn=9801523, NumelOut=9801523, Timeout(ms)=600000) ran for 600020 milliseconds before timing out.
#       [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, OpType=ALLREDUCE, NumelIn=9801523, NumelOut=9801523, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
#   watchdog-stuck:
#     if: paste("watchdog got stuck for", "Heartbeat monitor timed out") and not paste("Watchdog caught")
#     sample: "[PG 0 Rank 1] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives."
# ---

# %%
import contextlib
import io
import os
import socket
import tempfile
import time
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, train, folder, seconds):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=timedelta(seconds=seconds))
    try:
        train(rank)
    except RuntimeError as error:
        if "by peer" in str(error):
            time.sleep(20)  # this rank only lost its peer: the error of the first is shown, as torchrun does
        raise
    dist.destroy_process_group()


def run(train, seconds=60):
    """What torchrun does: train(rank) in two processes; who waits for longer than `seconds` gets the error."""
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (train, folder, seconds), nprocs=2, start_method="fork")


def loss_of(weight, rank, step):
    x = torch.tensor([1.0, 2.0, 3.0]) + rank + step
    return (x @ weight - 1) ** 2


def update(weight, loss):
    """One training step as DDP does it: the gradient is averaged over the ranks."""
    (gradient,) = torch.autograd.grad(loss, weight)
    dist.all_reduce(gradient)
    with torch.no_grad():
        weight -= 0.01 * gradient / 2


def same_as_one_process(weight, steps):
    """Is this rank's weight the one that a single process gets from the batches of both ranks?"""
    single = torch.ones(3, requires_grad=True)
    for step in steps:
        (gradient,) = torch.autograd.grad((loss_of(single, 0, step) + loss_of(single, 1, step)) / 2, single)
        with torch.no_grad():
            single -= 0.01 * gradient
    torch.testing.assert_close(weight, single)
    return True


# %% break rank-zero-only
def train(rank):
    weight = torch.ones(3, requires_grad=True)
    for step in range(2):
        loss = loss_of(weight, rank, step)
        update(weight, loss)
    if rank == 0:
        total = loss.detach().clone()
        dist.all_reduce(total)  # waits for rank 1 ...
        print("loss", total / 2)
    dist.barrier()  # ... which waits here for rank 0


run(train, seconds=3)


# %% check rank-zero-only
# before the loop: a rank that still runs after five minutes prints where it stands
PROGRAM = """
import faulthandler

faulthandler.dump_traceback_later(300)
"""


def train(rank):
    os.dup2(stacks[rank].fileno(), 2)
    exec(PROGRAM.replace("300", "2"))
    if rank == 0:
        dist.all_reduce(torch.ones(1))
    dist.barrier()


stacks = [tempfile.TemporaryFile("w+") for _ in range(2)]
try:
    run(train, seconds=6)
except mp.ProcessRaisedException:
    pass
where = []
for rank, stack in enumerate(stacks):
    stack.seek(0)
    frames = [line.strip() for line in stack if line.strip()]
    names = [frame.split()[-1] for frame in frames]
    where.append(next(name for name in names if name in ("all_reduce", "barrier")))
    line = frames[names.index("train")].split(", ")[-1]
    print(f"rank {rank} waits in {where[-1]}, called from {line}")
assert where == ["all_reduce", "barrier"]  # they wait for each other


# %% fix rank-zero-only
import torch.distributed as dist


def log_loss(loss):
    total = loss.detach().clone()
    dist.all_reduce(total)  # every rank calls it
    if dist.get_rank() == 0:
        print("loss", total.item() / dist.get_world_size())  # one rank prints it


# %% proof rank-zero-only
def train(rank):
    weight = torch.ones(3, requires_grad=True)
    for step in range(2):
        loss = loss_of(weight, rank, step)
        update(weight, loss)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        log_loss(loss)
    dist.barrier()
    assert same_as_one_process(weight, range(2))
    both = [torch.zeros_like(loss) for _ in range(2)]
    dist.all_gather(both, loss.detach())
    assert printed.getvalue() == (f"loss {sum(both).item() / 2}\n" if rank == 0 else "")


run(train, seconds=20)


# %% wrong longer-timeout
# A longer `timeout=` in `init_process_group`: rank 0 waits for a call that rank 1 never makes. The
# same error, later.
def train(rank):
    if rank == 0:
        dist.all_reduce(torch.ones(1))
    dist.barrier()


run(train, seconds=9)  # 3 above

# %%
def make_batches(rank):
    """Five files, divided between two ranks."""
    return list(range(5))[rank::2]


# %% break uneven-batches
def train(rank):
    weight = torch.ones(3, requires_grad=True)
    for step, _ in enumerate(make_batches(rank)):
        update(weight, loss_of(weight, rank, step))
    dist.barrier()


run(train, seconds=3)

# %% check uneven-batches
batches = [len(make_batches(rank)) for rank in range(2)]
print("batches of each rank:", batches)  # must all be the same
assert batches == [3, 2]


# %% fix uneven-batches
import itertools

import torch
import torch.distributed as dist


def same_number(loader):
    """The batches of `loader`, as many as the rank with the fewest has."""
    steps = torch.tensor(len(loader), device=device)
    dist.all_reduce(steps, op=dist.ReduceOp.MIN)  # once, before the loop
    return itertools.islice(loader, int(steps))


# %% proof uneven-batches
def train(rank):
    weight = torch.ones(3, requires_grad=True)
    seen = 0
    for step, _ in enumerate(same_number(make_batches(rank))):
        update(weight, loss_of(weight, rank, step))
        seen += 1
    dist.barrier()
    assert seen == 2 and same_as_one_process(weight, range(2))


device = "cpu"
run(train, seconds=20)


# %%
def noisy_loss(weight, rank, step):
    """On rank 1 the loss of step 1 is NaN: a broken sample."""
    loss = loss_of(weight, rank, step)
    return loss * float("nan") if (rank, step) == (1, 1) else loss


# %% break skipped-step
def train(rank):
    weight = torch.ones(3, requires_grad=True)
    for step in range(3):
        loss = noisy_loss(weight, rank, step)
        if not loss.isfinite():
            continue  # this rank leaves out a step, the other one does not
        update(weight, loss)
    dist.barrier()


run(train, seconds=3)

# %% check skipped-step
weight = torch.ones(3)
used = [0, 0]
for rank in range(2):
    for step in range(3):  # count it in your loop, next to backward()
        used[rank] += noisy_loss(weight, rank, step).isfinite().item()
print("steps that each rank takes part in:", used)
assert used == [3, 2]


# %% fix skipped-step
import torch.distributed as dist


def good_everywhere(loss):
    good = loss.isfinite().int()
    dist.all_reduce(good, op=dist.ReduceOp.MIN)  # 0 if any rank has a bad loss
    return bool(good)


# in the loop: if not good_everywhere(loss): continue


# %% proof skipped-step
def train(rank):
    weight = torch.ones(3, requires_grad=True)
    used = 0
    for step in range(3):
        loss = noisy_loss(weight, rank, step)
        if not good_everywhere(loss):
            continue
        update(weight, loss)
        used += 1
    dist.barrier()
    assert used == 2 and same_as_one_process(weight, [0, 2])


run(train, seconds=20)


# %%
def prepare_data():
    time.sleep(5)  # tokenizing, unpacking, an evaluation, saving a large checkpoint


# %% break slow-rank
def train(rank):
    if rank == 0:
        prepare_data()
    dist.barrier()  # the others wait here


run(train, seconds=3)

# %% check slow-rank
start = time.monotonic()
prepare_data()
print(f"rank 0 needs {time.monotonic() - start:.0f} s, the others wait for 3 s")
assert time.monotonic() - start > 3


# %% fix slow-rank
from datetime import timedelta

import torch.distributed as dist


def start():
    # longer than rank 0 is ever busy
    dist.init_process_group(timeout=timedelta(hours=2))


# %% proof slow-rank
def ready(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE="2")  # as torchrun does
    start()
    group = dist.group.WORLD._get_backend(torch.device("cpu"))
    assert group.options._timeout == timedelta(hours=2)
    if rank == 0:
        prepare_data()
    dist.barrier()
    weight = torch.ones(3, requires_grad=True)
    update(weight, loss_of(weight, rank, 0))
    assert same_as_one_process(weight, [0])
    dist.destroy_process_group()


with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
mp.start_processes(ready, (port,), nprocs=2, start_method="fork")
