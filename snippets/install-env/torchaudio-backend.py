# ---
# wordings:
#   - text: "Couldn't find appropriate backend to handle uri {uri:line} and format {format:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Couldn't find appropriate backend to handle uri sample.wav and format None."
#   - text: "Couldn't find appropriate backend to handle uri"
#     exception: RuntimeError
#   - text: "No audio I/O backend is available"
#     exception: RuntimeError
#   - text: "No audio backend is available"
#     exception: UserWarning
#   - text: "is not one of available backends"
#     exception: RuntimeError
#     near: [torchaudio, soundfile, sox, ffmpeg]
#   - text: "Unsupported backend '{name:ident}' specified"
#     exception: ValueError
#     near: [torchaudio, soundfile, sox, ffmpeg]
#     sample: "ValueError: (\"Unsupported backend 'ffmpeg' specified; \", \"please select one of ['soundfile'] instead.\")"
#   - text: "sox extension is not supported on Windows"
#     exception: RuntimeError
#   - text: "module 'torchaudio' has no attribute '{gone:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: module 'torchaudio' has no attribute 'list_audio_backends'"
#   - text: "No module named 'torchaudio.{gone:ident}'"
#     exception: ModuleNotFoundError
#     sample: "ModuleNotFoundError: No module named 'torchaudio.backend'"
#   - text: "cannot import name '{gone:ident}' from 'torchaudio"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'AudioMetaData' from 'torchaudio' (/venv/lib/python3.12/site-packages/torchaudio/__init__.py)"
#   - text: "The list of available backends is empty, please install backend manually"
#     exception: AssertionError
# tags: [import-error]
# recover: process
# needs: ["package:pip", "fault:small packages in place of torchaudio and soundfile"]
# outranks: [attr-removed]
# related: [install-env/torchcodec-load, install-env/attr-removed]
# docs: ["https://docs.pytorch.org/audio/2.8/torchaudio.html"]
# causes:
#   no-backend:
#     if: >-
#       paste("appropriate backend", "backend is available", "backends is empty", "one of available
#       backends", "Unsupported backend", "sox extension") and not paste(".mp4 and format", ".m4a
#       and format", ".webm and format", ".aac and format", ".mkv and format", ".wma and format")
#   removed:
#     if: >-
#       paste("attribute 'list_audio_backends'", "attribute 'set_audio_backend'", "attribute 'get_audio_backend'", "attribute 'info'", "attribute 'AudioMetaData'", "attribute 'io'", "attribute 'sox_effects'", "attribute 'kaldi_io'",
#       "named 'torchaudio.backend", "named 'torchaudio._backend", "named 'torchaudio.io", "named 'torchaudio.sox_effects", "named 'torchaudio.kaldi_io", "named 'torchaudio.prototype",
#       "import name 'AudioMetaData'", "import name 'info'", "import name 'io'", "import name 'sox_effects'", "import name 'kaldi_io'", "import name 'prototype'", "import name 'list_audio_backends'") and not paste("partially initialized", "is not a package")
#   video:
#     if: paste(".mp4 and format", ".m4a and format", ".webm and format", ".aac and format", ".mkv and format", ".wma and format")
#     sample: "RuntimeError: Couldn't find appropriate backend to handle uri lecture.mp4 and format None."
# cases:
#   no-backend:
#     commands:
#       shell: python -m pip install soundfile
#       notebook: "%pip install soundfile  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install soundfile
#   removed:
#     survives: {"swap: cpu for cu126 (shell)": "one wheel stands for all builds here"}
#     commands:
#       shell: python -m pip install "torch==2.8.*" "torchaudio==2.8.*" --index-url https://download.pytorch.org/whl/cu126  # or …/cpu
#       notebook: "%pip install \"torch==2.8.*\" \"torchaudio==2.8.*\"  # then restart the kernel"
#   video:
#     unbroken: "ffmpeg, which no package for Python brings"
#     commands:
#       shell: ffmpeg -i lecture.mp4 sound.wav
# timeout: 120
# ---

# %%
import os
import shutil
import subprocess
import sys
import wave
import zipfile
from pathlib import Path

import torch

# How torchaudio 2.8 chooses what reads a file: the first backend that is there and takes it.
DISPATCHER = '''
from importlib.util import find_spec


def list_audio_backends():
    return [name for name in ("soundfile",) if find_spec(name)]


def load(uri, format=None):
    for name in list_audio_backends():
        return __import__(name).read(uri)
    raise RuntimeError(f"Couldn't find appropriate backend to handle uri {uri} and format {format}.")
'''
READER = '''
import wave
import torch


def read(path):
    with wave.open(path) as file:
        samples = torch.frombuffer(bytearray(file.readframes(-1)), dtype=torch.int16)
        return samples[None] / 32768, file.getframerate()
'''
with wave.open("sample.wav", "wb") as file:
    file.setparams((1, 2, 16000, 0, "NONE", ""))
    file.writeframes((torch.arange(100, dtype=torch.int16) * 256).numpy().tobytes())


def wheel(name, version, code, needs=""):
    Path("wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(f"wheels/{name}-{version}-py3-none-any.whl", "w") as made:
        made.writestr(f"{name}/__init__.py", code)
        made.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        made.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{name}-{version}.dist-info/RECORD", "")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "install", "--no-index", "--find-links", "wheels", "--target", "site", *arguments]
    subprocess.run(command, check=True)


def run(command):
    """In a shell, in which pip finds the wheels here only, and puts them where this program looks."""
    where = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": os.path.abspath("wheels"), "PIP_TARGET": os.path.abspath("site")}
    where["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    subprocess.run(command, shell=True, env={**os.environ, **where}, capture_output=True)


wheel("torch", "2.8.0", "")
wheel("torchaudio", "2.8.0", DISPATCHER)
wheel("torchaudio", "2.9.1", "def load(uri): ...\n")
wheel("soundfile", "0.13.1", READER)
sys.path.insert(0, "site")

# %%
pip("torchaudio==2.8.0")

# %% break no-backend
import torchaudio

waveform, rate = torchaudio.load("sample.wav")

# %% check no-backend
import torchaudio

print(torchaudio.list_audio_backends())  # empty: nothing can read a file
assert torchaudio.list_audio_backends() == []

# %% proof no-backend
run(commands["shell"])
import torchaudio

waveform, rate = torchaudio.load("sample.wav")
assert rate == 16000 and torch.equal(waveform, torch.arange(100)[None] / 128)

# %%
shutil.rmtree("site")
pip("torchaudio==2.9.1")

# %% break removed
import torchaudio

print(torchaudio.list_audio_backends())

# %% check removed
from importlib.metadata import version

print(version("torchaudio"))  # 2.9 and newer: no backends, no info, no io
assert version("torchaudio") == "2.9.1"

# %% proof removed
shutil.rmtree("site")  # pip leaves the old one in such a folder
run(commands["shell"])
import torchaudio

assert Path("site/torch-2.8.0.dist-info").exists() and torchaudio.list_audio_backends() == []
pip("soundfile")
assert torchaudio.list_audio_backends() == ["soundfile"]
assert torchaudio.load("sample.wav")[1] == 16000
