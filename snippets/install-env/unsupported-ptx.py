# ---
# wordings:
#   - text: "CUDA error: the provided PTX was compiled with an unsupported toolchain"
#   - text: "CUDA Runtime Error: the provided PTX was compiled with an unsupported toolchain"
#   - text: "RuntimeError: the provided PTX was compiled with an unsupported toolchain"
#   - text: "Triton Error [CUDA]: the provided PTX was compiled with an unsupported toolchain"
#   - text: "the provided PTX was compiled with an unsupported toolchain"
#     near: [torch]
# tags: [build, cpp-extension, cuda, driver]
# needs: ["package:triton"]
# cases:
#   newer-toolkit: {silent: true}
# related: [install-env/extension-compile]
# rows: [S001-125]
# docs: ["https://docs.nvidia.com/deploy/cuda-compatibility/"]
# ---

# %%
import re
import subprocess
import tempfile
from pathlib import Path

import triton

# NVIDIA's compiler from PTX to machine code, as Triton brings it. The driver has one of the same kind inside.
PTXAS = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
folder = Path(tempfile.mkdtemp())


def compile_ptx(version):
    """Machine code for an empty kernel that a toolkit wrote as PTX of this version; what the compiler says."""
    ptx = f".version {version}\n.target sm_80\n.address_size 64\n.visible .entry kernel() {{ ret; }}\n"
    (folder / "kernel.ptx").write_text(ptx)
    command = [PTXAS, "-arch=sm_80", "kernel.ptx", "-o", "kernel.cubin"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr.strip()


# %% break newer-toolkit
output = compile_ptx("99.0")  # from a toolkit of the future
print(output)
assert "Unsupported .version 99.0" in output and not (folder / "kernel.cubin").exists()

# %% check newer-toolkit
known = re.search(r"current version is '([\d.]+)'", compile_ptx("99.0"))[1]
wanted = re.search(r"\.version (\S+)", (folder / "kernel.ptx").read_text())[1]
print(f"the code is PTX {wanted}, the compiler knows PTX up to {known}")
assert float(wanted) > float(known)

# %% fix newer-toolkit
assert compile_ptx("8.0") == ""  # from CUDA 12.0, older than the compiler
assert (folder / "kernel.cubin").read_bytes().startswith(b"\x7fELF")  # machine code
