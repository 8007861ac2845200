# ---
# wordings:
#   - text: "[Errno 28] No space left on device"
#     exception: OSError
#     near: &ours [model-code, "packages/datasets/", "packages\\datasets\\", "torch-", "Collecting torch", "install torch", torch_extensions, huggingface, modelscope, "nvidia-", "nvidia_", autodl, 训练]
#     unless: &shm [multiprocessing/heap.py, sharedctypes, /dev/shm]
#     sample: |
#       File "/root/miniconda3/lib/python3.12/site-packages/huggingface_hub/file_download.py", line 559, in http_get
#       OSError: [Errno 28] No space left on device
#   - text: "[Errno 122] Disk quota exceeded"
#     exception: OSError
#     near: *ours
#     unless: *shm
#     sample: |
#       File "huggingface_hub/file_download.py", line 559, in http_get
#       OSError: [Errno 122] Disk quota exceeded
#   - text: "No space left on device (os error 28)"
#     near: *ours
#     sample: |
#       File "huggingface_hub/file_download.py", line 626, in xet_get
#       RuntimeError: Data processing error: CAS service error : IO Error: No space left on device (os error 28)
#   - text: "Not enough free disk space to download the file. The expected file size is: {size:num} MB"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Not enough free disk space to download the file. The expected file size is: 4976.70 MB. The target location /root/.cache/huggingface/hub only has 1021.34 MB free disk space."
#   - text: "code: 28, kind: StorageFull"
#     sample: "safetensors_rust.SafetensorError: Error while serializing: I/O error: Os { code: 28, kind: StorageFull, message: \"No space left on device\" }"
#   - text: "NoSpaceLeftError: No space left on devices"
#     near: [torch, pytorch]
# tags: [container, build]
# recover: again
# needs: ["package:pip", "fault:a small file system, which is full"]
# related: [checkpoints/jit-save-path, data-loading/worker-bus-error, install-env/pip-download-fails]
# docs: ["https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables", "https://pip.pypa.io/en/stable/topics/caching/"]
# causes:
#   caches:
#     likely: paste("huggingface", "modelscope", "torch/hub", "urlretrieve", "Not enough free disk space")
#   installing:
#     if: paste("Could not install packages", "Collecting ", "pip/_internal", "Installing collected packages", "NoSpaceLeftError")
#   saving:
#     if: paste("StorageFull", "serialization.py", "save_pretrained")
#     sample: |
#       File "/opt/conda/lib/python3.11/site-packages/torch/serialization.py", line 966, in save
#       OSError: [Errno 28] No space left on device
#   inodes:
# timeout: 120
# cases:
#   caches:
#     commands:
#       linux: |
#         # /root/autodl-tmp is the data disk; elsewhere: a folder on a disk with room
#         export HF_HOME=/root/autodl-tmp/cache/huggingface
#         export MODELSCOPE_CACHE=/root/autodl-tmp/cache/modelscope
#         export TORCH_HOME=/root/autodl-tmp/cache/torch
#         python train.py
#       powershell: |
#         setx HF_HOME D:\cache\huggingface
#         setx TORCH_HOME D:\cache\torch
#   installing:
#     commands:
#       linux: |
#         mkdir -p /root/autodl-tmp/tmp  # or any folder on a disk with room
#         TMPDIR=/root/autodl-tmp/tmp python -m pip install --no-cache-dir torch
#     survives: {"without: --no-cache-dir (linux)": "pip keeps no copy of what comes over plain http, as from the index here"}
# ---

# %%
import ctypes
import functools
import http.server
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

os.chdir(tempfile.mkdtemp())
libc = ctypes.CDLL(None, use_errno=True)


def small_disk(folder):
    """A disk of 200 KB there, seen by this process and its children only."""
    os.makedirs(folder)
    options = b"tmpfs", os.path.abspath(folder).encode(), b"tmpfs", 0, b"size=200k"
    if libc.mount(*options):
        user, group = os.getuid(), os.getgid()
        if libc.unshare(0x10000000 | 0x00020000):  # a user and a mount namespace of its own
            raise OSError(ctypes.get_errno(), "unshare")
        for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", file).write_text(text)
        if libc.mount(*options):
            raise OSError(ctypes.get_errno(), "mount")


small_disk("system")
os.environ.update(HOME=os.path.abspath("system"), TMPDIR=os.path.abspath("system"))
for name in ("XDG_CACHE_HOME", "TORCH_HOME", "HF_HOME"):
    os.environ.pop(name, None)
tempfile.tempdir = None
Path("weights.pth").write_bytes(os.urandom(600_000))
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=os.getcwd())
handler.func.log_message = lambda *arguments: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
Path("train.py").write_text(f"""
import os
import torch

folder = os.path.join(torch.hub.get_dir(), "checkpoints")
os.makedirs(folder, exist_ok=True)
torch.hub.download_url_to_file("http://127.0.0.1:{server.server_port}/weights.pth", f"{{folder}}/weights.pth", progress=False)
print(os.path.getsize(f"{{folder}}/weights.pth"), os.environ["HF_HOME"], os.environ["MODELSCOPE_CACHE"])
""")


def run(command):
    shell = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, env=shell, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


# %% break caches
print(run("python train.py"))

# %% check caches
import shutil

for folder in (os.path.expanduser("~"), tempfile.gettempdir()):
    print(folder, shutil.disk_usage(folder).free // 1024, "KB free")
assert shutil.disk_usage(os.path.expanduser("~")).free < 600_000

# %% proof caches
moved = run(commands["linux"].replace("/root/autodl-tmp", os.path.abspath("data")))
assert moved == "600000 data/cache/huggingface data/cache/modelscope"  # the last two as the programs read them
assert Path("data/cache/torch/hub/checkpoints/weights.pth").exists()

# %%
with zipfile.ZipFile("torch-2.13.0-py3-none-any.whl", "w") as wheel:  # of the name of torch's, and too big for the disk
    wheel.writestr("torch.bin", os.urandom(600_000))
    wheel.writestr("torch-2.13.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
    wheel.writestr("torch-2.13.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("torch-2.13.0.dist-info/RECORD", "")
Path("index.html").write_text('<a href="torch-2.13.0-py3-none-any.whl">torch-2.13.0-py3-none-any.whl</a>')
os.environ.update(PIP_NO_INDEX="1", PIP_FIND_LINKS=f"http://127.0.0.1:{server.server_port}/index.html", PIP_TARGET=os.path.abspath("installed"))
os.environ.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_CACHE_DIR=os.path.abspath("system/pip"), TEMP=os.path.abspath("system"))

# %% break installing
print(run("python -m pip install torch"))

# %% check installing
import shutil

free = shutil.disk_usage(tempfile.gettempdir()).free
print(tempfile.gettempdir(), free // 1024, "KB free")
assert free < 600_000

# %% proof installing
assert "Successfully installed torch-2.13.0" in run(commands["linux"].replace("/root/autodl-tmp", os.path.abspath("data")))
assert os.path.getsize("installed/torch.bin") == 600_000
assert not os.path.exists("system/pip")  # and nothing in the cache
