# ---
# wordings:
#   - text: "HIP error: invalid device function"
#     unless: [gpu-programs]
#   - text: "HIP error: no kernel image is available for execution on the device"
#     unless: [gpu-programs]
#   - text: "HIP error: device kernel image is invalid"
#     unless: [gpu-programs]
#   - text: "HIP error: shared object initialization failed"
#     unless: [gpu-programs]
#   - text: "hipErrorNoBinaryForGpu"
#     unless: [gpu-programs]
#   - text: "hipErrorInvalidDeviceFunction"
#     unless: [gpu-programs]
#   - text: "TensileLibrary.dat: No such file or directory for GPU arch : {gfx:ident}"
#     sample: "rocBLAS error: Cannot read /opt/venv/lib/python3.12/site-packages/torch/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1031"
#     unless: [gpu-programs]
#   - text: "HIP error: the operation cannot be performed in the present state"
#     unless: [gpu-programs]
# tags: [build, comfyui, driver]
# recover: process
# needs: ["fault:a GPU of AMD and a build for others, as PyTorch would report them"]
# cases:
#   sister-card:
#     silent: true
#     commands:
#       linux: |
#         # RX 6000, gfx103x
#         HSA_OVERRIDE_GFX_VERSION=10.3.0 python main.py
#         # RX 7000 and Radeon 780M, gfx110x
#         HSA_OVERRIDE_GFX_VERSION=11.0.0 python main.py
#       docker: docker run --device /dev/kfd --device /dev/dri -e HSA_OVERRIDE_GFX_VERSION=10.3.0 IMAGE python main.py
# timeout: 90
# related: [install-env/no-kernel-image, install-env/no-hip-gpus]
# docs: ["https://rocm.docs.amd.com/projects/install-on-linux/en/latest/reference/system-requirements.html"]
# causes:
#   sister-card:
#     likely: paste("RX 6", "RX 7", "gfx1031", "gfx1032", "gfx1034", "gfx1035", "gfx1036", "gfx1101", "gfx1102", "gfx1103", "780M", "680M")
#     sample: "GPU: AMD Radeon RX 6700 XT\nRuntimeError: HIP error: invalid device function"
#   newer-build:
#     likely: paste("RX 90", "9070", "9060", "gfx12", "gfx115", "Strix", "8060S", "890M", "Ryzen AI", "MI3")
#     sample: "GPU: AMD Radeon RX 9070 XT\nRuntimeError: HIP error: invalid device function"
#   too-old:
#     likely: paste("RX 5", "RX 4", "Vega", "gfx803", "gfx900", "gfx1010", "gfx1012", "Radeon VII")
#     sample: "GPU: AMD Radeon RX 580 (gfx803)\n\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\""
#   windows:
#   other-package:
# ---

# %%
import os
import types

import torch

# There is no GPU of AMD here: what PyTorch would report of an RX 6700 XT and of a build, and how the system names a GPU under the variable.
BUILD = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1101", "gfx1200", "gfx1201"]


def gcn_arch_name():
    version = os.environ.get("HSA_OVERRIDE_GFX_VERSION")
    return "gfx%d%x%x" % tuple(map(int, version.split("."))) if version else "gfx1031"


torch.cuda.get_arch_list = lambda: BUILD
torch.cuda.get_device_properties = lambda device=0: types.SimpleNamespace(gcnArchName=gcn_arch_name())


def launch():
    """A kernel starts only if the build has code for what the GPU says it is."""
    gpu = torch.cuda.get_device_properties(0).gcnArchName
    if gpu not in torch.cuda.get_arch_list():
        return f"no code for {gpu}"
    return "runs"


# %% break sister-card
said = launch()
print(said)
assert "no code for gfx1031" in said

# %% check sister-card
print(torch.cuda.get_device_properties(0).gcnArchName)
print(torch.cuda.get_arch_list())  # is the GPU in the list?
assert "gfx1031" not in torch.cuda.get_arch_list()

# %% proof sister-card
assert launch() != "runs"
import inspect
import subprocess
import sys
from pathlib import Path

code = "\n".join(map(inspect.getsource, (gcn_arch_name, launch)))
Path("main.py").write_text(f"import os, types, torch\nBUILD = {BUILD}\n{code}\ntorch.cuda.get_arch_list = lambda: BUILD\nget = lambda device=0: types.SimpleNamespace(gcnArchName=gcn_arch_name())\ntorch.cuda.get_device_properties = get\nprint(gcn_arch_name(), launch())\n")
where = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
done = subprocess.run(commands["linux"], shell=True, env=where, capture_output=True, text=True)
assert done.stdout.splitlines() == ["gfx1030 runs", "gfx1100 runs"], done
os.environ["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0"
assert launch() == "runs" and gcn_arch_name() == "gfx1030"
os.environ["HSA_OVERRIDE_GFX_VERSION"] = "11.0.0"
assert launch() == "runs" and gcn_arch_name() == "gfx1100"
os.environ["HSA_OVERRIDE_GFX_VERSION"] = "10.3.1"  # its own number changes nothing
assert launch() != "runs"
