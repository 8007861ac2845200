# ---
# wordings:
#   - text: "No module named 'pkg_resources'"
#     exception: ModuleNotFoundError
#     near: [torch, whisper, CLIP, clip, comfy, Comfy, webui, lightning, tensorboard, mmcv, apex, vllm, detectron2, face_recognition, librosa, perth, gradio, deepspeed, setup.py, "Getting requirements to build", "import pkg_resources"]
#     sample: |
#       Getting requirements to build wheel ... error
#         File "setup.py", line 5, in <module>
#           import pkg_resources
#       ModuleNotFoundError: No module named 'pkg_resources'
#   - text: "No module named pkg_resources"
#     exception: ImportError
#     near: [torch, setup.py]
#   - text: "pkg_resources is deprecated as an API"
#     exception: [UserWarning, DeprecationWarning]
#     role: remark
#   - text: "cannot import name 'packaging' from 'pkg_resources'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'packaging' from 'pkg_resources' (/usr/lib/python3/dist-packages/pkg_resources/__init__.py)"
# tags: [import-error, build]
# recover: process
# needs: ["package:pip", "package:setuptools", "fault:small wheels in place of setuptools"]
# related: [install-env/torch-missing-while-building]
# docs: ["https://setuptools.pypa.io/en/latest/pkg_resources.html"]
# causes:
#   building:
#     if: paste("Getting requirements to build", "pip-build-env", "get_requires_for_build", "subprocess-exited-with-error", "originates from a subprocess", "setup.py egg_info")
#     sample: |
#       Getting requirements to build wheel ... error
#         File "setup.py", line 5, in <module>
#           import pkg_resources
#       ModuleNotFoundError: No module named 'pkg_resources'
#   removed:
#     likely: paste("No module named")
#   warned:
#     case: removed
#     if: paste("deprecated as an API")
#     sample: "UserWarning: pkg_resources is deprecated as an API. See https://setuptools.pypa.io/en/latest/pkg_resources.html."
#   packaging:
#     if: paste("cannot import name 'packaging'")
#     sample: "ImportError: cannot import name 'packaging' from 'pkg_resources' (/usr/lib/python3/dist-packages/pkg_resources/__init__.py)"
# timeout: 120
# cases:
#   building:
#     wrong: {pinned-in-the-environment: "https://github.com/jhj0517/Whisper-WebUI/pull/651"}
#     survives:
#       "swap: OTHER_PIP_CONSTRAINT (shell)": "this pip reads the newer of both names, one before 25.3 the other"
#       "without: --no-cache-dir (shell)": "nothing lies in the cache of a fresh environment"
#     commands:
#       shell: |
#         echo "setuptools<81" > build.txt
#         # the second name counts from pip 25.3 on; openai-whisper stands for the package that fails
#         export PIP_CONSTRAINT=build.txt PIP_BUILD_CONSTRAINT=build.txt
#         python -m pip install --no-cache-dir openai-whisper
#       powershell: |
#         "setuptools<81" | Set-Content build.txt
#         $env:PIP_CONSTRAINT = "build.txt"; $env:PIP_BUILD_CONSTRAINT = "build.txt"
#         python -m pip install --no-cache-dir openai-whisper
#       notebook: |
#         !echo "setuptools<81" > build.txt
#         %env PIP_CONSTRAINT=build.txt
#         %env PIP_BUILD_CONSTRAINT=build.txt
#         %pip install --no-cache-dir openai-whisper
#   removed:
#     wrong: {setuptools-upgraded: "https://github.com/RedHatInsights/bonfire/issues/365"}
#     commands:
#       shell: python -m pip install "setuptools<81"
#       notebook: "%pip install \"setuptools<81\"  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install "setuptools<81"
# ---

# %%
import io
import os
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path

import pip

# An environment with the newest setuptools, which has no pkg_resources, and small wheels that stand for releases.
venv.create("env", symlinks=True)
os.symlink(pip.__path__[0], next(Path("env/lib").glob("python*")) / "site-packages/pip")
BUILD = """
import zipfile


class __legacy__:  # as pip calls it where a project has no pyproject.toml
    def get_requires_for_build_wheel(config_settings=None):
        exec(compile(open("setup.py").read(), "setup.py", "exec"), {})
        return []

    def build_wheel(folder, config_settings=None, metadata_directory=None):
        name = "openai_whisper-20240930"
        with zipfile.ZipFile(f"{folder}/{name}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("whisper.py", "")
            wheel.writestr(f"{name}.dist-info/METADATA", "Metadata-Version: 2.1\\nName: openai-whisper\\nVersion: 20240930\\n")
            wheel.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
            wheel.writestr(f"{name}.dist-info/RECORD", "")
        return f"{name}-py3-none-any.whl"
"""
Path("wheels").mkdir()
for version in ("80.9.0", "82.0.0", "84.2.1"):
    with zipfile.ZipFile(f"wheels/setuptools-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("setuptools/__init__.py", "")
        wheel.writestr("setuptools/build_meta.py", BUILD)
        if version < "82":
            wheel.writestr("pkg_resources/__init__.py", f"__version__ = {version!r}\n")
        wheel.writestr(f"setuptools-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: setuptools\nVersion: {version}\n")
        wheel.writestr(f"setuptools-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"setuptools-{version}.dist-info/RECORD", "")
with tarfile.open("wheels/openai-whisper-20240930.tar.gz", "w:gz") as source:
    setup = tarfile.TarInfo("openai-whisper-20240930/setup.py")
    setup.size = len(b"import pkg_resources\n")
    source.addfile(setup, io.BytesIO(b"import pkg_resources\n"))


def run(command):
    """In a shell, in which the environment is active, and pip finds the wheels above only."""
    where = {"PATH": f"{os.path.abspath('env/bin')}:{os.environ['PATH']}", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": os.path.abspath("wheels")}
    done = subprocess.run(command, shell=True, env={**os.environ, **where}, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


run("python -m pip install setuptools")

# %% break building
print(run("python -m pip install openai-whisper"))

# %% check building
COMMAND = "python -m pip --version"
print(run(COMMAND))  # 25.3 and newer: PIP_BUILD_CONSTRAINT
assert run(COMMAND).startswith("pip 2")

# %% proof building
run(commands["shell"])
assert run("python -c 'import whisper; print(2)'") == "2"
assert "84.2.1" in run("python -m pip list")  # the environment's own setuptools stays

# %% wrong pinned-in-the-environment
# `pip install "setuptools<81"` before the install: the build takes its setuptools from the index,
# not from the environment, and fails as before.
run('python -m pip install "setuptools<81"')
assert not run("python -c 'import pkg_resources'")  # here it works
output = run("python -m pip install openai-whisper")
print(output[output.index("ModuleNotFoundError") :])
assert "No module named 'pkg_resources'" in output

# %% break removed
output = run("python -c 'import pkg_resources'")
print("import pkg_resources", output, sep="\n")
assert "No module named 'pkg_resources'" in output

# %% check removed
from importlib.metadata import version

print(version("setuptools"))  # 82 and newer have no pkg_resources
assert version("setuptools")

# %% proof removed
run(commands["shell"])
assert run("python -c 'import pkg_resources; print(pkg_resources.__version__)'") == "80.9.0"

# %% wrong setuptools-upgraded
# `pip install -U pip setuptools wheel`: fetches the release that has no pkg_resources.
print(run("python -m pip install -U setuptools; python -c 'import pkg_resources'"))
assert "No module named 'pkg_resources'" in run("python -c 'import pkg_resources'")
