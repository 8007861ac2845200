"""Looks at one Python and what is around it, and says what does not fit, line by line."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..content import words
from ..find import lookup
from .env_fit import built_for, is_older, major, meets, numbers, other_build, runs_on, wanted_torch
from .env_probe import (
    Build,
    Driver,
    Torch,
    ask_driver,
    ask_python,
    ask_torch,
    call,
    ending,
    last_line,
)
from .knowledge import Knowledge

#: What a misfit is -> the stem of its page.
PAGES = {
    "other-python": "no-module-named-torch",
    "other-pip": "no-module-named-torch",
    "no-torch": "no-module-named-torch",
    "hidden": "no-module-named-torch",
    "bits": "torch-does-not-install",
    "twice": "undefined-symbol",
    "cpu-build": "not-compiled-with-cuda",
    "no-driver": "no-nvidia-driver",
    "driver": "driver-too-old",
    "gpu": "no-kernel-image",
    "stub": "no-nvidia-driver",
    "compat": "error-804",
    "older": "undefined-symbol",
    "numpy": "numpy-abi",
    "device": "accelerator-not-found",
}
#: Companions of torch that are looked for -> the page for one that does not fit.
COMPANIONS = {
    "torchvision": "torchvision-nms",
    "torchaudio": "undefined-symbol",
    "xformers": "undefined-symbol",
    "flash-attn": "undefined-symbol",
    "bitsandbytes": "undefined-symbol",
}
#: Modules that a file or folder of the same name takes the place of.
HIDEABLE = ("torch", "torchvision", "torchaudio", "numpy")
LIBRARIES = ("libcuda.so", "libcudart.so", "libcudnn", "libstdc++.so")


@dataclass
class Line:
    """One thing that was looked at.

    Attributes:
        what: key of its name among the words.
        found: what is there, for people.
        fits: None where nothing is to be judged.
        why: what does not fit, in the language of the answer.
        see: id of the page about it; "" for none.
    """

    what: str
    found: str
    fits: bool | None = None
    why: str = ""
    see: str = ""


class Judge:
    """What is there, asked for once, and what is said of it."""

    def __init__(self, known: Knowledge, python: str, timeout: float, language: str) -> None:
        """
        Args:
            python: path of an interpreter.
            timeout: seconds that `import torch` may take.

        Raises:
            BadInput: the program is no Python that answers.
        """
        self.known, self.program, self.timeout = known, python, timeout
        self.language, self.text = language, words.of(language, "env")
        brought = [name for one in known.index["devices"] for name in one["packages"]]
        self.companions = {**COMPANIONS, **dict.fromkeys(brought, "torch-npu-import")}
        names = ["torch", "numpy", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13", *self.companions]
        self.python = ask_python(python, names)
        self.driver: Driver | None = ask_driver()
        self.torch: Torch | None = None
        self.build: Build = self.python.builds.get("torch", {})

    def lines(self) -> list[Line]:
        return [
            self._python(),
            *self._environment(),
            self._pip(),
            *self._torch(),
            *self._hidden(),
            self._driver(),
            *self._gpus(),
            *self._other_devices(),
            *self._companions(),
            *self._numpy(),
            *self._libraries(),
        ]

    def _line(self, what: str, found: str, misfit: str = "", **values: str) -> Line:
        """A line that fits, or for a key of PAGES one that does not."""
        if not misfit:
            return Line(what, found, True)
        why = self.text["why"][misfit].format(**values)
        return Line(what, found, False, why, self._page(PAGES[misfit]))

    def _page(self, stem: str) -> str:
        return self.known.symptoms[stem]["id"] if stem in self.known.symptoms else ""

    def _looked_up(self, text: str) -> tuple[str, str]:
        """The id of the page that the lookup knows for a text, and the line that it knows; "", ""
        for none."""
        hits = lookup.lookup(self.known.index, text)["hits"]
        if not hits:
            return "", ""
        return f"{hits[0]['topic']}/{hits[0]['symptom']}", hits[0]["raw"].strip()[:300]

    def _python(self) -> Line:
        shown = f"{self.python.version} {self.python.executable}"
        if self.python.bits != 64:
            return self._line("python", shown, "bits")
        active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
        if active and not inside(self.python.prefix, active):
            return self._line("python", shown, "other-python", other=active)
        return self._line("python", shown)

    def _environment(self) -> list[Line]:
        conda, name = os.environ.get("CONDA_PREFIX"), os.environ.get("CONDA_DEFAULT_ENV", "")
        if conda and inside(self.python.prefix, conda):
            return [Line("environment", f"conda {name or Path(conda).name} ({conda})")]
        if self.python.prefix != self.python.base:
            return [Line("environment", f"venv {self.python.prefix}")]
        return []

    def _pip(self) -> Line:
        """Does the `pip` that a shell would run install for this Python?"""
        program = shutil.which("pip") or shutil.which("pip3")
        if not program:
            return Line("pip", self.text["none"])
        _, out, err = call([program, "--version"])
        said = re.match(r"pip (\S+) from (.+?)[/\\]pip(?: \(python ([\d.]+)\))?$", out.strip())
        if not said:
            return Line("pip", f"{program} ({last_line(err or out)})")
        shown, folder = f"{said[1]} {program}", said[2]
        if any(same(folder, path) for path in self.python.path):
            return self._line("pip", shown)
        return self._line("pip", shown, "other-pip", other=folder, python=self.python.executable)

    def _torch(self) -> list[Line]:
        packages = self.python.packages.get("torch", [])
        if not packages:
            executable = self.python.executable
            return [self._line("torch", self.text["none"], "no-torch", python=executable)]
        lines = []
        if len(packages) > 1:
            first, second = packages[:2]
            lines.append(
                self._line("torch", second.version, "twice", one=first.folder, other=second.folder)
            )
        self.torch, status, err = ask_torch(self.program, self.timeout)
        page, complaint = self._looked_up(err)
        if self.torch is None:
            why = (
                self.text["too-slow"].format(seconds=f"{self.timeout:g}")
                if status is None
                else last_line(err) or ending(status)
            )
            fails = self.text["import-fails"].format(why=why)
            return [*lines, Line("torch", packages[0].version, False, fails, page)]
        cuda, hip, xpu = self.torch["cuda"], self.torch["hip"], self.torch["xpu"]
        self.build = {"cuda": cuda, "hip": hip, "xpu": xpu}
        other = f"ROCm {hip}" if hip else f"XPU {xpu}" if xpu else "CPU"
        kind = f"CUDA {cuda}" if cuda else other
        shown = f"{self.torch['version']}, {kind}, {Path(self.torch['file']).parent}"
        gpus = self.driver.gpus if self.driver else []
        if gpus and kind == "CPU":
            lines.append(self._line("torch", shown, "cpu-build", gpu=gpus[0][0]))
        elif page:  # a warning of CUDA's start, or of NumPy
            lines.append(Line("torch", shown, False, complaint, page))
        else:
            lines.append(self._line("torch", shown))
        if self.torch["archs"]:
            lines.append(Line("archs", " ".join(self.torch["archs"])))
        return lines

    def _hidden(self) -> list[Line]:
        """Files and folders that Python finds before an installed package."""
        installed = [path for path in self.python.path if path.endswith("-packages")]
        on_path = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        folders = dict.fromkeys(folder.resolve() for folder in [Path.cwd(), *map(Path, on_path)])
        return [
            self._line("hidden", str(path), "hidden", name=name)
            for folder in folders
            if not any(same(str(folder), path) for path in installed)
            for name in HIDEABLE
            for path, marker in ((folder / f"{name}.py", ""), (folder / name, "__init__.py"))
            if (path / marker).is_file()
        ]

    def _driver(self) -> Line:
        cuda, driver = self.build.get("cuda"), self.driver
        if driver is None:
            if cuda:
                return self._line("driver", self.text["none"], "no-driver", cuda=cuda)
            return Line("driver", self.text["none"])
        if driver.fails:
            why, (page, _) = f"nvidia-smi: {driver.fails}", self._looked_up(driver.fails)
            return Line("driver", self.text["none"], False, why, page)
        shown = driver.version + (f", CUDA {driver.cuda}" if driver.cuda else "")
        if cuda and driver.cuda and major(driver.cuda) < major(cuda):
            return self._line("driver", shown, "driver", cuda=cuda, served=driver.cuda)
        return self._line("driver", shown)

    def _gpus(self) -> list[Line]:
        archs = self.torch["archs"] if self.torch else []
        lines = []
        for name, capability in self.driver.gpus if self.driver else []:
            sm = capability.replace(".", "")
            shown = f"{name}, sm_{sm}" if sm else name
            if not sm or not any(arch.startswith("sm_") for arch in archs):
                lines.append(Line("gpu", shown))
            elif runs_on(archs, capability):
                lines.append(self._line("gpu", shown))
            else:
                lines.append(self._line("gpu", shown, "gpu", sm=sm))
        return lines

    def _other_devices(self) -> list[Line]:
        """Drivers of other devices than NVIDIA's, and whether this torch has anything for them."""
        lines = []
        for one in self.known.index["devices"]:
            tool = next(filter(None, map(shutil.which, one["tools"])), None)
            if not tool:
                continue
            shown = f"{one['name'][self.language]}, {tool}"
            visible = dict(one["instead"]).get("CUDA_VISIBLE_DEVICES", "")
            if visible in os.environ:  # it may hide them
                shown += f", {visible}={os.environ[visible]}"
            brought = any(self.python.release(name) for name in one["packages"])
            builds = self.build.get("cuda"), self.build.get("hip"), self.build.get("xpu")
            misfit = "" if not self.torch or brought or any(builds) else "device"
            lines.append(self._line("device", shown, misfit))
        return lines

    def _companions(self) -> list[Line]:
        """Packages that are built for one torch, judged by what they say of themselves."""
        torch, lines = self.python.release("torch"), []
        for name, page in self.companions.items():
            if not self.python.release(name):
                continue
            package = self.python.packages[name][0]
            wanted, built = wanted_torch(package.requires), built_for(package)
            why = self._why_not(name, wanted, built) if torch else ""
            fits = False if why else True if torch and (wanted or built) else None
            shown = f"{name} {package.version}"
            lines.append(Line("package", shown, fits, why, self._page(page) if why else ""))
        return lines

    def _why_not(self, name: str, wanted: list[str], built: str) -> str:
        """Why a companion does not fit the torch that is here; "" where it does."""
        torch, why = self.python.release("torch"), self.text["why"]
        if unmet := next((want for want in wanted if not meets(torch, want)), ""):
            return str(why["wants"].format(torch=torch, wanted=unmet))
        if built and not torch.startswith(f"{built}."):
            return str(why["built-for"].format(torch=torch, built=built))
        if name in ("torchvision", "torchaudio"):
            builds = self.build, self.python.builds.get(name, {})
            if kinds := other_build(torch, self.python.release(name), builds):
                return str(why["other-build"].format(torch=kinds[0], other=kinds[1]))
        return ""

    def _numpy(self) -> list[Line]:
        version, torch = self.python.release("numpy"), self.python.release("torch")
        if not version:
            return []
        misfit = "numpy" if torch and major(version) >= 2 and numbers(torch)[:2] < [2, 3] else ""
        return [self._line("package", f"numpy {version}", misfit, torch=torch)]

    def _libraries(self) -> list[Line]:
        """Copies that LD_LIBRARY_PATH puts before those which torch brings."""
        brought = {
            "libcudart.so": self.build.get("cuda") or "",
            "libcudnn": self.python.release("nvidia-cudnn-cu12")
            or self.python.release("nvidia-cudnn-cu13"),
        }
        lines = []
        for folder in dict.fromkeys(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))):
            try:
                files = sorted(os.listdir(folder))
            except OSError:
                continue
            for library in LIBRARIES:
                copies = (file for file in files if file.startswith(library) and ".so" in file)
                if file := next(copies, None):
                    lines.append(self._library(folder, file, library, brought.get(library, "")))
        return lines

    def _library(self, folder: str, file: str, library: str, brought: str) -> Line:
        path, parts = str(Path(folder, file)), Path(folder).resolve().parts
        if library == "libcuda.so" and "stubs" in parts:
            return self._line("library", path, "stub")
        if library == "libcuda.so" and "compat" in parts:
            return self._line("library", path, "compat")
        release = os.path.realpath(path).partition(".so.")[2]
        if is_older(release, brought):
            return self._line("library", path, "older", release=release, own=brought)
        return self._line("library", path)


def same(path: str, other: str) -> bool:
    return real(path) == real(other)


def inside(path: str, folder: str) -> bool:
    return real(path) == real(folder) or real(path).startswith(real(folder) + os.sep)


def real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
