# ---
# wordings:
#   - text: "CUDA error: device-side assert triggered"
#     exception: AcceleratorError
#     role: symptom
#     unless: [gpu-programs]
#     device: cuda
#   - text: "CUDA error: device-side assert triggered"
#     exception: RuntimeError
#     role: symptom
#     unless: [gpu-programs]
#     device: cuda
#   - text: "cuda runtime error ({_:int}) : device-side assert triggered"
#     exception: RuntimeError
#     role: symptom
#     device: cuda
#     sample: "RuntimeError: cuda runtime error (59) : device-side assert triggered at /pytorch/torch/lib/THC/generated/../THCReduceAll.cuh:339"
#   - text: "CUDA error ({_:int}): device-side assert triggered"
#     exception: RuntimeError
#     role: symptom
#     device: cuda
#     sample: "RuntimeError: CUDA error (59): device-side assert triggered"
#   - text: "&& \"index out of bounds\"` failed"
#     role: symptom
#     near: ["Assertion `"]
#     device: cuda
#   - text: "srcIndex < srcSelectDimSize"
#     device: cuda
#   - text: "vectorized gather kernel index out of bounds"
#     device: cuda
#   - text: "Assertion `indexValue >= 0 && indexValue < tensor.sizes[dim]` failed"
#     role: symptom
#     device: cuda
#   - text: "Assertion `idx_dim >= 0 && idx_dim < index_size"
#     role: symptom
#     device: cuda
#   - text: "failed to synchronize: device-side assert triggered"
#     exception: RuntimeError
#     role: symptom
#     device: cuda
#     sample: "RuntimeError: copy_if failed to synchronize: device-side assert triggered"
#   - text: "failed to synchronize: cudaErrorAssert: device-side assert triggered"
#     exception: RuntimeError
#     role: symptom
#     unless: [gpu-programs]
#     device: cuda
#     sample: "RuntimeError: transform: failed to synchronize: cudaErrorAssert: device-side assert triggered"
#   - text: "error={_:int} : device-side assert triggered"
#     near: [THC]
#     role: symptom
#     device: cuda
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCTensorMath.cu line=26 error=59 : device-side assert triggered"
#   - text: "Assertion `indexAtDim < data.baseSizes[dim]` failed"
#     role: symptom
#     device: cuda
#   - text: "cuda runtime error (59)"
#     exception: RuntimeError
#     role: symptom
#   - text: "cuda runtime error (710)"
#     exception: RuntimeError
#     role: symptom
#   - text: "HIP error: device-side assert triggered"
#     role: symptom
#     unless: [gpu-programs]
#   - text: "Assertion `input_val >= zero && input_val <= one` failed"
#     role: symptom
# outranks: [cublas-error, cudnn-not-initialized]
# tags: [cuda, embedding, labels, loss, out-of-range]
# recover: process
# needs: [cuda]
# related: [devices/label-out-of-range]
# rows: [S000-20, S001-96]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution"]
# causes:
#   label:
#     undecided: the assertion is printed by the GPU, outside of the traceback that is recorded
#     likely: >-
#       also("label-out-of-range") or (frames("nll_loss", "F.cross_entropy(", "cross_entropy_loss(", ".item()", ".backward(") and
#       not frames("embedding(", "multinomial(", "generate(") and not paste("` failed"))
#     sample: |
#       <ipython-input-45-8c7df9c19b44> in train(epoch)
#       ---> 17         total += loss.item()
#       RuntimeError: CUDA error: device-side assert triggered
#   embedding:
#     undecided: the assertion is printed by the GPU, outside of the traceback that is recorded
#     if: paste("srcIndex < srcSelectDimSize", "vectorized gather kernel index out of bounds")
#     likely: frames("embedding(") and not paste("` failed")
#     sample: "Indexing.cu:1146: indexSelectLargeIndex: block: [336,0,0], thread: [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed."
#   probability:
#     undecided: the assertion is printed by the GPU, outside of the traceback that is recorded
#     if: paste("input_val >= zero && input_val <= one", "*input >= 0. && *input <= 1.")
#     likely: frames("_nn.binary_cross_entropy(") and not paste("` failed")
#     sample: |
#       ../aten/src/ATen/native/cuda/Loss.cu:92: operator(): block: [0,0,0], thread: [20,0,0] Assertion `input_val >= zero && input_val <= one` failed.
#       RuntimeError: CUDA error: device-side assert triggered
#   gather:
#     if: paste("idx_dim >= 0 && idx_dim < index_size", "indexValue >= 0 && indexValue <")
#     sample: "../aten/src/ATen/native/cuda/ScatterGatherKernel.cu:367: operator(): block: [0,0,0], thread: [3,0,0] Assertion `idx_dim >= 0 && idx_dim < index_size && \"index out of bounds\"` failed."
#   index:
#     if: paste("sizes[i] && \"index out of bounds\"", "index < sizes[i]")
#     sample: "IndexKernel.cu:92: operator(): block: [0,0,0], thread: [20,0,0] Assertion `-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"` failed."
#   sampling:
#     if: paste("probability tensor contains either", "val >= zero` failed", "cumdist[size - 1]")
#     likely: frames("multinomial(") or (paste("_assert_async_cuda_kernel") and paste("input[0] != 0"))
#     sample: |
#       ../aten/src/ATen/native/cuda/TensorCompare.cu:110: _assert_async_cuda_kernel: block: [0,0,0], thread: [0,0,0] Assertion `probability tensor contains either `inf`, `nan` or element < 0` failed.
#       RuntimeError: CUDA error: device-side assert triggered
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %%
model = nn.Linear(8, 4).to("cuda")  # four outputs: the labels must be 0, 1, 2, 3
loss_fn = nn.CrossEntropyLoss()
images = torch.randn(6, 8).to("cuda")
labels = torch.tensor([1, 2, 3, 4, 2, 1]).to("cuda")

# %% break label
loss = loss_fn(model(images), labels)  # returns at once: the GPU has not even begun
torch.cuda.synchronize()  # or any line that waits: .item(), print, the next batch

# %% check label
message = ""
try:
    # the same step, everything on the CPU, before the GPU has failed
    loss_fn(model.cpu()(images.cpu()), labels.cpu())
except IndexError as error:
    message = str(error)
print(message)  # at the right line, with the bad value
assert "out of bounds" in message

# %% fix label
labels = labels - 1  # where the data are read: 1..4 becomes 0..3
loss = loss_fn(model(images), labels)

# %% proof label
torch.cuda.synchronize()
assert labels.tolist() == [0, 1, 2, 3, 1, 0]
expected = nn.functional.cross_entropy(model.cpu()(images.cpu()), labels.cpu())
torch.testing.assert_close(loss.cpu(), expected, rtol=1e-4, atol=1e-5)

# %%
tokens = torch.tensor([[5, 42, 100]]).to("cuda")  # the tokenizer has one token more than the model
model = nn.Sequential(nn.Embedding(100, 8)).to("cuda")  # rows 0..99

# %% break embedding
vectors = model(tokens)
torch.cuda.synchronize()

# %% check embedding
embedding = model[0]
# the largest id must be smaller than the number of rows
print(tokens.max().item(), embedding.num_embeddings)
assert tokens.max() >= embedding.num_embeddings

# %% fix embedding
import torch
from torch import nn

old = model[0]
model[0] = nn.Embedding(101, 8).to(old.weight.device)  # a row for each token
with torch.no_grad():
    model[0].weight[: old.num_embeddings] = old.weight  # what is trained stays

# %% proof embedding
vectors = model(tokens)
torch.cuda.synchronize()
assert torch.equal(vectors[:, :2], old(tokens[:, :2]))
assert torch.equal(vectors[0, 2], model[0].weight[100])

# %%
model = nn.Linear(8, 1).to("cuda")
images = torch.randn(6, 8).to("cuda") * 10
labels = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]).to("cuda")
loss_fn = nn.BCELoss()  # takes probabilities only

# %% break probability
scores = model(images).squeeze(1)  # raw scores, some below 0 or above 1
loss = loss_fn(scores, labels)
torch.cuda.synchronize()

# %% check probability
scores = model(images).squeeze(1)
print(scores.min().item(), scores.max().item(), scores.isnan().any().item())
assert scores.min() < 0

# %% fix probability
from torch import nn

loss_fn = nn.BCEWithLogitsLoss()  # takes the raw scores
loss = loss_fn(model(images).squeeze(1), labels)

# %% proof probability
torch.cuda.synchronize()
scores = model(images).squeeze(1)
assert scores.min() < 0  # still raw scores, and no error
probabilities = torch.sigmoid(scores.double())
torch.testing.assert_close(loss.double(), nn.BCELoss()(probabilities, labels.double()), rtol=1e-4, atol=1e-5)
