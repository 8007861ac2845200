"""Where the processes of a program that hangs stand, and what follows from it: the roll-call.

Of a process that was dumped twice it says whether it moved. docs/assets/hang.js is the twin.
"""

from __future__ import annotations

from typing import TypedDict

from .clean import DIGITS
from .stacks import NOT, SIGNS, Frame, Process, processes

#: What a main thread does: [kind, how the file's path ends or which folder it has, functions
#: (any if none)]. The first that a frame meets says it.
KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("debugger", "pdb.py", ()),
    ("debugger", "bdb.py", ()),
    ("debugger", "debugpy/", ()),
    ("launcher", "torch/distributed/elastic/agent/server/api.py", ("_exit_barrier",)),
    ("store", "torch/distributed/elastic/rendezvous/", ()),
    ("store", "torch/distributed/elastic/utils/store.py", ()),
    ("launcher", "torch/distributed/elastic/", ()),
    ("launcher", "torch/distributed/run.py", ()),
    ("launcher", "torch/multiprocessing/spawn.py", ("join",)),
    ("lock-file", "torch/utils/file_baton.py", ("wait",)),
    ("builds", "torch/utils/cpp_extension.py", ("_run_ninja_build",)),
    ("store", "torch/distributed/rendezvous.py", ()),
    (
        "store",
        "torch/distributed/distributed_c10d.py",
        ("init_process_group", "_store_based_barrier", "_new_process_group_helper", "new_group"),
    ),
    ("worker", "torch/utils/data/_utils/worker.py", ("_worker_loop",)),
    ("loader", "torch/utils/data/dataloader.py", ("_try_get_data", "_get_data")),
    (
        "collective",
        "torch/distributed/distributed_c10d.py",
        (
            *("all_reduce", "all_gather", "all_gather_into_tensor", "all_gather_object"),
            *("all_to_all", "all_to_all_single", "barrier", "monitored_barrier", "broadcast"),
            *("broadcast_object_list", "gather", "gather_object", "recv", "reduce", "scatter"),
            *("reduce_scatter", "reduce_scatter_tensor", "scatter_object_list", "send"),
            *("_verify_params_across_processes", "destroy_process_group"),
        ),
    ),
    (
        "collective",
        "torch/nn/parallel/distributed.py",
        ("_distributed_broadcast_coalesced", "_sync_module_states"),
    ),
    ("collective", "torch/distributed/utils.py", ("_verify_param_shape_across_processes",)),
    ("collective", "torch/distributed/_functional_collectives.py", ("wait_tensor",)),
    ("compile", "torch/_dynamo/convert_frame.py", ("_compile", "compile_inner")),
    ("compile", "torch/_inductor/", ()),
    ("gpu", "torch/cuda/__init__.py", ("synchronize",)),
    ("gpu", "torch/cuda/streams.py", ("synchronize",)),
    ("gpu", "", ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")),
    ("backward", "torch/autograd/graph.py", ("_engine_run_backward",)),
    ("backward", "torch/autograd/__init__.py", ("backward",)),
    ("save", "torch/serialization.py", ("save",)),
    ("save", "torch/distributed/checkpoint/", ()),
    ("load", "torch/serialization.py", ("load",)),
    ("server", "socketserver.py", ("serve_forever",)),
    ("server", "asyncio/base_events.py", ("run_forever",)),
    ("queue", "multiprocessing/queues.py", ("get",)),
    ("queue", "queue.py", ("get",)),
    ("queue", "multiprocessing/connection.py", ()),
    ("child", "subprocess.py", ("wait", "_wait", "communicate", "_communicate")),
    ("child", "multiprocessing/popen_fork.py", ("poll", "wait")),
    ("network", "socket.py", ()),
    ("network", "ssl.py", ()),
    ("network", "urllib3/", ()),
    ("network", "botocore/", ()),
    ("network", "fsspec/", ()),
    ("lock", "threading.py", ("acquire", "wait", "join", "_wait_for_tstate_lock", "__enter__")),
    ("lock", "logging/__init__.py", ("acquire", "handle")),
    ("lock", "filelock/", ()),
)
#: Kinds that wait, however often they look.
STILL = ("idle", "spins", "store")
#: Kinds of which no stack tells anything.
GONE = ("dead", "unseen")
#: Kinds that wait for what is no program of the reader's.
OUTSIDE = ("network", "drive", "read", "open", "write", "input")
#: Kinds that wait for the other ranks; a backward pass only where it does not compute.
TOGETHER = ("collective", "backward")
#: What belongs to no rank: stands in the command of a process.
LAUNCHERS = ("torchrun", "torch.distributed.run", "accelerate launch")
HELPERS = ("resource_tracker", "semaphore_tracker", "forkserver", "compile_worker")


class Group(TypedDict):
    """Processes whose main threads stand at one place."""

    who: list[str]
    kind: str  # of KINDS; "own", "spins" (Process.spins), or "idle" of a worker without a sample
    detail: str  # the function of PyTorch or of the library
    place: str  # of the program: "validate (train.py:120)"
    works: bool
    worker: bool


class Verdict(TypedDict):
    name: str  # a sentence of words.json, hang
    symptom: str  # stem; "" where there is no page
    row: str
    who: list[str]  # of whom it speaks
    others: list[str]
    place: str


class RollCall(TypedDict):
    by: str  # "rank", or "process" where no rank is known
    groups: list[Group]
    verdict: Verdict


def roll_call(clean: str) -> RollCall | None:
    """Who stands where, and the verdict; None where the text holds no dump of a program that
    hangs."""
    if not any(sign in clean for sign in SIGNS) or any(sign in clean for sign in NOT):
        return None
    found = [one for one in processes(clean) if one.frames or one.told.get("state")]
    if not found:
        return None
    blind = not any(one.frames for one in found)
    parents = {one.told.get("parent", "") for one in found}
    by = "rank" if any(one.rank for one in found) else "process"
    groups: list[tuple[Group, list[Process]]] = []
    for number, one in enumerate(found):
        group, unseen = _group(one, blind), () if one.frames else LAUNCHERS
        if group["kind"] == "launcher" or any(name in one.command for name in (*HELPERS, *unseen)):
            continue
        if group["kind"] == "unseen" and not (blind or one.rank):
            continue  # a shell
        if one.pid and one.pid in parents and not one.rank and by == "rank":
            continue  # started the ranks
        name = one.rank or one.pid or str(number + 1)
        same = next((g for g, _ in groups if {**g, "who": []} == group), None)
        if same is None:
            same = group
            groups.append((group, []))
        next(members for g, members in groups if g is same).append(one)
        if name not in same["who"]:
            same["who"].append(name)
    for group, _ in groups:
        group["who"].sort(key=lambda name: (len(name), name))
    if not groups:
        return None
    return {"by": by, "groups": [group for group, _ in groups], "verdict": _verdict(groups)}


def _kind(frames: list[Frame], without: tuple[str, ...] = ()) -> tuple[str, str]:
    """What a stack does, and in which function."""
    for kind, file, functions in KINDS:
        if kind in without:
            continue
        for frame in frames:
            inside = file in frame["file"] if file.endswith("/") else frame["file"].endswith(file)
            if inside and (not functions or frame["function"] in functions):
                return kind, frame["function"]
    return "own", frames[0]["function"] if frames else ""


def _group(one: Process, blind: bool) -> Group:
    frames = one.frames
    kind, detail = _kind(frames)
    worker = kind == "worker"
    if worker:
        loop = next(n for n, frame in enumerate(frames) if frame["function"] == "_worker_loop")
        inner = frames[:loop]
        fetches = any(frame["file"].endswith("_utils/fetch.py") for frame in inner)
        kind, detail = _kind(inner, ("worker", "loader")) if fetches else ("idle", "")
        frames = inner
    if kind == "own" and (frames or blind):
        kind = one.told.get("call", kind)
    if kind == "own" and not frames:
        kind = "unseen"
    place = next((frame for frame in frames if frame["own"]), None)
    where = f"{place['function']} ({place['file']}:{place['line']})" if place else ""
    spins = kind in ("own", "gpu", "backward") and one.spins
    if one.stopped:
        kind = "debugger"
    elif spins:
        kind = "spins"
    elif one.told.get("state") in ("Z", "X"):
        kind = "dead"
    works = one.works and kind not in STILL
    return {
        "who": [],
        "kind": kind,
        "detail": detail,
        "place": where,
        "works": works,
        "worker": worker,
    }


def _verdict(groups: list[tuple[Group, list[Process]]]) -> Verdict:
    """What follows from where they stand; the first that holds."""
    every = [group for group, _ in groups]
    mains = [group for group in every if not group["worker"] and group["kind"] not in GONE]
    waits = [g for g in mains if g["kind"] in (*TOGETHER, "spins") and not _computes(g)]
    others = [g for g in mains if g not in waits]
    several = sum(len(group["who"]) for group in mains) > 1

    def say(name: str, of: list[Group], symptom: str = "", row: str = "") -> Verdict:
        who = sorted({name for group in of for name in group["who"]}, key=lambda n: (len(n), n))
        rest = {name for group in waits for name in group["who"]} - set(who)
        place = next((group["place"] for group in of if group["place"]), "")
        return {
            "name": name,
            "symptom": symptom,
            "row": row,
            "who": who,
            "others": sorted(rest, key=lambda n: (len(n), n)),
            "place": place,
        }

    def of(groups: list[Group], *kinds: str) -> list[Group]:
        return [group for group in groups if group["kind"] in kinds]

    if not any(one.frames for _, ones in groups for one in ones):
        return say("blind", every)
    if found := of(every, "debugger"):
        return say("stopped", found)
    if found := of(mains, "builds"):
        return say("builds", found, "extension-compile")
    if found := of(mains, "lock-file"):
        return say("lock-file", found, "extension-lock-hang", "killed-build")
    if found := of(mains, "input"):
        return say("input", found)
    if found := of(mains, "store"):
        return say("store", found, "rendezvous-network")
    if found := [group for group in of(mains, "loader") if not group["works"]]:
        return _of_loader(groups, found, say)
    if found := of(others, "compile"):
        return say("compile", found, "compile-never-ends")
    if waits and others:
        if found := [group for group in others if group["works"]]:
            return say("late", found, "collective-deadlock", "slow-rank")
        return say("absent", others, "collective-deadlock")
    if found := of(waits, "spins"):
        return say("spins", found, "hang-flight-recorder" if several else "")
    if waits and (missing := _missing(groups)):
        name = "missing-killed" if _killed(groups) else "missing"
        return {**say(name, waits, "collective-deadlock", "other-rank-died"), "who": missing}
    if waits and (not several or of(every, "unseen")):
        return say("alone", waits, "collective-deadlock")
    if len({(g["kind"], g["detail"], g["place"]) for g in waits}) > 1:
        return say("different", waits, "collective-deadlock", "different-calls")
    if waits:
        return say("same", waits, "collective-deadlock", "same-call")
    if found := [group for group in mains if group["works"]]:
        return say("works", found)
    if len(mains) > 1 and all(one.rank for group, ones in groups if group in mains for one in ones):
        most = max(mains, key=lambda group: len(group["who"]))
        apart = say("apart", [g for g in mains if g is not most], "hang-flight-recorder")
        return {**apart, "others": most["who"]}
    for kind in (
        *("server", "gpu", "drive", "read", "write", "open", "network", "lock", "queue", "child"),
    ):
        if found := of(mains, kind):
            if kind == "queue" and of(every, "dead"):
                if _killed(groups):
                    return say("queue-killed", found, "process-dies-silently", "killed-for-memory")
                return say("queue-dead", found, "process-dies-silently")
            return say(kind, found)
    if not mains and any(group["kind"] != "idle" for group in every):
        return _of_loader(groups, [], say)
    return say("unclear", mains)


def _computes(group: Group) -> bool:
    return group["works"] and group["kind"] == "backward"


def _killed(groups: list[tuple[Group, list[Process]]]) -> bool:
    """Has the kernel ended a process beside these for want of memory?"""
    return any("oom" in one.told for _, ones in groups for one in ones)


def _missing(groups: list[tuple[Group, list[Process]]]) -> list[str]:
    """Ranks below the number of ranks of which no process is there."""
    members = [one for group, ones in groups if not group["worker"] for one in ones]
    worlds = [int(w) for one in members if _short(w := one.told.get("world", ""))]
    seen = {one.rank for one in members if _short(one.rank)}
    end = max(worlds) if worlds else max(map(int, seen), default=-1) + 1
    return [str(rank) for rank in range(min(end, 4096)) if str(rank) not in seen]


def _short(number: str) -> bool:
    return 0 < len(number) < 6 and not number.strip(DIGITS)


def _of_loader(places: list[tuple[Group, list[Process]]], waiting: list[Group], say) -> Verdict:  # type: ignore[no-untyped-def]
    """Main processes wait for a batch: what do the workers do?"""
    every = [group for group, _ in places]
    workers = [group for group in every if group["worker"]]
    busy = [group for group in workers if group["kind"] != "idle"]
    page = "loader-hangs"
    if any(group["kind"] == "dead" for group in every):
        name = "dead-killed" if _killed(places) else "dead-worker"
        found: Verdict = say(name, waiting, "worker-killed")
    elif not workers:
        found = say("workers-unseen", waiting, page, "any-worker")
    elif working := [group for group in busy if group["works"]]:
        found = say("worker-slow", working, page, "only-slow")
    elif locked := [group for group in busy if group["kind"] == "lock"]:
        found = say("worker-lock", locked, page, "lock-at-fork")
    elif reads := [g for g in busy if g["kind"] in OUTSIDE]:
        found = say("worker-reads", reads, page, "stuck-sample")
    elif busy:
        found = say("worker-stands", busy, page, "any-worker")
    else:
        found = say("workers-idle", waiting, page, "any-worker")
    return found
