# ---
# wordings:
#   - text: "start ({start:int}) + length ({length:int}) exceeds dimension size ({size:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: start (0) + length (15) exceeds dimension size (8)."
#   - text: "exceeds dimension size ({size:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: start (0) + length () exceeds dimension size (1)."
#   - text: "split_with_sizes expects split_sizes to sum exactly to {size:int} (input tensor's size at dimension {dim:int}), but got split_sizes=[{sizes:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: split_with_sizes expects split_sizes to sum exactly to 6 (input tensor's size at dimension 0), but got split_sizes=[4, 4]"
#   - text: "split_with_sizes expects split_sizes to sum exactly to"
#     exception: RuntimeError
#   - text: "narrow(): length must be non-negative"
#     exception: RuntimeError
#   - text: "start out of range (expected to be in range of [{range:shape}], but got {start:int})"
#     exception: IndexError
#     sample: "IndexError: start out of range (expected to be in range of [-10, 10], but got 12)"
# tags: [shape, out-of-range, batch-size, multi-gpu]
# recover: fix
# related: [shapes/dim-out-of-range, shapes/cat-sizes, distributed/dataparallel-argument-order]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.narrow.html", "https://docs.pytorch.org/docs/stable/generated/torch.split.html"]
# causes:
#   device-chunks:
#     if: frames("comm.scatter(", "scatter_kwargs(", "/parallel/scatter_gather.py")
#     sample: |-
#       Traceback (most recent call last):
#         File "/opt/conda/lib/python3.8/site-packages/torch/nn/parallel/_functions.py", line 89, in forward
#           outputs = comm.scatter(input, target_gpus, chunk_sizes, ctx.dim, streams)
#       RuntimeError: start (0) + length (15) exceeds dimension size (8).
#   other-weights:
#     if: frames("weight_loader", "load_weights(", "loaded_weight", "_load_from_state_dict")
#     sample: |-
#       Traceback (most recent call last):
#         File "/opt/conda/lib/python3.11/site-packages/vllm/model_executor/layers/linear.py", line 1240, in weight_loader
#           loaded_weight = loaded_weight.narrow(output_dim, start_idx, shard_size)
#       RuntimeError: start (0) + length (1280) exceeds dimension size (1024).
#   split-sizes:
#     if: paste("split_with_sizes expects")
#     likely: frames(".split(")
#   zero3:
#     likely: size < 2 and paste("deepspeed", "zero3", "zero_stage", "stage3")
#     sample: |-
#       Traceback (most recent call last):
#         File "/opt/conda/lib/python3.10/site-packages/deepspeed/runtime/zero/partition_parameters.py", line 700, in wrapper
#       RuntimeError: start (0) + length () exceeds dimension size (1).
#   past-the-end:
#     likely: start > 0 and not frames("comm.scatter(", ".split(", "weight_loader", "load_weights(", "loaded_weight")
#   negative:
#     if: paste("length must be non-negative")
#     sample: "RuntimeError: narrow(): length must be non-negative."
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
images = [torch.rand(6, 8), torch.rand(6, 8)]  # two views of the last batch: 6 images, not 8
model = nn.Linear(8, 3)
batch_size = 8
features = model(torch.cat(images))

# %% break split-sizes
first, second = torch.split(features, [batch_size, batch_size])

# %% check split-sizes
print(len(features), batch_size + batch_size)  # what is there, what is asked for
assert len(features) != batch_size + batch_size

# %% fix split-sizes
import torch

first, second = model(torch.cat(images)).split(len(images[0]))  # of this batch

# %% proof split-sizes
assert first.shape == second.shape == (6, 3)
torch.testing.assert_close(first, model(images[0]))
torch.testing.assert_close(second, model(images[1]))

# %%
x = torch.arange(11.0)  # one recording

# %% break past-the-end
windows = [x.narrow(0, start, 4) for start in range(0, 11, 3)]  # 0, 3, 6, 9

# %% check past-the-end
ends = [start + 4 for start in range(0, 11, 3)]
print(len(x), ends)  # the last window ends behind x
assert ends[-1] > len(x)

# %% fix past-the-end
windows = x.unfold(0, 4, 3)  # dimension, length, step; whole windows only

# %% proof past-the-end
assert windows.tolist() == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]
