# ---
# draft: true  # take this line out when both pages are written
# wordings:
#   - text: "TODO {name:int}"  # begins with a literal; holes for what varies, of the kinds in torchclinic/find/wording.py
#     exception: RuntimeError  # its class without the module, or a list where releases differ
#     sample: "RuntimeError: TODO 3"  # as it was really printed
# tags: []  # of facts/vocabulary.yml
# recover: fix  # what brings the reader on: fix (nothing needs a restart), again, process, machine, hardware
# # What follows may be left out.
# # needs: [fork]  # what it cannot run without: cuda, multi-gpu, fork, compiler, package:NAME, torch:2.13, fault:WHAT
# # outranks: [stem]  # symptoms that this one explains when a text prints both
# # related: [topic/stem]  # pages to look at if it is not this one
# # docs: [https://…]  # PyTorch's own documentation
# # timeout: 60  # seconds that a cell may take
# causes:  # the rows of the table of causes, the most common first, with what a text must say; content/condition.py lists what it may
#   both-spellings: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
#   no-argument: {if: 'paste("TODO")'}  # or likely: …, or undecided: why a text cannot tell
# ---

# %%
import torch

# %% break both-spellings
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check both-spellings
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix both-spellings
print("TODO")  # what a reader copies

# %% proof both-spellings
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong

# %% break no-argument
raise RuntimeError("TODO")  # the few lines that end in the real error

# %% check no-argument
print("TODO")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix no-argument
print("TODO")  # what a reader copies

# %% proof no-argument
assert "TODO" == ""  # runs behind the fix, and fails if the fix is wrong
