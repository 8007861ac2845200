"""`torchclinic env`: where a reader stands: Python, pip, torch and its build, driver, GPUs, libraries, and which of them fit one another.

Nothing here imports torch: a process of its own does, with a time limit. Exit status: 0 all fits, 1 something does not, 2 bad input.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import LANGUAGES
from ..content import words
from ..content.problem import BadInput
from ..find import lookup
from . import knowledge, terminal
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

#: What the Python in question is asked. It imports nothing but the standard library, and runs on 3.8 as well.
PROBE = """
import importlib.metadata as metadata, json, os, struct, sys
here = os.getcwd()
sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != os.path.realpath(here)]
found = {}
for made in metadata.distributions():
    name = (made.metadata["Name"] or "").lower().replace("_", "-")
    if name in NAMES:
        url = made.read_text("direct_url.json") or ""
        entry = [str(made.locate_file("")), made.version, list(made.requires or []), url]
        if entry[0] not in [other[0] for other in found.setdefault(name, [])]:
            found[name].append(entry)
versions = {}
for name in ("torch", "torchvision"):
    for path in sys.path:
        try:
            with open(os.path.join(path, name, "version.py"), encoding="utf-8") as file:
                versions.setdefault(name, file.read(20000))
        except (OSError, ValueError):
            pass
print(json.dumps({
    "version": ".".join(map(str, sys.version_info[:3])), "executable": sys.executable, "prefix": sys.prefix, "base": sys.base_prefix,
    "bits": struct.calcsize("P") * 8, "path": sys.path, "found": found, "versions": versions,
}))
"""
#: What only torch knows. It is asked in a process of its own, away from the working directory.
ASK_TORCH = """
import json, sys, torch
made = {"version": torch.__version__, "file": torch.__file__, "cuda": torch.version.cuda, "hip": torch.version.hip}
made["archs"] = torch._C._cuda_getArchFlags().split() if hasattr(torch._C, "_cuda_getArchFlags") and (made["cuda"] or made["hip"]) else []
made["available"] = torch.cuda.is_available()
count = torch.cuda.device_count() if made["available"] else 0
made["gpus"] = [[torch.cuda.get_device_name(n), list(torch.cuda.get_device_capability(n))] for n in range(count)]
print("TORCH " + json.dumps(made))
"""


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


def add(commands: Any) -> None:
    command = commands.add_parser("env", help="which Python, torch, driver and libraries are here, and what does not fit")
    command.add_argument("--python", default=sys.executable, metavar="PROGRAM", help="the Python that runs your program; this one if left out")
    command.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="how long `import torch` may take (default 120)")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--lang", choices=LANGUAGES, default=None, help="language of the answer; from the locale if left out")
    command.set_defaults(run=run_env)


def run_env(options: argparse.Namespace) -> int:
    language = options.lang or terminal.language_of_locale()
    python = shutil.which(options.python)
    if not python:
        raise BadInput(f"there is no program `{options.python}`; give --python the path of a Python")
    lines = Judge(knowledge.load(), python, options.timeout, language).lines()
    if options.json:
        print(terminal.dumps({"lines": [asdict(line) for line in lines]}))
    else:
        text = words.of(language, "env")
        for line in lines:
            says = [f"{text['names'][line.what]}{text['colon-of']}{terminal.printable(line.found)}"]
            if line.fits is not None:
                says.append(text["fits"] if line.fits else text["misfit"].format(why=terminal.printable(line.why)))
            if line.see:
                says.append(text["see"].format(command=f"{knowledge.program()} show {line.see}"))
            print(text["join"].join(says))
    return 1 if any(line.fits is False for line in lines) else 0


class Judge:
    """Looks at one Python and what is around it."""

    def __init__(self, known: Knowledge, python: str, timeout: float, language: str) -> None:
        """
        Args:
            python: path of an interpreter.
            timeout: seconds that `import torch` may take.

        Raises:
            BadInput: the program is no Python that answers.
        """
        self.known, self.python, self.timeout, self.language = known, python, timeout, language
        self.text = words.of(language, "env")
        names = ["torch", "numpy", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13", *COMPANIONS]
        status, out, err = call([python, "-c", f"NAMES = {names!r}\n{PROBE}"])
        try:
            self.facts = json.loads(out.splitlines()[-1])
        except (ValueError, IndexError):
            raise BadInput(f"`{python}` does not answer as a Python of 3.8 or newer does ({last(err) or f'exit status {status}'})") from None
        self.build = {name: assignments(source) for name, source in self.facts["versions"].items()}
        self.archs: list[str] = []

    def lines(self) -> list[Line]:
        self.driver, self.gpus = ask_driver()
        made = [self._python(), *self._environment(), self._pip(), *self._torch(), *self._hidden(), self._driver(), *self._gpus()]
        return [*made, *self._companions(), *self._libraries()]

    def _line(self, what: str, found: str, misfit: str = "", **values: str) -> Line:
        """A line that fits, or for a key of PAGES one that does not."""
        if not misfit:
            return Line(what, found, True)
        return Line(what, found, False, self.text["why"][misfit].format(**values), self._page(PAGES[misfit]))

    def _page(self, stem: str) -> str:
        return self.known.symptoms[stem]["id"] if stem in self.known.symptoms else ""

    def version(self, name: str) -> str:
        """Of a distribution, from its metadata; "" if it is not there."""
        entries = self.facts["found"].get(name)
        return entries[0][1] if entries else ""

    def _python(self) -> Line:
        facts = self.facts
        found = f"{facts['version']} {facts['executable']}"
        if facts["bits"] != 64:
            return self._line("python", found, "bits")
        active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
        if active and not inside(facts["prefix"], active):
            return self._line("python", found, "other-python", other=active)
        return self._line("python", found)

    def _environment(self) -> list[Line]:
        conda, name = os.environ.get("CONDA_PREFIX"), os.environ.get("CONDA_DEFAULT_ENV", "")
        if conda and inside(self.facts["prefix"], conda):
            return [Line("environment", f"conda {name or Path(conda).name} ({conda})")]
        if self.facts["prefix"] != self.facts["base"]:
            return [Line("environment", f"venv {self.facts['prefix']}")]
        return []

    def _pip(self) -> Line:
        """Does the `pip` that a shell would run install for this Python?"""
        program = shutil.which("pip") or shutil.which("pip3")
        if not program:
            return Line("pip", self.text["none"])
        _, out, err = call([program, "--version"])
        found = re.match(r"pip (\S+) from (.+?)[/\\]pip(?: \(python ([\d.]+)\))?$", out.strip())
        if not found:
            return Line("pip", f"{program} ({last(err or out)})")
        shown = f"{found[1]} {program}"
        if any(same(found[2], path) for path in self.facts["path"]):
            return self._line("pip", shown)
        return self._line("pip", shown, "other-pip", other=found[2], python=self.facts["executable"])

    def _torch(self) -> list[Line]:
        entries = self.facts["found"].get("torch", [])
        if not entries:
            return [self._line("torch", self.text["none"], "no-torch", python=self.facts["executable"])]
        made = []
        if len(entries) > 1:
            made.append(self._line("torch", entries[1][1], "twice", one=entries[0][0], other=entries[1][0]))
        status, out, err = call([self.python, "-c", f"import os, sys\nsys.path[:] = [path for path in sys.path if path]\n{ASK_TORCH}"], self.timeout)
        answers = [line for line in out.splitlines() if line.startswith("TORCH {")]
        if status or not answers:
            why = self.text["too-slow"].format(seconds=f"{self.timeout:g}") if status is None else last(err) or ended(status)
            return [*made, Line("torch", entries[0][1], False, self.text["import-fails"].format(why=why), self._looked_up(err)[0])]
        facts = json.loads(answers[-1][6:])
        self.archs = facts["archs"]
        self.build["torch"] = {"cuda": facts["cuda"], "hip": facts["hip"]}
        built = f"CUDA {facts['cuda']}" if facts["cuda"] else f"ROCm {facts['hip']}" if facts["hip"] else "CPU"
        shown = f"{facts['version']}, {built}, {Path(facts['file']).parent}"
        page, complaint = self._looked_up(err)
        if self.gpus and not facts["cuda"] and not facts["hip"]:
            made.append(self._line("torch", shown, "cpu-build", gpu=self.gpus[0][0]))
        elif page:  # a warning of CUDA's start, or of NumPy
            made.append(Line("torch", shown, False, complaint, page))
        else:
            made.append(self._line("torch", shown))
        if self.archs:
            made.append(Line("archs", " ".join(self.archs)))
        return made

    def _looked_up(self, text: str) -> tuple[str, str]:
        """The id of the page that the lookup knows for a text, and the line that it knows; "", "" for none."""
        hits = lookup.lookup(self.known.index, text)["hits"]
        return (f"{hits[0]['topic']}/{hits[0]['symptom']}", hits[0]["raw"].strip()[:300]) if hits else ("", "")

    def _hidden(self) -> list[Line]:
        """Files and folders that Python finds before an installed package."""
        made = []
        folders = [Path.cwd(), *map(Path, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
        for folder in dict.fromkeys(folder.resolve() for folder in folders):
            if any(same(str(folder), path) for path in self.facts["path"] if path.endswith("-packages")):
                continue
            for name in HIDEABLE:
                for path, marker in ((folder / f"{name}.py", ""), (folder / name, "__init__.py")):
                    if (path / marker).is_file():
                        made.append(self._line("hidden", str(path), "hidden", name=name))
        return made

    def _driver(self) -> Line:
        cuda = (self.build.get("torch") or {}).get("cuda")
        if "fails" in self.driver:
            return Line("driver", self.text["none"], False, f"nvidia-smi: {self.driver['fails']}", self._looked_up(self.driver["fails"])[0])
        if not self.driver:
            return self._line("driver", self.text["none"], "no-driver", cuda=cuda) if cuda else Line("driver", self.text["none"])
        shown = self.driver["driver"] + (f", CUDA {self.driver['cuda']}" if self.driver["cuda"] else "")
        if cuda and self.driver["cuda"] and major(self.driver["cuda"]) < major(cuda):
            return self._line("driver", shown, "driver", cuda=cuda, served=self.driver["cuda"])
        return self._line("driver", shown)

    def _gpus(self) -> list[Line]:
        made = []
        for name, capability in self.gpus:
            shown = f"{name}, sm_{capability.replace('.', '')}" if capability else name
            if not capability or not any(arch.startswith("sm_") for arch in self.archs):
                made.append(Line("gpu", shown))
            elif runs_on(self.archs, capability):
                made.append(self._line("gpu", shown))
            else:
                made.append(self._line("gpu", shown, "gpu", sm=capability.replace(".", "")))
        return made

    def _companions(self) -> list[Line]:
        torch = self.version("torch")
        made = []
        for name, page in COMPANIONS.items():
            version = self.version(name)
            if not version:
                continue
            _, _, needs, url = self.facts["found"][name][0]
            wanted = [
                match[1].strip(" ()") for match in (re.match(r"torch(?![\w.-])\s*([^;]*)$", need.strip()) for need in needs) if match and match[1].strip(" ()")
            ]
            unmet = next((want for want in wanted if torch and not meets(torch, want)), "")
            built = re.search(r"torch(\d+\.\d+)", url)
            why = ""
            if unmet:
                why = self.text["why"]["wants"].format(torch=torch, wanted=unmet)
            elif torch and built and not torch.startswith(f"{built[1]}."):
                why = self.text["why"]["built-for"].format(torch=torch, built=built[1])
            elif torch and name in ("torchvision", "torchaudio") and (kinds := self._other_build(name, version, torch)):
                why = self.text["why"]["other-build"].format(torch=kinds[0], other=kinds[1])
            judged = torch and (wanted or built)
            made.append(Line("package", f"{name} {version}", False if why else True if judged else None, why, self._page(page) if why else ""))
        version, release = self.version("numpy"), tuple(numbers(torch)[:2])
        if version and torch and major(version) >= 2 and release < (2, 3):
            made.append(self._line("package", f"numpy {version}", "numpy", torch=torch))
        elif version:
            made.append(self._line("package", f"numpy {version}"))
        return made

    def _other_build(self, name: str, version: str, torch: str) -> tuple[str, str] | None:
        """What torch and its companion were built for, where that differs."""
        builds = [self.build.get(one, {}) for one in ("torch", name)]
        if all("cuda" in build for build in builds):
            shown = [f"CUDA {build['cuda']}" if build["cuda"] else "ROCm" if build.get("hip") else "CPU" for build in builds]
            if shown[0] != shown[1] and "ROCm" not in shown:
                return shown[0], shown[1]
        tags = [made.partition("+")[2] for made in (torch, version)]
        return (tags[0], tags[1]) if all(tags) and tags[0] != tags[1] else None

    def _libraries(self) -> list[Line]:
        """Copies that LD_LIBRARY_PATH puts before those which torch brings."""
        made = []
        built = {
            "libcudart.so": (self.build.get("torch") or {}).get("cuda") or "",
            "libcudnn": self.version("nvidia-cudnn-cu12") or self.version("nvidia-cudnn-cu13"),
        }
        for folder in dict.fromkeys(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))):
            try:
                files = sorted(os.listdir(folder))
            except OSError:
                continue
            for prefix in LIBRARIES:
                file = next((file for file in files if file.startswith(prefix) and ".so" in file), None)
                if not file:
                    continue
                path = str(Path(folder, file))
                release = os.path.realpath(path).partition(".so.")[2]
                parts = Path(folder).resolve().parts
                own = built.get(prefix, "")
                if prefix == "libcuda.so" and "stubs" in parts:
                    made.append(self._line("library", path, "stub"))
                elif prefix == "libcuda.so" and "compat" in parts:
                    made.append(self._line("library", path, "compat"))
                elif own and numbers(release)[1:] and numbers(release)[0] == numbers(own)[0] and numbers(release)[:2] < numbers(own)[:2]:
                    made.append(self._line("library", path, "older", release=release, own=own))
                else:
                    made.append(self._line("library", path))
        return made


def call(command: list[str], timeout: float = 30) -> tuple[int | None, str, str]:
    """Exit status, what it printed and what it complained of; None as the status where it took longer than `timeout` seconds."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        return None, decoded(error.stdout), decoded(error.stderr)
    except OSError as error:
        return 126, "", str(error)
    return done.returncode, decoded(done.stdout), decoded(done.stderr)


def decoded(printed: bytes | None) -> str:
    return (printed or b"").decode("utf-8", "replace")


def last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def ended(status: int) -> str:
    return f"exit status {status}" if status >= 0 else f"signal {-status}"


def ask_driver() -> tuple[dict[str, str], list[tuple[str, str]]]:
    """What nvidia-smi says: {"driver", "cuda"}, {"fails": its last line}, or {} where there is none; and each GPU's name and compute capability ("" where an old nvidia-smi does not know it)."""
    program = shutil.which("nvidia-smi")
    if not program:
        return {}, []
    status, head, err = call([program])
    if status != 0:
        return {"fails": last(head + err) or ended(status or 0)}, []
    driver, cuda = re.search(r"Driver Version: *([\d.]+)", head), re.search(r"CUDA [\w ]*Version: *([\d.]+)", head)
    gpus = []
    for fields in ("name,compute_cap", "name"):
        status, out, _ = call([program, f"--query-gpu={fields}", "--format=csv,noheader"])
        if status == 0:
            rows = [row.partition(",") for row in out.splitlines() if row.strip()]
            gpus = [(name.strip(), capability.strip() if re.fullmatch(r" *\d+\.\d+ *", capability) else "") for name, _, capability in rows]
            break
    return {"driver": driver[1] if driver else "", "cuda": cuda[1] if cuda else ""}, gpus


def assignments(source: str) -> dict[str, Any]:
    """`cuda = '12.8'` of a version.py, read and not run."""
    return {name: None if value == "None" else value.strip("'\"") for name, value in re.findall(r"^(cuda|hip)\b[^=\n]*= *(\S+)", source, re.MULTILINE)}


def same(one: str, other: str) -> bool:
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def inside(path: str, folder: str) -> bool:
    path, folder = (os.path.normcase(os.path.realpath(one)) for one in (path, folder))
    return path == folder or path.startswith(folder + os.sep)


def numbers(version: str) -> list[int]:
    """`2.10.0+cu128` -> [2, 10, 0]."""
    return [int(part) for part in re.findall(r"\d+", re.match(r"[\d.]*", version)[0])]  # type: ignore[index]


def major(version: str) -> int:
    return (numbers(version) or [0])[0]


def meets(version: str, wanted: str) -> bool:
    """Is it within `==2.13.0` or `>=2.2,<3`? What is not understood is taken as met: only what is known is judged."""
    have = numbers(version)
    for clause in wanted.split(","):
        found = re.fullmatch(r"\s*(===?|!=|~=|<=?|>=?)\s*([\w.+*]+)\s*", clause)
        if not found:
            continue
        op, text = found[1], found[2]
        want = numbers(text.rstrip("*"))
        if op in ("==", "===", "~=") and (text.endswith(".*") or op == "~="):
            length = len(want) if op != "~=" else len(want) - 1
            met = have[:length] == want[:length] and have >= want
        else:
            width = max(len(have), len(want))
            one, other = (part + [0] * (width - len(part)) for part in (have, want))
            met = {"==": one == other, "===": one == other, "!=": one != other, "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[op]
            if op in ("==", "===") and "+" in text:
                met = met and version.partition("+")[2] == text.partition("+")[2]
        if not met:
            return False
    return True


def runs_on(archs: list[str], capability: str) -> bool:
    """Has a build with these architectures (`sm_80`, `sm_90a`, `compute_90`) code for a GPU of this compute capability (`8.6`)?"""
    big, _, small = capability.partition(".")
    own = int(big) * 10 + int(small)
    for arch in archs:
        found = re.fullmatch(r"(sm|compute)_(\d+)([af]?)", arch)
        if not found:
            continue
        number, kind = int(found[2]), found[3]
        if kind == "a" and number == own:
            return True
        if kind != "a" and number <= own and (number // 10 == own // 10 or (found[1] == "compute" and not kind)):
            return True
    return False
