"""One table of devices: what a build for CUDA prints is found in the words of the others, too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from twins import lookup_twin, python_lookup

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import devices
from torchclinic.content.problem import Problems
from torchclinic.find import lookup
from torchclinic.find.match import DEVICES

if TYPE_CHECKING:
    from torchclinic.content.catalogue import Catalogue

ALONE = Path(__file__).parent / "data" / "cuda-only.txt"
#: What shows that a message is of CUDA's builds.
MARKS = ("CUDA", "cuda runtime error", "cuDNN", "cublas", "NCCL", "nvrtc", "cusolver")
#: A print of another device, the page that knows it, and what its answer says of the device.
PRINTS = [
    ("RuntimeError: HIP error: an illegal memory access was encountered", "illegal-memory-access", "`AMD_SERIALIZE_KERNEL=3` for `CUDA_LAUNCH_BLOCKING=1`"),
    ("RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 3; 60.97 GiB total capacity; 58.20 GiB already allocated; 300.00 MiB free; 59.00 GiB reserved in total by PyTorch)", "cuda-oom", "npu-smi info"),
    ("torch.OutOfMemoryError: MUSA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 47.00 GiB of which 1.00 GiB is free.", "cuda-oom", "1.00 GiB free of 47.00 GiB"),
    ("RuntimeError: Cannot re-initialize XPU in forked subprocess. To use XPU with multiprocessing, you must use the 'spawn' start method", "fork-cuda-init", ""),
    ("Watchdog caught collective operation timeout: WorkHCCL(SeqNum=12, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800500 milliseconds before timing out.", "collective-deadlock", ""),
]  # fmt: skip

#: A device that only an add-on brings, and the page of what a plain torch says when asked for it.
ADDED = [
    ("hpu", "accelerator-not-found"),
    ("privateuseone", "accelerator-not-found"),
    ("xla", "tpu-not-started"),
]


def test_every_type_is_one_that_the_matcher_tells_apart(clinic: Catalogue) -> None:
    assert clinic.devices.families
    assert {of["type"] for of in clinic.devices.families.values()} <= set(DEVICES)


@pytest.mark.parametrize(("text", "stem", "says"), PRINTS)
def test_the_page_of_a_message_in_the_words_of_another_device(
    text: str, stem: str, says: str
) -> None:
    from torchclinic.commands import knowledge, terminal

    known = knowledge.load()
    answer = known.look_up(text, search=False)
    assert (answer["rung"], answer["hits"][0]["symptom"]) == ("sure", stem)
    assert answer["hits"][0]["raw"] == text
    assert says in terminal.render(known, answer, "en", False)


@pytest.mark.parametrize(("device", "stem"), ADDED)
def test_a_device_that_only_an_add_on_brings(device: str, stem: str, table: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises((RuntimeError, ModuleNotFoundError)) as raised:
        torch.ones(2).to(device)
    answer = lookup.lookup(table, f"{raised.typename}: {raised.value}")
    assert answer["hits"][0]["symptom"] == stem


def test_both_twins_read_other_devices_alike(table: dict[str, Any]) -> None:
    with lookup_twin(table) as twin:
        for text, _, _ in PRINTS:
            assert twin.ask(text) == python_lookup(table, text)


def twins_of(clinic: Catalogue, text: str) -> dict[str, str]:
    """Family -> what it prints where a build for CUDA prints this text; those that print it
    otherwise."""
    said = {}
    for family in clinic.devices.for_lookup():
        own = text
        for its, cuda in reversed(family["prints"]):
            own = own.replace(cuda, its)
        if own != text:
            said[family["id"]] = own
    return said


def test_a_message_of_cuda_is_found_in_the_words_of_every_family(
    clinic: Catalogue, table: dict[str, Any]
) -> None:
    """As its own page, or as one that knows the family's own words."""
    wrong = []
    for stem, symptom in clinic.symptoms.items():
        for wording in symptom.snippet.wordings:
            for family, own in twins_of(clinic, wording.sample or wording.text).items():
                near = "\n".join(table["traces"].get(name, [name])[0] for name in wording.near[:1])
                hits = lookup.lookup(table, f"{own}\n{near}")["hits"]
                found = hits[0]["symptom"] if hits else ""
                if found != stem and not _words_of(clinic, found, family):
                    wrong.append(f"{family}: {own!r} is looked up as {found or 'none'}, not {stem}")
    assert not wrong, "\n".join(wrong)


def _words_of(clinic: Catalogue, stem: str, family: str) -> bool:
    """Does a page know the words of a family itself?"""
    if stem not in clinic.symptoms:
        return False
    word = clinic.devices.families[family]["word"]
    texts = [wording.text for wording in clinic.symptoms[stem].snippet.wordings]
    return any(word in text for text in texts)


def test_messages_that_only_cuda_prints_are_listed(clinic: Catalogue) -> None:
    """A new one is either printed by other devices as well, and belongs to `twins` or `prints` of
    facts/devices.yml, or is a line of the list."""
    alone = sorted(
        {
            wording.text
            for symptom in clinic.symptoms.values()
            for wording in symptom.snippet.wordings
            if any(mark in wording.text for mark in MARKS) and not twins_of(clinic, wording.text)
        }
    )
    assert alone == ALONE.read_text(encoding="utf-8").splitlines()


def test_a_family_that_lacks_a_field_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "devices.yml"
    text = (ROOT / "facts" / "devices.yml").read_text(encoding="utf-8")
    file.write_text(text.replace("    noun: NPU\n", "").replace("zh: DirectML", "xx: DirectML"))
    problems = Problems(tmp_path)
    kept = devices.read(file, problems)
    assert not {"npu", "dml"} & kept.families.keys()
    told = " ".join(problem.message for problem in problems)
    assert "`npu` has no `noun`" in told and f"no `name` in `{LANGUAGES[1]}`" in told
