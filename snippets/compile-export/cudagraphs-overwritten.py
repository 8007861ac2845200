# ---
# wordings:
#   - text: "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run"
#     exception: RuntimeError
#     sample: "RuntimeError: Error: accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run. Stack trace: File \"train.py\", line 7, in step"
#   - text: "accessing gradient tensor output of CUDAGraphs that has been overwritten by a subsequent run"
#     exception: RuntimeError
#     sample: "RuntimeError: Error: accessing gradient tensor output of CUDAGraphs that has been overwritten by a subsequent run. Stack trace: File \"train.py\", line 7, in step"
#   - text: "clone the tensor outside of torch.compile() or call torch.compiler.cudagraph_mark_step_begin()"
#     role: symptom
# tags: [compile, cuda, inference]
# recover: fix
# cases:
#   kept-output: {needs: [cuda]}
#   no-graphs: {silent: true}
# related: [compile-export/recompile-limit, compile-export/compile-other-numbers]
# docs: ["https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html"]
# causes:
#   kept-output:
#     undecided: which output was kept is not printed
#   gradient:
#     if: paste("accessing gradient tensor output of CUDAGraphs")
#     sample: "RuntimeError: Error: accessing gradient tensor output of CUDAGraphs that has been overwritten by a subsequent run. Stack trace: File \"train.py\", line 7, in step"
#   no-graphs:
#     likely: frames("transformers/generation/", "transformers\\generation\\", "diffusers/", "diffusers\\", "sglang/", "torchtune/")
#     undecided: it prints nothing; the case shows a setting
#     sample: |
#       File "/usr/lib/python3/site-packages/transformers/generation/utils.py", line 2215, in generate
#       RuntimeError: Error: accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run. Stack trace: [Could not find stack trace].
# ---

# %%
import torch


@torch.compile(mode="reduce-overhead")
def step(x):
    return x @ x


x = torch.ones(4, 4, device="cuda" if torch.cuda.is_available() else "cpu") / 2

# %% break kept-output
outputs = [step(x * scale) for scale in (1, 2, 3)]
total = torch.stack(outputs).sum()

# %% check kept-output
import torch._inductor

# which modes replay CUDA graphs
for mode in ("default", "reduce-overhead", "max-autotune"):
    options = torch._inductor.list_mode_options(mode)
    print(mode, options.get("triton.cudagraphs", False))
assert torch._inductor.list_mode_options("reduce-overhead")["triton.cudagraphs"]

# %% fix kept-output
import torch


@torch.compile(mode="reduce-overhead")
def step(x):
    return x @ x


def run(batches):
    # a copy of its own, made outside of the compiled function
    return [step(x).clone() for x in batches]


# %% proof kept-output
batches = [x * scale for scale in (1, 2, 3)]
for _ in range(3):  # warm-up, recording, replay
    outputs = run(batches)
    torch.testing.assert_close(torch.stack(outputs), torch.stack([batch @ batch for batch in batches]))

# %%
plain = torch.nn.Linear(4, 2)
model = torch.compile(plain, mode="reduce-overhead")

# %% break no-graphs
assert model.get_compiler_config()["triton.cudagraphs"]

# %% check no-graphs
print(model.get_compiler_config()["triton.cudagraphs"])
assert model.get_compiler_config()["triton.cudagraphs"] is True

# %%
model = plain

# %% fix no-graphs
import torch

model = torch.compile(model)  # no mode: compiled, and no CUDA graphs

# %% proof no-graphs
assert type(model).__name__ == "OptimizedModule" and model._orig_mod is plain
assert model.get_compiler_config()["triton.cudagraphs"] is False
