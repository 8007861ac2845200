# ---
# wordings:
#   - text: "No module named 'flash_attn'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'flash_attn.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'flash_attn.flash_attention'"
#   - text: "the package flash_attn seems to be not installed"
#     exception: ImportError
#   - text: "not found in your environment: flash_attn"
#     exception: ImportError
#   - text: "Flash Attention 2 is not available"
#     exception: [ImportError, ValueError]
#   - text: "FlashAttention2 has been toggled on, but it cannot be used due to the following error"
#     exception: ImportError
#   - text: "name 'bare_metal_version' is not defined"
#     exception: NameError
#   - text: "was requested, but nvcc was not found. Are you sure your environment has nvcc available"
#     exception: UserWarning
#     role: symptom
#   - text: "No module named 'flash_attn_2_cuda'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "[Errno 18] Invalid cross-device link: 'flash_attn{wheel:line}'"
#     exception: OSError
#     sample: "OSError: [Errno 18] Invalid cross-device link: 'flash_attn-2.5.6+cu122torch2.2cxx11abiFALSE-cp310-cp310-linux_x86_64.whl' -> '/home/user/.cache/pip/wheels/flash_attn-2.5.6-cp310-cp310-linux_x86_64.whl'"
#   - text: "flash_attn-{wheel:path} is not a supported wheel on this platform"
#     sample: "ERROR: flash_attn-2.7.4.post1+cu12torch2.6cxx11abiFALSE-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform."
# tags: [build, import-error, transformer, cpp-extension]
# recover: process
# needs: ["package:pip", "fault:small wheels with the names of flash-attn's"]
# related: [install-env/torch-missing-while-building, install-env/extension-compile, devices/flash-attention-unsupported, install-env/undefined-symbol]
# docs: ["https://github.com/Dao-AILab/flash-attention#installation-and-features"]
# timeout: 120
# causes:
#   missing:
#     if: >-
#       paste("No module named 'flash_attn'", "flash_attn seems to be not installed", "not found in your environment: flash_attn")
#   wrong-wheel:
#     if: paste("is not a supported wheel on this platform")
#   no-nvcc:
#     if: paste("bare_metal_version' is not defined", "nvcc was not found")
#     sample: "NameError: name 'bare_metal_version' is not defined"
#   two-disks:
#     case: missing
#     if: paste("Invalid cross-device link")
#     sample: "OSError: [Errno 18] Invalid cross-device link: 'flash_attn-2.5.6+cu122torch2.2cxx11abiFALSE-cp310-cp310-linux_x86_64.whl' -> '/home/user/.cache/pip/x.whl'"
#   other-release:
#     if: read(part) and not paste("is not a package", "libcuda", ".so")
#     sample: "ModuleNotFoundError: No module named 'flash_attn.flash_attention'"
#   not-compiled:
#     likely: paste("No module named 'flash_attn_2_cuda'")
#     sample: "ModuleNotFoundError: No module named 'flash_attn_2_cuda'"
# cases:
#   missing:
#     commands:
#       linux: |
#         python -c "import sys, torch; print('cp%d%d' % sys.version_info[:2], torch.__version__, torch._C._GLIBCXX_USE_CXX11_ABI)"
#         # prints, say: cp312 2.8.0+cu128 True. Take the wheel with cu12, torch2.8, cxx11abiTRUE and cp312
#         # from https://github.com/Dao-AILab/flash-attention/releases and install that file:
#         python -m pip install --no-deps ./flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl
#         python -m pip install einops
#       trainer: |
#         # do without: PyTorch's own attention
#         model = AutoModelForCausalLM.from_pretrained(name, attn_implementation="sdpa")
#   wrong-wheel:
#     commands:
#       shell: |
#         python -m pip debug --verbose | head -20   # this Python, and the tags that it takes
#         python -m pip --version                    # is it the pip of the Python that runs?
# ---

# %%
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

MINE = "cp%d%d" % sys.version_info[:2]
venv.create("env", symlinks=True)
Path("modeling.py").write_text("from flash_attn import flash_attn_func\n\nprint(flash_attn_func())\n")  # a model's own code


def wheel(python):
    """A small wheel with the name that flash-attn's setup.py would give it."""
    file = f"flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-{python}-{python}-linux_x86_64.whl"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("flash_attn/__init__.py", "def flash_attn_func():\n    return 'called'\n")
        head = "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE.dist-info"
        version = "2.8.3+cu12torch2.8cxx11abiTRUE"
        made.writestr(f"{head}/METADATA", f"Metadata-Version: 2.1\nName: flash_attn\nVersion: {version}\nRequires-Dist: torch\nRequires-Dist: einops\n")
        made.writestr(f"{head}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {python}-{python}-linux_x86_64\n")
        made.writestr(f"{head}/RECORD", "")
    return file


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def pip(*arguments):
    return run(sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--python", "env/bin/python", *arguments)


# %% break missing
failed, output = run("env/bin/python", "modeling.py")
print(output)
sys.exit("it failed" if failed else None)

# %% check missing
PROGRAM = """
import importlib.util

print(importlib.util.find_spec("flash_attn"))
"""
print(run("env/bin/python", "-c", PROGRAM)[1])  # None: this Python does not have it
assert run("env/bin/python", "-c", PROGRAM)[1] == "None"

# %% proof missing
import torch

tags = (MINE, torch.__version__, torch._C._GLIBCXX_USE_CXX11_ABI)  # what the first command prints
assert tags[0] in wheel(MINE) and isinstance(tags[2], bool)
assert pip("install", "--no-index", "--no-deps", f"./{wheel(MINE)}")[0] == 0
assert run("env/bin/python", "modeling.py") == (0, "called")
# PyTorch's own attention needs no package
q = torch.randn(1, 2, 4, 8)
own = torch.nn.functional.scaled_dot_product_attention(q, q, q)
assert torch.allclose(own, torch.softmax(q @ q.transpose(-1, -2) / 8**0.5, -1) @ q, atol=1e-5)

# %% break wrong-wheel
failed, output = pip("install", "--no-index", "--no-deps", f"./{wheel('cp38')}")
print(output)
sys.exit("pip failed" if failed else None)

# %% check wrong-wheel
PROGRAM = """
import sys

print("cp%d%d" % sys.version_info[:2])
"""
mine = run(sys.executable, "-c", PROGRAM)[1]
print(mine)  # must stand in the name of the wheel
assert mine not in wheel("cp38")

# %% proof wrong-wheel
assert pip("install", "--no-index", "--no-deps", f"./{wheel(MINE)}")[0] == 0
