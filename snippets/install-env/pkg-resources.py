# ---
# wordings:
#   - text: "No module named 'pkg_resources'"
#     exception: ModuleNotFoundError
#     near: [torch, whisper, CLIP, clip, comfy, Comfy, webui, lightning, tensorboard, mmcv, apex, vllm, detectron2, face_recognition, librosa, perth, gradio, deepspeed, setup.py, "Getting requirements to build", "import pkg_resources"]
#   - text: "No module named pkg_resources"
#     exception: ImportError
#     near: [torch, setup.py]
#   - text: "pkg_resources is deprecated as an API"
#     exception: [UserWarning, DeprecationWarning]
#   - text: "cannot import name 'packaging' from 'pkg_resources'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'packaging' from 'pkg_resources' (/usr/lib/python3/dist-packages/pkg_resources/__init__.py)"
# tags: [import-error, build]
# recover: process
# needs: ["package:pip", "fault:small wheels in place of setuptools"]
# related: [install-env/torch-missing-while-building]
# docs: ["https://setuptools.pypa.io/en/latest/pkg_resources.html"]
# causes:
#   warned:
#     case: removed
#     if: paste("deprecated as an API")
#     sample: "UserWarning: pkg_resources is deprecated as an API. See https://setuptools.pypa.io/en/latest/pkg_resources.html."
#   packaging:
#     if: paste("cannot import name 'packaging'")
#     sample: "ImportError: cannot import name 'packaging' from 'pkg_resources' (/usr/lib/python3/dist-packages/pkg_resources/__init__.py)"
#   building:
#     if: paste("Getting requirements to build", "pip-build-env", "get_requires_for_build", "subprocess-exited-with-error", "originates from a subprocess", "setup.py egg_info")
#     sample: |
#       Getting requirements to build wheel ... error
#         File "setup.py", line 5, in <module>
#           import pkg_resources
#       ModuleNotFoundError: No module named 'pkg_resources'
#   removed:
#     likely: paste("No module named")
# timeout: 120
# cases:
#   removed:
#     commands:
#       shell: python -m pip install "setuptools<81"
#       notebook: "%pip install \"setuptools<81\"  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install "setuptools<81"
# ---

# %%
import os
import subprocess
import sys
import venv
import zipfile

# An environment with the newest setuptools, which has no pkg_resources, and small wheels that stand for two releases.
venv.create("env", symlinks=True)
for version, package in {"80.9.0": "pkg_resources", "84.2.1": "setuptools"}.items():
    with zipfile.ZipFile(f"setuptools-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{package}/__init__.py", f"__version__ = {version!r}\n")
        wheel.writestr(f"setuptools-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: setuptools\nVersion: {version}\n")
        wheel.writestr(f"setuptools-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"setuptools-{version}.dist-info/RECORD", "")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", "install", "--no-index", "--find-links", "."]
    subprocess.run([*command, *arguments], check=True)


def python(program):
    done = subprocess.run(["env/bin/python", "-c", program], capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


pip("setuptools")

# %% break removed
output = python("import pkg_resources")
print("import pkg_resources", output, sep="\n")
assert "No module named 'pkg_resources'" in output

# %% check removed
VERSION = "from importlib.metadata import version; print(version('setuptools'))"
print(python(VERSION))  # 82 and newer have no pkg_resources
assert int(python(VERSION).split(".")[0]) >= 82

# %% proof removed
pip("setuptools<81")
assert python("import pkg_resources; print(pkg_resources.__version__)") == "80.9.0"
