# ---
# wordings:
#   - text: "No NPUs are available"
#     exception: RuntimeError
#   - text: "No MLU devices are available"
#     exception: RuntimeError
#   - text: "No MUSA GPUs are available"
#     exception: RuntimeError
#   - text: "Torch not compiled with MUSA enabled"
#     exception: AssertionError
#   - text: "No module named 'torch_mlu'"
#     exception: ModuleNotFoundError
#   - text: "No module named 'torch_mlu.core'"
#     exception: ModuleNotFoundError
#   - text: "No module named 'torch_musa'"
#     exception: ModuleNotFoundError
#   - text: "module 'torch' has no attribute 'mlu'"
#     exception: AttributeError
#   - text: "module 'torch' has no attribute 'musa'"
#     exception: AttributeError
#   - text: "Failed to load the backend extension: torch_musa"
#     exception: RuntimeError
#     role: symptom
#   - text: "Failed to load the backend extension: torch_mlu"
#     exception: RuntimeError
#     role: symptom
#   - text: "libmudnn.so.{_:ident}: cannot open shared object file"
#     exception: ImportError
#     sample: "ImportError: libmudnn.so.2: cannot open shared object file: No such file or directory"
#   - text: "libmusart.so.{_:ident}: cannot open shared object file"
#     exception: ImportError
#     sample: "ImportError: libmusart.so.3: cannot open shared object file: No such file or directory"
#   - text: "libmccl.so.{_:ident}: cannot open shared object file"
#     exception: ImportError
#     sample: "ImportError: libmccl.so.2: cannot open shared object file: No such file or directory"
#   - text: "libmublas.so.{_:ident}: cannot open shared object file"
#     exception: ImportError
#     sample: "ImportError: libmublas.so.1: cannot open shared object file: No such file or directory"
#   - text: "libmudnn.so: cannot open shared object file"
#     exception: ImportError
#   - text: "libsrv_um_MUSA.so: cannot open shared object file"
#     exception: ImportError
#   - text: "libcnnl.so: cannot open shared object file"
#     exception: ImportError
#   - text: "libcnrt.so: cannot open shared object file"
#     exception: ImportError
#   - text: "libcncl.so: cannot open shared object file"
#     exception: ImportError
#   - text: "] Device acquire failed"
#     exception: RuntimeError
#     sample: "RuntimeError: synStatus=20 [Device already acquired] Device acquire failed."
#   - text: "No module named 'habana_frameworks"
#     exception: ModuleNotFoundError
#     sample: "ModuleNotFoundError: No module named 'habana_frameworks.torch'"
#   - text: "module 'torch' has no attribute 'hpu'"
#     exception: AttributeError
#   - text: "No module named 'torch.hpu'"
#     exception: ModuleNotFoundError
#   - text: "No module named 'torch.privateuseone'"
#     exception: ModuleNotFoundError
#   - text: "Please try running Python from a different directory!"
#     exception: ImportError
#     near: [musa]
#     role: symptom
#     sample: |
#       File "/opt/conda/lib/python3.10/site-packages/torch_musa/__init__.py", line 29, in <module>
#       ImportError: Please try running Python from a different directory!
#   - text: "libgalaxyhip.so.{_:ident}: cannot open shared object file"
#     exception: ImportError
#     sample: "ImportError: libgalaxyhip.so.5: cannot open shared object file: No such file or directory"
# tags: [container, device, driver, import-error, shared-library]
# recover: process
# needs: ["fault:device files of accelerators, put into a folder"]
# outranks: [attr-removed, device-string, missing-shared-lib, no-module-torch-x]
# related: [install-env/torch-npu-import, install-env/no-hip-gpus, devices/device-string]
# docs: ["https://github.com/Cambricon/torch_mlu", "https://github.com/MooreThreads/torch_musa", "https://docs.habana.ai/en/latest/Installation_Guide/index.html"]
# cases:
#   device-files: {silent: true}
# causes:
#   libraries:
#     if: paste("cannot open shared object file")
#     sample: "ImportError: libcnnl.so: cannot open shared object file: No such file or directory"
#   gaudi-taken:
#     if: paste("Device acquire failed")
#     sample: "RuntimeError: synStatus=26 [Generic failure] Device acquire failed."
#   gaudi-add-on:
#     if: paste("habana_frameworks", "has no attribute 'hpu'", "No module named 'torch.hpu'")
#     sample: "ModuleNotFoundError: No module named 'habana_frameworks.torch'"
#   another-backend:
#     if: paste("torch.privateuseone")
#     sample: "ModuleNotFoundError: No module named 'torch.privateuseone'"
#   musa-folder:
#     likely: paste("from a different directory")
#     sample: |
#       File "/opt/conda/lib/python3.10/site-packages/torch_musa/__init__.py", line 29, in <module>
#       ImportError: Please try running Python from a different directory!
#   mlu-core:
#     if: paste("torch_mlu.core")
#     sample: "ModuleNotFoundError: No module named 'torch_mlu.core'"
#   add-on:
#     if: paste("No module named 'torch_m", "has no attribute 'm", "compiled with MUSA")
#     sample: "ModuleNotFoundError: No module named 'torch_mlu'"
#   device-files:
#     likely: paste("No NPUs are available", "No MLU devices", "No MUSA GPUs")
#     sample: "RuntimeError: No MUSA GPUs are available"
#   autoload:
#     undecided: why the extension fails stands above the message
# ---

# %%
import tempfile
from pathlib import Path

dev = Path(tempfile.mkdtemp())  # stands for /dev: there is no such device here
ANSWERS = []

# %% break device-files
found = list(dev.iterdir())
print(found)  # none: a container without them, or no driver
assert found == []

# %% fix device-files
import os
from glob import glob

# of Ascend, Cambricon, Moore Threads; of Hygon and what else goes over DRM
NAMES = "davinci*", "cambricon_*", "mtgpu*", "dri/renderD*", "kfd"


def device_files(folder="/dev"):
    """The files of accelerators, and whether this user may use each."""
    files = [file for name in NAMES for file in sorted(glob(f"{folder}/{name}"))]
    return {file: os.access(file, os.R_OK | os.W_OK) for file in files}


print(device_files())  # empty: not in this container, or no driver. False: no right

# %% proof device-files
assert device_files(dev) == {}
(dev / "dri").mkdir()
for name in ("davinci0", "davinci_manager", "cambricon_dev0", "mtgpu.0", "dri/renderD128", "null"):
    (dev / name).touch()
told = device_files(str(dev))
assert [Path(file).name for file in told] == ["davinci0", "davinci_manager", "cambricon_dev0", "mtgpu.0", "renderD128"]
assert all(told.values())
(dev / "cambricon_dev0").unlink()
(dev / "cambricon_dev0").symlink_to("/no/such/driver")  # there, and not to be opened
assert device_files(str(dev))[f"{dev}/cambricon_dev0"] is False
