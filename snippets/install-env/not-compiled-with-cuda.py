# ---
# draft: true  # take this line out when both pages are written
# wordings:
#   - text: "Torch not compiled with CUDA enabled"
#     exception: AssertionError
#   - text: "PyTorch is not linked with support for cuda devices"
#     exception: RuntimeError
#   - text: "Cannot initialize CUDA without ATen_cuda library"
#     exception: RuntimeError
#   - text: "module 'torch._C' has no attribute '_cuda_{_:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'"
# tags: []  # of facts/vocabulary.yml
# recover: fix  # what brings the reader on: fix (nothing needs a restart), again, process, machine, hardware
# # What follows may be left out.
# # needs: [fork]  # what it cannot run without: cuda, multi-gpu, fork, compiler, package:NAME, torch:2.13, fault:WHAT
# # outranks: [stem]  # symptoms that this one explains when a text prints both
# # related: [topic/stem]  # pages to look at if it is not this one
# docs: ["https://pytorch.org/get-started/locally/"]
# # timeout: 60  # seconds that a cell may take
# causes:  # the rows of the table of causes, the most common first, with what a text must say; content/condition.py lists what it may
#   cpu-build: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
#   replaced: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
#   no-gpu: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
# ---

# %%
import torch

# %% break cpu-build
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check cpu-build
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix cpu-build
print("TODO")  # what a reader copies

# %% proof cpu-build
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong

# %% break replaced
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check replaced
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix replaced
print("TODO")  # what a reader copies

# %% proof replaced
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong

# %% break no-gpu
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check no-gpu
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix no-gpu
print("TODO")  # what a reader copies

# %% proof no-gpu
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong
