# ---
# draft: true  # take this line out when both pages are written
# wordings:
#   - text: "CUDA error: CUBLAS_STATUS_{status:ident} when calling `{call:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
#   - text: "CUDA error: CUBLAS_STATUS_{status:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED"
#   - text: "CUDA error: HIPBLAS_STATUS_{status:ident} when calling `{call:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(handle)`"
#   - text: "RuntimeError: CUBLAS_STATUS_{status:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)"
#   - text: "CUBLAS_STATUS_{status:ident} when calling `{call:ident}"
#     sample: "CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle, opa, opb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)`"
#   - text: "cublas runtime error : {status:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: cublas runtime error : the GPU program failed to execute at /pytorch/aten/src/THC/THCBlas.cu:249"
# tags: []  # of facts/vocabulary.yml
# recover: fix  # what brings the reader on: fix (nothing needs a restart), again, process, machine, hardware
# # What follows may be left out.
# # needs: [fork]  # what it cannot run without: cuda, multi-gpu, fork, compiler, package:NAME, torch:2.13, fault:WHAT
# # outranks: [stem]  # symptoms that this one explains when a text prints both
# # related: [topic/stem]  # pages to look at if it is not this one
# docs: ["https://docs.nvidia.com/cuda/cublas/index.html"]
# # timeout: 60  # seconds that a cell may take
# causes:  # the rows of the table of causes, the most common first, with what a text must say; content/condition.py lists what it may
#   cannot-start: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
#   half-precision: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
# ---

# %%
import torch

# %% break cannot-start
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check cannot-start
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix cannot-start
print("TODO")  # what a reader copies

# %% proof cannot-start
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong

# %% break half-precision
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check half-precision
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix half-precision
print("TODO")  # what a reader copies

# %% proof half-precision
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong
