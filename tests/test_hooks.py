"""`torchclinic.install()`, `%load_ext torchclinic`, `pytest -p torchclinic.pytest`: what was
printed before stays as it is, and nothing in here may fail."""

from __future__ import annotations

import builtins
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from torchclinic import ROOT
from torchclinic.commands import hooks
from torchclinic.find import origins_table

INSTALL = "import torchclinic; torchclinic.install()\n"
#: In a program that has torch, or seems to: of any other nothing is looked up.
RAISE = (
    '__import__("sys").modules.setdefault("torch", None);'
    ' raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)")'
)
WHAT = "Torch Clinic: Each row you pass has 400 values"


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap/torch").mkdir(parents=True)
    (tmp_path / "trap/torch/__init__.py").write_text(
        f"open({str(tmp_path / 'imported')!r}, 'w')", encoding="utf-8"
    )
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "trap"), str(ROOT)]))
    monkeypatch.setenv("TORCHCLINIC_LANG", "en")
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def no_knowledge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(
        ROOT / "torchclinic",
        tmp_path / "broken/torchclinic",
        ignore=shutil.ignore_patterns("__pycache__", "data"),
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "broken"))


def script(text: str, install: str = INSTALL) -> tuple[int, str, str]:
    """Exit status, what the script prints by itself, and what the hook adds to it. Both runs have
    the same line numbers."""
    ends = []
    for first in ("pass\n", install):
        Path("train.py").write_text(first + text, encoding="utf-8")
        ends.append(
            subprocess.run(
                [sys.executable, "train.py"],
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
        )
    alone, hooked = ends
    assert (hooked.returncode, hooked.stdout) == (alone.returncode, alone.stdout)
    assert hooked.stderr.startswith(alone.stderr)
    return hooked.returncode, alone.stderr, hooked.stderr.removeprefix(alone.stderr)


def test_lines_below_an_uncaught_exception(tmp_path: Path) -> None:
    status, alone, added = script(f"def step():\n    {RAISE}\nstep()\n")
    what, where, fix = added.splitlines()
    assert status == 1 and alone.endswith("784x10)\n")
    assert (
        what.startswith(WHAT)
        and where == "  at train.py:3 in step"
        and " torchclinic fix shapes/matmul-shapes" in fix
    )
    assert not (tmp_path / "imported").exists()  # torch was not


def test_the_rank_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    assert "  at train.py:2, rank 3\n" in script(RAISE)[2]


def test_the_cause_of_a_chain() -> None:
    added = script(
        "def step():\n"
        f"    {RAISE}\n"
        "try:\n"
        "    step()\n"
        "except RuntimeError as error:\n"
        "    raise ValueError('wrapped') from error\n"
    )[2]
    assert added.startswith(WHAT) and "  at train.py:3 in step\n" in added


def test_an_error_that_cannot_be_pytorchs_costs_next_to_nothing() -> None:
    """Of a program without torch: no index is read, nothing is looked up."""
    seen = "import sys, atexit; atexit.register(lambda: print('torchclinic.find' in sys.modules))\n"
    cuda = "RuntimeError('x') from OSError('libcudart.so.12: cannot open')"
    for error, read in (
        *(("ValueError('mine')", "False"), ("RuntimeError('mine')", "False")),
        *((cuda, "True"), ("__import__('torch_of_another')", "True")),
    ):
        Path("train.py").write_text(f"{INSTALL}{seen}raise {error}\n", encoding="utf-8")
        done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
        assert (done.stdout, "Torch Clinic" in done.stderr) == (f"{read}\n", False)


def test_with_torch_what_a_miss_does_not_need_is_not_loaded() -> None:
    """Nor are PyTorch's own messages asked where it cannot have raised the error."""
    loaded = (
        "import atexit, sys, types\n"
        "sys.modules['torch'] = types.ModuleType('torch')\n"
        "show = lambda: print(*(name for name in ('origins', 'answer', 'picture', 'ladder')\n"
        "    if f'torchclinic.find.{name}' in sys.modules), 'torchclinic.run.live' in sys.modules)\n"
        "atexit.register(show)\n"
    )
    own = "exec(compile('raise KeyError(1)', '/lib/site-packages/torch/amp.py', 'exec'))"
    for error, seen in (
        ("raise KeyError('label')", "ladder False\n"),
        ("raise FileNotFoundError('train.csv')", "ladder False\n"),
        ("raise RuntimeError('mine')", "origins ladder False\n"),
        ("raise KeyError('x') from ValueError('y')", "origins ladder False\n"),
        (own, "origins ladder False\n"),
    ):
        Path("train.py").write_text(f"{INSTALL}{loaded}{error}\n", encoding="utf-8")
        done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
        assert (done.stdout, "Torch Clinic" in done.stderr) == (seen, False), error


def test_what_cpp_raises_is_what_the_table_says() -> None:
    table = json.loads(gzip.decompress((ROOT / origins_table.FILE).read_bytes()))
    native = {
        table["classes"][one.exception]
        for one in origins_table.rows(table)
        if one.exception >= 0 and not [*table["files"], ""][one.file].endswith(".py")
    }
    assert {name for name in native if hasattr(builtins, name)} == set(hooks.NATIVE)
    folders = {file.partition("/")[0] for file in table["files"] if file.endswith(".py")}
    assert {f"/{folder}/" for folder in folders} <= set(hooks.OWN)


def test_classes_of_torch_are_known_by_their_module() -> None:
    torch = pytest.importorskip("torch")
    for kind in (torch.OutOfMemoryError, torch.linalg.LinAlgError, torch.distributed.DistError):
        assert hooks.may_be_its_own(kind("x"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "raise SystemExit(3)",
        "import sys; sys.exit('mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)')",
        "1 / 0",
        "raise KeyboardInterrupt",
        "class E(Exception):\n    def __str__(self): raise self\nraise E",
        "raise RuntimeError('x' * 3_000_000)",
        "import sys; sys.stderr = None\n1 / 0",
    ],
)
def test_nothing_is_added(text: str) -> None:
    assert script(text)[2] == ""


def test_standard_error_is_closed() -> None:
    """Python then writes past sys.stderr, with addresses that differ from run to run."""
    Path("train.py").write_text(
        f"{INSTALL}import sys; sys.stderr.close()\n{RAISE}", encoding="utf-8"
    )
    done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True, check=False)
    assert (
        done.returncode == 1
        and "Torch Clinic" not in done.stderr
        and "torchclinic: " not in done.stderr
    )


def test_control_characters_are_not_echoed() -> None:
    _, alone, added = script(
        "class \u9519\u8bef(RuntimeError): pass\n" + RAISE.replace("mat1", r"\x1b[2J\x07\u202emat1")
    )
    assert "\x1b[2J" in alone and added.startswith(WHAT) and added.replace("\n", "").isprintable()


def test_a_group_of_exceptions() -> None:
    if sys.version_info < (3, 11):
        pytest.skip("needs Python 3.11")
    assert (
        WHAT
        in script(
            "try:\n"
            f"    {RAISE}\n"
            "except RuntimeError as error:\n"
            "    raise ExceptionGroup('several', [error, ValueError('x')])\n"
        )[2]
    )


def test_the_previous_hook_comes_first() -> None:
    before = (
        "import sys\n"
        "def mine(kind, error, trace): print('mine', kind.__name__, file=sys.stderr)\n"
        "sys.excepthook = mine\n"
    )
    text = f"{before}if True:\n    import torchclinic; torchclinic.install()\n{RAISE}"
    assert script(text, "pass\n")[1].startswith("mine RuntimeError\n" + WHAT)


def test_installed_twice_or_in_a_chain_it_speaks_once() -> None:
    twice = INSTALL.strip() + "; torchclinic.install()\n"
    chain = (
        INSTALL.strip()
        + "; import sys; ours = sys.excepthook; sys.excepthook = lambda *all: ours(*all)"
        + "; torchclinic.install()\n"
    )
    for install in (twice, chain):
        assert script(RAISE, install)[2].count(WHAT) == 1


def test_two_errors_are_two() -> None:
    text = (
        "import sys\n"
        "for _ in range(2):\n"
        "    try:\n"
        f"        {RAISE}\n"
        "    except RuntimeError:\n"
        "        sys.excepthook(*sys.exc_info())\n"
    )
    Path("train.py").write_text(INSTALL + text, encoding="utf-8")
    done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True, check=False)
    assert done.stderr.count(WHAT) == 2


def test_a_thread() -> None:
    status, _, added = script(
        "import threading\n"
        "def work():\n"
        f"    {RAISE}\n"
        "one = threading.Thread(target=work, name='one')\n"
        "one.start(); one.join()\n"
    )
    assert status == 0 and added.startswith(WHAT) and "  at train.py:4 in work\n" in added


def test_without_knowledge_the_traceback_stands(no_knowledge: None) -> None:
    status, alone, added = script(RAISE)
    assert (
        status == 1
        and "784x10" in alone
        and added.startswith("torchclinic: ")
        and "nstall" in added
        and "Traceback" not in added
    )


def test_import_costs_nothing() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; before = set(sys.modules); import torchclinic; "
            "print(sorted(set(sys.modules) - before))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(done.stdout.replace("'", '"'))) <= {"torchclinic", "__future__"}


# --- IPython


def ipython(*cells: str) -> str:
    """What a real IPython shell prints for these cells."""
    pytest.importorskip("IPython")
    command = [
        sys.executable,
        "-m",
        "IPython",
        "--simple-prompt",
        "--colors=NoColor",
        "--no-banner",
        "--HistoryManager.enabled=False",
        "--quick",
    ]
    environment = {**os.environ, "IPYTHONDIR": str(Path.cwd()), "PYTHONIOENCODING": "utf-8"}
    text = "\n".join(cells) + "\n"
    done = subprocess.run(
        command,
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    assert done.returncode == 0
    return done.stdout


def test_a_cell_of_ipython() -> None:
    printed = ipython("%load_ext torchclinic", RAISE)
    traceback, what, rest = printed.partition(WHAT)
    assert (
        what and traceback.rstrip().endswith("784x10)") and "  at In[2]:1\n  check first: " in rest
    )


def test_other_cells_of_ipython() -> None:
    printed = ipython(
        "%load_ext torchclinic",
        "%load_ext torchclinic",
        "1 / 0",
        "f(]",
        "%unload_ext torchclinic",
        RAISE,
    )
    assert "Torch Clinic" not in printed and "784x10" in printed


def test_a_function_of_another_cell_of_ipython() -> None:
    printed = ipython("%load_ext torchclinic", f"step = lambda: exec({RAISE!r})", "step()")
    assert printed.count(WHAT) == 1 and "  at <string>:1\n" in printed


def test_a_script_that_ipython_runs() -> None:
    Path("train.py").write_text(f"def step():\n    {RAISE}\nstep()\n", encoding="utf-8")
    printed = ipython("%load_ext torchclinic", "%run train.py", "6 * 7", "%timeit -n1 -r1 1 / 0")
    assert (
        printed.count(WHAT) == 1
        and "  at train.py:2 in step\n" in printed
        and "Out[3]: 42" in printed
    )


def test_ipython_without_knowledge(no_knowledge: None) -> None:
    printed = ipython("%load_ext torchclinic", RAISE, "6 * 7")
    assert "784x10" in printed and "torchclinic: " in printed and "Out[3]: 42" in printed


def test_a_notebook() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = ["%load_ext torchclinic", "def step():\n    pass\n    " + RAISE, "step()"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        book,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(Path.cwd())}},
    )
    client.execute()
    error, added = book.cells[2].outputs
    assert error.output_type == "error" and error.evalue.startswith("mat1")
    assert (
        added.name == "stderr"
        and added.text.startswith(WHAT)
        and "  at In[2]:3 in step\n" in added.text
    )


# --- pytest

TESTS = f"""import pytest
def helper(n):
    {RAISE.replace('"mat1', 'f"mat1').replace("64x", "{n}x")}
def test_a(): helper(64)
def test_b(): helper(1)
def test_unknown(): assert 1 == 2
def test_well(): pass
@pytest.fixture
def broken():
    raise RuntimeError("Trying to backward through the graph a second time (or directly access "
                       "saved tensors after they have already been freed).")
def test_c(broken): pass
"""


def pytests(*options: str, plugin: bool = True) -> tuple[int, str]:
    Path("test_it.py").write_text(TESTS, encoding="utf-8")
    Path("pytest.ini").write_text("[pytest]\n", encoding="utf-8")  # whatever lies further up
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        *(["-p", "torchclinic.pytest"] if plugin else []),
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "no"])
def test_a_section_of_pytests_summary(style: str) -> None:
    status, printed = pytests(f"--tb={style}")
    assert status == 1
    section = printed.partition("= Torch Clinic =")[2].partition("short test summary")[0]
    assert section.count(WHAT) == 1 and section.count("fix shapes/matmul-shapes") == 1
    assert "  test_it.py::test_a\n  test_it.py::test_b\n" in section
    assert (
        section.count("fix autograd/backward-second-time") == 1
        and "  test_it.py::test_c\n" in section
    )
    assert "test_unknown" not in section
    assert (
        style == "no"
    ) or "  at test_it.py:3" in section  # without tracebacks there is no place to name


def test_the_rest_of_pytests_output_is_unchanged() -> None:
    (status, printed), (_, alone) = pytests(), pytests(plugin=False)
    before, _, after = printed.partition("= Torch Clinic =")
    assert status == 1 and alone.startswith(before.rpartition("\n")[0])
    assert (
        alone.partition("short test summary")[2].rpartition(" in ")[0]
        == after.partition("short test summary")[2].rpartition(" in ")[0]
    )


def test_no_section_without_a_known_failure() -> None:
    for chosen, status in (("test_well", 0), ("test_unknown", 1)):
        assert pytests("-k", chosen)[0] == status
        assert "Torch Clinic" not in pytests("-k", chosen)[1]


def test_many_tests_of_one_symptom() -> None:
    Path("test_many.py").write_text(
        f"import pytest\n@pytest.mark.parametrize('n', range(14))\ndef test_n(n):\n    {RAISE}\n",
        encoding="utf-8",
    )
    printed = pytests("test_many.py")[1]
    assert "test_many.py::test_n[9]\n  and 4 more\n" in printed and printed.count(WHAT) == 1


def test_causes_of_one_symptom_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tests, two causes: two entries, each with its own tests."""
    from torchclinic import pytest as plugin

    def explain(_: object, text: str, language: str) -> plugin.explain.Explanation:
        return plugin.explain.Explanation("one", [f"because of {text}"], cause=text)

    def report(name: str, cause: str) -> SimpleNamespace:
        return SimpleNamespace(nodeid=name, longreprtext=cause)

    monkeypatch.setattr(plugin.explain, "explain", explain)
    monkeypatch.setattr(plugin.knowledge, "load", lambda: None)
    failed = [report("a", "x"), report("b", "y"), report("c", "x")]
    assert plugin._summary(SimpleNamespace(stats={"failed": failed})) == [
        *("because of x", "  a", "  c"),
        *("because of y", "  b"),
    ]


def test_the_section_shows_what_the_program_knew(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    Path("test_net.py").write_text(
        "import torch\ndef test_net():\n    net = torch.nn.Linear(1176, 10)\n"
        "    images = torch.ones(8, 864)\n    net(images)\n",
        encoding="utf-8",
    )
    section = pytests("test_net.py")[1].partition("= Torch Clinic =")[2]
    entry, _, below = section.partition("What the program knew:")
    assert "torchclinic fix shapes/matmul-shapes" in entry and "test_net.py::test_net" in below
    assert "images" in below and "float32 [8, 864]" in below and "in_features=1176" in below


def test_pytest_without_knowledge(no_knowledge: None) -> None:
    status, printed = pytests()
    assert status == 1 and "torchclinic: this copy" in printed and "INTERNALERROR" not in printed
