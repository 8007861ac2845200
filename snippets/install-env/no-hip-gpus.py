# ---
# wordings:
#   - text: "No HIP GPUs are available"
#     exception: RuntimeError
#     unless: [gpu-programs]
#   - text: "HIP error: no ROCm-capable device is detected"
#     unless: [gpu-programs]
#   - text: "HIP error: hipErrorNoDevice"
#     unless: [gpu-programs]
#   - text: "Unable to open /dev/kfd read-write"
#     near: [torch]
#     sample: "Unable to open /dev/kfd read-write: Permission denied\nRuntimeError: torch.cuda is not available"
# tags: [container, device, driver]
# recover: process
# needs: ["fault:device files of an AMD GPU, put into a folder"]
# related: [install-env/hip-invalid-device-function, install-env/no-nvidia-driver, install-env/no-xpu-device]
# docs: ["https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/prerequisites.html"]
# cases:
#   rights:
#     silent: true
#     commands:
#       linux: |
#         sudo usermod -aG render,video $USER  # then log in again
#         rocminfo | grep gfx                  # lists the GPU without sudo now?
#       docker: docker run --device /dev/kfd --device /dev/dri --group-add video --group-add render IMAGE python train.py
# causes:
#   other-build:
#     if: paste("GeForce", "NVIDIA-SMI", "Tesla T4", "NVIDIA A100", "NVIDIA RTX", "Nvidia T4")
#     sample: "GPU: NVIDIA GeForce RTX 3060\nRuntimeError: No HIP GPUs are available"
#   wsl:
#     if: paste("microsoft-standard-WSL2", "WSL2")
#     sample: "Python platform: Linux-6.6.87.1-microsoft-standard-WSL2-x86_64-with-glibc2.39\nRuntimeError: No HIP GPUs are available"
#   windows:
#     if: 'paste("Platform: Windows", "Lib\\site-packages", "lib\\site-packages", "win_amd64", "Windows 11", "Windows 10")'
#     sample: |
#       File "C:\ComfyUI\.venv\Lib\site-packages\torch\cuda\__init__.py", line 412, in _lazy_init
#       RuntimeError: No HIP GPUs are available
#   rights:
#     likely: paste("No HIP GPUs are available", "/dev/kfd", "no ROCm-capable device", "hipErrorNoDevice") and not paste("HIP_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=")
#     sample: "RuntimeError: No HIP GPUs are available"
#   hidden:
#     likely: paste("HIP_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=")
#     sample: |
#       export ROCR_VISIBLE_DEVICES=1
#       export HIP_VISIBLE_DEVICES=1
#       RuntimeError: No HIP GPUs are available
#   two-runtimes:
# ---

# %%
import os
import tempfile
from pathlib import Path

dev = Path(tempfile.mkdtemp())  # stands for /dev: there is no AMD GPU here
LOOK = """
import os

for file in ("/dev/kfd", "/dev/dri"):
    print(file, os.path.exists(file), os.access(file, os.R_OK | os.W_OK))
    seen.append(os.access(file, os.R_OK | os.W_OK))
"""


def look():
    """What the check sees below the folder: may both be read and written?"""
    seen = []
    exec(LOOK.replace("/dev", str(dev)), {"seen": seen})
    return seen


# %% break rights
said = look()
print(said)  # neither is there: a container, or no driver
assert said == [False, False]

# %% check rights
import os

for file in ("/dev/kfd", "/dev/dri"):
    # is it there, and may you read and write it?
    print(file, os.path.exists(file), os.access(file, os.R_OK | os.W_OK))
assert not os.path.exists("/dev/kfd")

# %% proof rights
# What `--device` does: the files are there.
(dev / "kfd").touch()
assert look() == [True, False]  # one of them is not enough
(dev / "dri").mkdir()
assert look() == [True, True]
