"""Programs that hang, and sound ones that only look like it: `python hang_programs.py KIND`.

The distributed ones are started by torchrun, or start their own ranks.
"""

from __future__ import annotations

import concurrent.futures
import logging
import os
import queue
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

HELD = threading.Lock()


class Images(Dataset):
    """A dataset of which one sample is `wait`."""

    def __init__(self, wait):
        self.wait = wait

    def __len__(self):
        return 1000

    def __getitem__(self, index):
        if index == 5:
            self.wait()
        return torch.full((4,), float(index))


def train_on(wait, **settings):
    for batch in DataLoader(Images(wait), batch_size=2, num_workers=2, **settings):
        batch.sum()


def read_fifo():
    path = Path(tempfile.mkdtemp(), "share")
    os.mkfifo(path)
    return path.read_text()  # as a network drive that does not answer


def fill_pipe():
    _, into = os.pipe()
    while True:
        os.write(into, b"x" * 4096)


def log_sample():
    with HELD:
        logging.info("sample")


def compute(seconds=1e9):
    end = time.monotonic() + seconds
    x = torch.rand(200, 200)
    while time.monotonic() < end:
        x = (x @ x).tanh()


def stand():
    threading.Event().wait()


def validate():
    threading.Event().wait()


def join():
    dist.init_process_group("gloo")
    return dist.get_rank()


def branch():
    rank = join()
    if rank == 1:
        validate()
    dist.all_reduce(torch.ones(4))


def late():
    rank = join()
    if rank == 1:
        compute()
    dist.all_reduce(torch.ones(4))


def barrier_rank0():
    rank = join()
    if rank == 0:
        dist.barrier()
    dist.all_reduce(torch.ones(4))


def uneven():
    rank = join()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    for _ in range(3 if rank == 0 else 5):
        model(torch.ones(2, 4)).sum().backward()
    dist.barrier()


def caught():
    rank = join()
    for step in range(5):
        try:
            if rank == 1 and step == 2:
                raise ValueError("a broken sample")
            dist.all_reduce(torch.ones(4))
        except ValueError:
            continue
    dist.broadcast(torch.ones(4), 0)
    stand()


def breakpoint_left():
    rank = join()
    if rank == 1:
        breakpoint()
    dist.all_reduce(torch.ones(4))


def stopped_rank():
    rank = join()
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    dist.all_reduce(torch.ones(4))


def work_waited():
    rank = join()
    if rank == 1:
        validate()
    handle = dist.all_reduce(torch.ones(4), async_op=True)
    handle.wait()


def same():
    rank = join()
    dist.recv(torch.ones(4), src=1 - rank)


def one_loader():
    rank = join()
    for batch in DataLoader(Images(read_fifo if rank == 1 else int), batch_size=2, num_workers=1):
        dist.all_reduce(batch)


def sound_ddp():
    join()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256))
    while True:
        model(torch.rand(512, 256)).sum().backward()


def store():
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=sys.argv[2], RANK="1", WORLD_SIZE="2")
    dist.init_process_group("gloo")


def spawned(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=3)
    if rank == 2:
        validate()
    dist.all_reduce(torch.ones(4))


def spawn():
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(spawned, args=(port,), nprocs=3)


def lock_at_fork():
    HELD.acquire()
    train_on(log_sample, multiprocessing_context="fork")


def pool_at_fork():
    def squared(number):
        return number * number

    pool = concurrent.futures.ThreadPoolExecutor(2)
    pool.submit(squared, 2).result()
    train_on(lambda: pool.submit(squared, 3).result(), multiprocessing_context="fork")


def extension():
    from torch.utils.file_baton import FileBaton

    path = Path(tempfile.mkdtemp(), "lock")
    path.touch()
    FileBaton(str(path)).wait()


def long_compile():
    def steps(x):
        for number in range(100_000):
            x = x.sin() + number
        return x

    torch.compile(steps, backend="eager")(torch.ones(3))


def no_feeder():
    mp.get_context("spawn").Queue().get()


def queue_get():
    queue.Queue().get()


def ask():
    input("go on? ")


def slow_loader():
    train_on(compute)


def sound_loader():
    for _ in DataLoader(Images(int), batch_size=2, num_workers=2):
        compute(0.2)


def sound_sleep():
    while True:
        time.sleep(0.2)
        compute(0.2)


def sound_save():
    big = torch.rand(1000, 1000)
    while True:
        torch.save(big, os.devnull)


def noted():
    """As the page "All ranks hang" has it: each rank notes its stack and its last calls."""
    import faulthandler
    import pickle

    from torch._C._distributed_c10d import _dump_fr_trace

    rank, folder = join(), Path(sys.argv[2])
    dist.all_reduce(torch.ones(4))
    faulthandler.dump_traceback_later(5, file=(folder / f"stack_{rank}.txt").open("w"))

    def write():
        calls = pickle.loads(_dump_fr_trace())
        groups = calls["pg_config"]
        if "" in groups:
            groups["0"] = groups.pop("")
        (folder / f"rank_{rank}.part").write_bytes(pickle.dumps(calls))
        (folder / f"rank_{rank}.part").rename(folder / f"rank_{rank}")

    timer = threading.Timer(5, write)
    timer.daemon = True
    timer.start()
    if rank == 1:
        validate()
    dist.all_reduce(torch.ones(4))


def sound_pool():
    with mp.get_context("fork").Pool(2) as pool:
        pool.map(compute, [1e9, 1e9])


def sound_wait():
    done = Path(tempfile.mkdtemp(), "done")
    while not done.exists():
        time.sleep(10)


def sound_async():
    import asyncio

    asyncio.new_event_loop().run_forever()


def sound_rank0_saves():
    if join() == 0:
        sound_save()
    dist.barrier()


def many_threads():
    for _ in range(500):
        threading.Thread(target=stand, daemon=True).start()
    queue_get()


def idle_server():
    import http.server

    http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler).serve_forever()


def stuck_loader():
    train_on(read_fifo)


def full_pipe():
    train_on(fill_pipe)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
