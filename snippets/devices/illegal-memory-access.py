# ---
# draft: true  # take this line out when both pages are written
# wordings:
#   - text: "CUDA error: an illegal memory access was encountered"
#     unless: [ggml, "tensorflow/", "paddle::"]
#   - text: "cuda runtime error ({_:int}) : an illegal memory access was encountered"
#     sample: "RuntimeError: cuda runtime error (77) : an illegal memory access was encountered at /pytorch/aten/src/THC/generic/THCTensorMath.cu:26"
#   - text: "error={_:int} : an illegal memory access was encountered"
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCReduceAll.cuh line=339 error=77 : an illegal memory access was encountered"
#   - text: "Triton Error [CUDA]: an illegal memory access was encountered"
#     exception: RuntimeError
#   - text: "failed to synchronize: cudaErrorIllegalAddress"
#     exception: RuntimeError
#   - text: "HIP error: an illegal memory access was encountered"
# tags: []  # of facts/vocabulary.yml
# recover: fix  # what brings the reader on: fix (nothing needs a restart), again, process, machine, hardware
# # What follows may be left out.
# # needs: [fork]  # what it cannot run without: cuda, multi-gpu, fork, compiler, package:NAME, torch:2.13, fault:WHAT
# # outranks: [stem]  # symptoms that this one explains when a text prints both
# # related: [topic/stem]  # pages to look at if it is not this one
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution"]
# # timeout: 60  # seconds that a cell may take
# causes:  # the rows of the table of causes, the most common first, with what a text must say; content/condition.py lists what it may
#   own-kernel: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
#   index-overflow: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
# ---

# %%
import torch

# %% break own-kernel
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check own-kernel
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix own-kernel
print("TODO")  # what a reader copies

# %% proof own-kernel
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong

# %% break index-overflow
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check index-overflow
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix index-overflow
print("TODO")  # what a reader copies

# %% proof index-overflow
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong
