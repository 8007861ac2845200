# ---
# wordings:
#   - text: "No working C++ compiler found in"
#     exception: [InductorError, InvalidCxxCompiler, BackendCompilerFailed]
#     sample: "torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g++')"
#   - text: "InvalidCxxCompiler:"
#   - text: "CppCompileError: C++ compile error"
#   - text: "Compiler: {compiler:ident} is not found"
#     exception: [InductorError, RuntimeError]
#     near: [torch, nductor, ": cl is not found"]
#     sample: "torch._inductor.exc.InductorError: RuntimeError: Compiler: cl is not found."
#   - text: "OpenMP support not found. Please try one of the following solutions"
# tags: [compile, build]
# recover: process
# needs: [compiler, "fault:a compiler that is not there, and a g++ without the folder of Python's headers"]
# outranks: [extension-compile, dynamo-backend-failed]
# related: [compile-export/dynamo-backend-failed]
# docs: ["https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_troubleshooting.html", "https://docs.pytorch.org/tutorials/unstable/inductor_windows.html"]
# timeout: 240
# cases:
#   no-compiler:
#     commands:
#       linux: sudo apt install build-essential  # Ubuntu, Debian; then start the program again
#       docker: RUN apt-get update && apt-get install -y build-essential python3-dev
#       powershell: |
#         # once: the compiler, several GB
#         winget install Microsoft.VisualStudio.2022.BuildTools --override "--wait --passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"
#         # then start the program from "x64 Native Tools Command Prompt for VS 2022"
#       macos: xcode-select --install
#   headers:
#     commands:
#       linux: sudo apt install python3-dev  # for Python 3.12 of deadsnakes: python3.12-dev
#       docker: RUN apt-get update && apt-get install -y python3-dev
# causes:
#   no-compiler:
#     if: (read(compiler) or paste("No working C++ compiler found", "InvalidCxxCompiler")) and not paste("CppCompileError")
#   headers:
#     if: paste("Python.h")
#   openmp:
#     if: paste("OpenMP support not found", "omp.h", "-lomp", "libomp") and not paste("cl /I", "cl.exe", "Microsoft (R) C/C++")
#     sample: |
#       torch._inductor.exc.InductorError: CppCompileError: C++ compile error
#       Output:
#       clang: fatal error: 'omp.h' file not found
#       OpenMP support not found. Please try one of the following solutions:
#   windows:
#     if: paste("Command:") and paste("cl /I", "cl.exe", "Microsoft (R) C/C++")
#     sample: |
#       CppCompileError: C++ compile error
#       Command:
#       cl /I D:/ComfyUI_windows_portable/python_embeded/Include /std:c++20
# ---

# %%
import os
import shutil

os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.abspath("cache")
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"

import torch
import torch._inductor.config as inductor

if hasattr(inductor, "cpp_cache_precompile_headers"):
    inductor.cpp_cache_precompile_headers = False  # nothing is built that one small function does not need
inductor.cpp.simdlen = 1


def double(x):
    return torch.sin(x) * 2


x = torch.rand(3)

# %% break no-compiler
inductor.cpp.cxx = (None, "/usr/bin/no-such-compiler")  # what CXX names
compiled = torch.compile(double)
compiled(x)

# %% check no-compiler
import shutil

print(shutil.which("g++"))  # the path, or None; on Windows ask for "cl"
assert shutil.which("g++")

# %% proof no-compiler
assert shutil.which("no-such-compiler") is None
torch.testing.assert_close(torch.compile(double)(x), double(x))  # with a compiler it works
assert any(name.endswith(".so") for _, _, names in os.walk("cache") for name in names)  # and was really compiled

# %%
with open("g++", "w") as file:  # the real one, which is not told where Python's headers are
    file.write("""#!/usr/bin/env python3
import os, sys
kept = [argument for argument in sys.argv[1:] if not (argument.startswith("-I") and "/include/python3" in argument)]
os.execv("/usr/bin/g++", ["g++", *kept])
""")
os.chmod("g++", 0o755)

# %% break headers
inductor.cpp.cxx = (None, os.path.abspath("g++"))
compiled = torch.compile(double)
compiled(x)

# %% check headers
import os
import sysconfig

header = os.path.join(sysconfig.get_path("include"), "Python.h")
print(header, os.path.exists(header))  # must be True for the Python that runs
assert os.path.exists(header)

# %% proof headers
inductor.cpp.cxx = (None, "/usr/bin/g++")
torch.testing.assert_close(torch.compile(double)(x), double(x))
assert any(name.endswith(".so") for _, _, names in os.walk("cache") for name in names)
