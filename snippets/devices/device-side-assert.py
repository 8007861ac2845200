# ---
# wordings:
#   - text: "CUDA error: device-side assert triggered"
#     exception: AcceleratorError
#     role: symptom
#     device: cuda
#   - text: "CUDA error: device-side assert triggered"
#     exception: RuntimeError
#     role: symptom
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
# outranks: [cublas-error, cudnn-not-initialized]
# tags: [cuda, embedding, labels, loss, out-of-range]
# needs: [cuda]
# related: [devices/label-out-of-range]
# rows: [S000-20, S001-96]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %% break label
model = nn.Linear(8, 4).to("cuda")  # four outputs: the labels must be 0, 1, 2, 3
images = torch.randn(6, 8).to("cuda")
labels = torch.tensor([1, 2, 3, 4, 2, 1]).to("cuda")
loss = nn.functional.cross_entropy(model(images), labels)  # returns at once: the GPU has not even begun
torch.cuda.synchronize()  # any line that waits for the GPU: .item(), print, backward, the next batch

# %% check label
model = nn.Linear(8, 4).to("cpu")  # the same step, everything on the CPU
images = torch.randn(6, 8).to("cpu")
labels = torch.tensor([1, 2, 3, 4, 2, 1]).to("cpu")
message = ""
try:
    nn.functional.cross_entropy(model(images), labels)
except IndexError as error:
    message = str(error)
print(message)  # at the right line, with the bad value
assert "out of bounds" in message

# %% fix label
model = nn.Linear(8, 4).to("cuda")
images = torch.randn(6, 8).to("cuda")
labels = torch.tensor([1, 2, 3, 4, 2, 1]).to("cuda") - 1  # 0..3
loss = nn.functional.cross_entropy(model(images), labels)
torch.cuda.synchronize()

assert labels.min() >= 0 and labels.max() < 4
expected = nn.functional.cross_entropy(model.cpu()(images.cpu()), labels.cpu())
torch.testing.assert_close(loss.cpu(), expected, rtol=1e-4, atol=1e-5)

# %% break embedding
embedding = nn.Embedding(100, 8).to("cuda")  # rows 0..99
tokens = torch.tensor([[5, 42, 100]]).to("cuda")  # the tokenizer has one token more than the model
vectors = embedding(tokens)
torch.cuda.synchronize()

# %% check embedding
embedding = nn.Embedding(100, 8).to("cpu")
tokens = torch.tensor([[5, 42, 100]]).to("cpu")
message = ""
try:
    embedding(tokens)
except IndexError as error:
    message = str(error)
print(message)
print(tokens.max().item(), embedding.num_embeddings)  # the largest id must be smaller than the number of rows
assert message and tokens.max() >= embedding.num_embeddings

# %% fix embedding
embedding = nn.Embedding(100, 8).to("cuda")
tokens = torch.tensor([[5, 42, 100]]).to("cuda")
larger = nn.Embedding(101, 8).to("cuda")  # as many rows as the tokenizer has tokens
with torch.no_grad():
    larger.weight[:100] = embedding.weight  # what is trained stays
vectors = larger(tokens)
torch.cuda.synchronize()

assert torch.equal(vectors[:, :2], embedding(tokens[:, :2]))
assert torch.equal(vectors[0, 2], larger.weight[100])

# %% break probability
model = nn.Linear(8, 1).to("cuda")
images = torch.randn(6, 8).to("cuda")
answers = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]).to("cuda")
scores = model(images).squeeze(1) * 10  # raw scores, some below 0 or above 1
loss = nn.BCELoss()(scores, answers)  # takes probabilities only
torch.cuda.synchronize()

# %% check probability
model = nn.Linear(8, 1).to("cpu")
images = torch.randn(6, 8).to("cpu")
answers = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]).to("cpu")
scores = model(images).squeeze(1) * 10
message = ""
try:
    nn.BCELoss()(scores, answers)
except RuntimeError as error:
    message = str(error)
print(message)
print(scores.min().item(), scores.max().item(), scores.isnan().any().item())
assert "between 0 and 1" in message

# %% fix probability
model = nn.Linear(8, 1).to("cuda")
images = torch.randn(6, 8).to("cuda")
answers = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.0]).to("cuda")
scores = model(images).squeeze(1) * 10
loss = nn.BCEWithLogitsLoss()(scores, answers)  # takes the raw scores
torch.cuda.synchronize()

assert scores.min() < 0  # still raw scores, and no error
probabilities = torch.sigmoid(scores.double())
torch.testing.assert_close(loss.double(), nn.BCELoss()(probabilities, answers.double()), rtol=1e-4, atol=1e-5)
