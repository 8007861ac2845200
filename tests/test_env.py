"""`torchclinic env`: what is found, and what is said to fit. Stub programs and stub packages stand
for drivers, GPUs and builds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torchclinic import ROOT
from torchclinic.commands import env_fit, env_judge, env_probe, knowledge

if sys.platform == "win32":
    pytest.skip("its stub programs are shell scripts", allow_module_level=True)

SMI = """#!/bin/sh
case "$1" in
  --query-gpu=name,compute_cap) echo "{gpu}, {sm}";;
  *) echo "| NVIDIA-SMI {driver}   Driver Version: {driver}   CUDA Version: {cuda} |";;
esac
"""
TORCH = """
import os, sys, types, warnings
__version__ = {version!r}
version = types.SimpleNamespace(cuda={cuda!r}, hip=None)
_C = types.SimpleNamespace(_cuda_getArchFlags=lambda: {archs!r})
class cuda:
    is_available = staticmethod(lambda: False)
{more}
"""
Lines = dict[str, list[dict[str, Any]]]


class Place:
    """An environment without pip, in whose site-packages packages stand that only say what they
    are."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "env", symlinks=True)
        self.python = folder / "env/bin/python"
        self.packages = next((folder / "env/lib").glob("python*/site-packages"))
        self.programs, self.work = folder / "programs", folder / "work"
        self.programs.mkdir()
        self.work.mkdir()
        self.variables: dict[str, str] = {}

    def metadata(self, name: str, version: str, *needs: str, url: str = "") -> None:
        folder = self.packages / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            "\n".join(
                [
                    f"Name: {name}",
                    f"Version: {version}",
                    *(f"Requires-Dist: {need}" for need in needs),
                    "",
                ]
            )
        )
        if url:
            (folder / "direct_url.json").write_text(json.dumps({"url": url}))

    def torch(
        self,
        version: str = "2.13.0+cu126",
        cuda: str | None = "12.6",
        archs: str = "sm_80 sm_90",
        more: str = "",
    ) -> None:
        self.metadata("torch", version)
        (self.packages / "torch").mkdir()
        (self.packages / "torch/__init__.py").write_text(
            TORCH.format(version=version, cuda=cuda, archs=archs, more=more)
        )
        (self.packages / "torch/version.py").write_text(
            f"__version__ = {version!r}\n"
            f"cuda: Optional[str] = {cuda!r}\n"
            "hip: Optional[str] = None\n"
        )

    def program(self, name: str, text: str) -> None:
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def gpu(
        self, name: str = "NVIDIA A100", sm: str = "8.0", driver: str = "560.35", cuda: str = "12.6"
    ) -> None:
        self.program("nvidia-smi", SMI.format(gpu=name, sm=sm, driver=driver, cuda=cuda))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        environment = {
            **kept,
            "PATH": str(self.programs),
            "PYTHONPATH": str(ROOT),
            "TORCHCLINIC_LANG": "en",
            **self.variables,
        }
        # PYTHONPATH is for our own process; the Python that is judged would see it, too, and finds
        # no torch there.
        command = [
            sys.executable,
            "-m",
            "torchclinic",
            "env",
            "--python",
            str(self.python),
            *arguments,
        ]
        return subprocess.run(
            command,
            cwd=self.work,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def lines(self, *arguments: str) -> Lines:
        done = self.run("--json", *arguments)
        made: Lines = {}
        for line in json.loads(done.stdout)["lines"]:
            made.setdefault(line["what"], []).append(line)
        misfits = [line for lines in made.values() for line in lines if line["fits"] is False]
        assert done.returncode == bool(misfits), done.stderr
        return made


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def misfit(lines: Lines, what: str) -> tuple[str, str]:
    """Why the one line of this kind that does not fit does not, and the stem of the page that it
    names."""
    (line,) = [line for line in lines[what] if line["fits"] is False]
    return line["why"], line["see"].rpartition("/")[2]


def test_all_that_fits_says_so(place: Place) -> None:
    place.torch()
    place.gpu()
    place.metadata(
        "torchvision", "0.28.0+cu126", "numpy", "torch==2.13.0", "gdown>=4.7.3; extra == 'gdown'"
    )
    place.metadata("numpy", "2.4.6")
    done = place.run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "torch: 2.13.0+cu126, CUDA 12.6" in done.stdout
        and "NVIDIA driver: 560.35, CUDA 12.6 · fits" in done.stdout
    )
    assert (
        "GPU: NVIDIA A100, sm_80 · fits" in done.stdout
        and "package: torchvision 0.28.0+cu126 · fits" in done.stdout
    )
    assert "does not fit" not in done.stdout
    assert "没有问题" in place.run("--lang", "zh").stdout


def test_no_torch(place: Place) -> None:
    why, page = misfit(place.lines(), "torch")
    assert str(place.python) in why and page in ("", "no-module-named-torch")


@pytest.mark.parametrize(
    ("gpu", "torch", "what", "page"),
    [
        ({"cuda": "11.4"}, {}, "driver", "driver-too-old"),
        ({"sm": "12.0"}, {}, "gpu", "no-kernel-image"),
        ({"sm": "6.1"}, {}, "gpu", "no-kernel-image"),
        (
            {},
            {"version": "2.13.0+cpu", "cuda": None, "archs": ""},
            "torch",
            "not-compiled-with-cuda",
        ),
    ],
)
def test_driver_gpu_and_build(
    place: Place, gpu: dict[str, str], torch: dict[str, Any], what: str, page: str
) -> None:
    place.gpu(**gpu)
    place.torch(**torch)
    assert misfit(place.lines(), what)[1] == page


def test_a_cuda_build_without_a_driver(place: Place) -> None:
    place.torch()
    assert misfit(place.lines(), "driver")[1] == "no-nvidia-driver"


def test_a_driver_that_fails_is_named_by_its_own_words(place: Place) -> None:
    place.program(
        "nvidia-smi",
        "#!/bin/sh\necho 'Failed to initialize NVML: Driver/library version mismatch'\nexit 18\n",
    )
    place.torch()
    assert "Driver/library version mismatch" in misfit(place.lines(), "driver")[0]


@pytest.mark.parametrize(
    ("more", "why", "page"),
    [
        (
            "raise ImportError('libcublas.so.11: cannot open shared object file: No such "
            "file or directory')",
            "libcublas.so.11",
            "missing-shared-lib",
        ),
        (
            "warnings.warn('CUDA initialization: The NVIDIA driver on your system is too old "
            "(found version 11040).')",
            "11040",
            "driver-too-old",
        ),
        ("os.kill(os.getpid(), 11)", "signal 11", ""),
        ("print('\\x1b[31mred'); os._exit(3)", "exit status 3", ""),
    ],
)
def test_what_importing_torch_says_is_looked_up(
    place: Place, more: str, why: str, page: str
) -> None:
    place.torch(more=more)
    place.gpu()
    found = misfit(place.lines(), "torch")
    assert why in found[0] and found[1] == page


def test_an_import_that_hangs_is_given_up(place: Place) -> None:
    place.torch(more="import time; time.sleep(10_000)")
    assert "more than 1 seconds" in misfit(place.lines("--timeout", "1"), "torch")[0]


def test_torch_is_not_imported_in_this_process() -> None:
    program = "import sys; from torchclinic.commands import env; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_pip_of_another_python(place: Place) -> None:
    place.torch("2.13.0+cpu", None)
    place.program(
        "pip",
        "#!/bin/sh\necho 'pip 24.0 from /opt/other/lib/python3.9/site-packages/pip (python 3.9)'\n",
    )
    why, _ = misfit(place.lines(), "pip")
    assert "/opt/other/lib/python3.9/site-packages" in why and f"{place.python} -m pip" in why
    place.program("pip", f"#!/bin/sh\necho 'pip 24.0 from {place.packages}/pip (python 3.11)'\n")
    assert place.lines()["pip"][0]["fits"] is True


def test_another_environment_is_active(place: Place) -> None:
    place.torch("2.13.0+cpu", None)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        place.variables = {name: "/opt/elsewhere"}
        assert "/opt/elsewhere" in misfit(place.lines(), "python")[0]
    place.variables = {"CONDA_PREFIX": str(place.python.parent.parent), "CONDA_DEFAULT_ENV": "base"}
    lines = place.lines()
    assert lines["python"][0]["fits"] and "conda base" in lines["environment"][0]["found"]


def test_files_that_hide_torch(place: Place) -> None:
    place.torch("2.13.0+cpu", None)
    (place.work / "torch.py").write_text("")
    (place.work / "numpy").mkdir()  # without __init__.py an installed package is found before it
    assert "`import torch`" in misfit(place.lines(), "hidden")[0]
    (place.work / "torch.py").unlink()
    assert "hidden" not in place.lines()
    (place.work / "source/torch").mkdir(parents=True)
    (place.work / "source/torch/__init__.py").write_text("from torch._C import *\n")
    place.variables = {"PYTHONPATH": f"{ROOT}{os.pathsep}{place.work / 'source'}"}
    lines = place.lines()
    assert (
        lines["hidden"][0]["found"].endswith("source/torch")
        and "import torch" in misfit(lines, "torch")[0]
    )


def test_files_with_names_of_modules_hide_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.torch()
    for name in ("random", "json", "email", "struct"):
        (place.work / f"{name}.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(place.work)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = env_probe.ask_python(str(place.python), ["torch"])
    assert found.release("torch") == "2.13.0+cu126"
    assert env_probe.ask_torch(str(place.python), 60)[0]


@pytest.mark.parametrize(
    ("name", "version", "needs", "url", "fits"),
    [
        ("torchvision", "0.28.0+cu126", ["torch==2.13.0"], "", True),
        ("torchvision", "0.25.0", ["torch (==2.10.0)"], "", False),
        ("torchvision", "0.28.0+cpu", ["torch==2.13.0"], "", False),
        ("torchaudio", "2.11.0", [], "", None),
        ("xformers", "0.0.35", ["numpy", "torch>=2.10"], "", True),
        ("bitsandbytes", "0.49", ["torch<3,>=2.3"], "", True),
        (
            "flash-attn",
            "2.8.3",
            ["torch", "einops"],
            "https://x/flash_attn-2.8.3+cu12torch2.5cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
            False,
        ),
        ("flash-attn", "2.8.3", ["torch", "einops"], "", None),
    ],
)
def test_companions_are_judged_by_what_they_say_of_themselves(
    place: Place, name: str, version: str, needs: list[str], url: str, fits: bool | None
) -> None:
    place.torch()
    place.gpu()
    place.metadata(name, version, *needs, url=url)
    (line,) = place.lines()["package"]
    assert line["fits"] is fits and line["found"] == f"{name} {version}"


def test_numpy_2_beside_an_old_torch(place: Place) -> None:
    place.torch("2.2.2", "12.1")
    place.gpu()
    place.metadata("numpy", "2.0.1")
    assert misfit(place.lines(), "package")[1] == "numpy-abi"


def test_libraries_on_the_path(place: Place) -> None:
    place.torch("2.13.0+cu128", "12.8")
    place.gpu(cuda="12.8")
    for folder, file in (
        ("stubs", "libcuda.so.1"),
        ("compat", "libcuda.so.1"),
        ("old", "libcudart.so.12.1.105"),
        ("other", "libcudart.so.11.8.89"),
        ("conda", "libstdc++.so.6"),
    ):
        (place.work / folder).mkdir()
        (place.work / folder / file).write_bytes(b"")
    (place.work / "old/libcudart.so.12").symlink_to("libcudart.so.12.1.105")
    place.variables = {
        "LD_LIBRARY_PATH": ":".join(
            str(place.work / name)
            for name in ("stubs", "compat", "old", "other", "conda", "missing")
        )
    }
    found = {
        Path(line["found"]).parent.name: (line["fits"], line["see"].rpartition("/")[2])
        for line in place.lines()["library"]
    }
    assert found == {
        "stubs": (False, "no-nvidia-driver"),
        "compat": (False, "error-804"),
        "old": (False, "undefined-symbol"),
        "other": (True, ""),
        "conda": (True, ""),
    }


@pytest.mark.parametrize(
    ("version", "wanted", "met"),
    [
        ("2.13.0+cu126", "==2.13.0", True),
        ("2.13.0", "==2.13.0+cu126", False),
        ("2.13", "==2.13.0", True),
        ("2.13.1", "==2.13.*", True),
        ("2.14.0", "~=2.13.0", False),
        ("2.13.5", "~=2.13.0", True),
        ("2.9.0", ">=2.10,<3", False),
        ("2.10.0", ">=2.10,<3", True),
        ("2.10.0", "!=2.10.0", False),
        ("2.10.0", "something new", True),
        ("2.6.0a0+ecf3bae40a.nv25.01", ">=2.6", True),
        ("2.6.0a0+ecf3bae40a.nv25.01", "==2.5.1", False),
        ("a build of mine", "==2.5.1", True),
    ],
)
def test_specifiers(version: str, wanted: str, met: bool) -> None:
    assert env_fit.meets(version, wanted) is met


@pytest.mark.parametrize(
    ("archs", "capability", "runs"),
    [
        ("sm_80 sm_90", "8.6", True),
        ("sm_86", "8.0", False),
        ("sm_90a", "9.0", True),
        ("sm_100a", "10.3", False),
        ("sm_100f", "10.3", True),
        ("sm_80 compute_80", "12.0", True),
        ("sm_80 sm_90", "12.0", False),
    ],
)
def test_architectures(archs: str, capability: str, runs: bool) -> None:
    assert env_fit.runs_on(archs.split(), capability) is runs


def test_what_is_no_python_is_said(place: Place) -> None:
    for arguments in (["--python", "no-such-python"], ["--python", "/bin/true"]):
        done = place.run(*arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr and "ython" in done.stderr


def test_a_name_cannot_steer_the_terminal(place: Place) -> None:
    place.torch()
    place.gpu(name="NVIDIA \\033[31mred")
    assert "\x1b" not in place.run().stdout


def test_pages_that_it_names_are_known() -> None:
    known: Callable[[str], bool] = knowledge.load().symptoms.__contains__
    assert [
        stem
        for stem in {*env_judge.PAGES.values(), *env_judge.COMPANIONS.values()}
        if not known(stem)
    ] == []


def test_a_device_that_this_torch_has_nothing_for(place: Place) -> None:
    place.torch(version="2.13.0+cpu", cuda=None, archs="")
    place.program("npu-smi", "#!/bin/sh\n")
    place.variables["ASCEND_RT_VISIBLE_DEVICES"] = "7"
    (line,) = place.lines()["device"]
    assert "Ascend" in line["found"] and line["see"] == "install-env/accelerator-not-found"
    assert "ASCEND_RT_VISIBLE_DEVICES=7" in line["found"]


def test_an_add_on_of_another_release_of_torch(place: Place) -> None:
    place.torch(version="2.13.0+cpu", cuda=None, archs="")
    place.program("npu-smi", "#!/bin/sh\n")
    place.metadata("torch_npu", "2.5.1", "torch==2.5.1")
    lines = place.lines()
    assert lines["device"][0]["fits"]
    (package,) = [line for line in lines["package"] if "torch-npu" in line["found"]]
    assert package["see"] == "install-env/torch-npu-import" and "2.5.1" in package["why"]
