# ---
# wordings:
#   - text: "'_MultiProcessingDataLoaderIter' object has no attribute 'next'"
#     exception: AttributeError
#   - text: "'_SingleProcessDataLoaderIter' object has no attribute 'next'"
#     exception: AttributeError
#   - text: "'DataLoaderIter' object has no attribute 'next'"
#     exception: AttributeError
#   - text: "'DataLoader' object has no attribute 'next'"
#     exception: AttributeError
#   - text: "'_SingleProcessDataLoaderIter' object is not subscriptable"
#     exception: TypeError
#   - text: "'_MultiProcessingDataLoaderIter' object is not subscriptable"
#     exception: TypeError
#   - text: "'_SingleProcessDataLoaderIter' object is not callable"
#     exception: TypeError
#   - text: "'_MultiProcessingDataLoaderIter' object is not callable"
#     exception: TypeError
#   - text: "'DataLoader' object is not subscriptable"
#     exception: TypeError
#   - text: "'DataLoader' object does not support indexing"
#     exception: TypeError
#   - text: "'DataLoader' object is not an iterator"
#     exception: TypeError
#   - text: "'DataLoader' object is not callable"
#     exception: TypeError
# tags: [dataloader, notebook]
# recover: fix
# related: [data-loading/num-samples-zero]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader"]
# causes:
#   next-method:
#     if: paste("has no attribute 'next'")
#   by-index:
#     if: paste("is not subscriptable", "does not support indexing")
#   not-an-iterator:
#     if: paste("is not an iterator", "is not callable")
# ---

# %%
import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.arange(6), torch.arange(6) * 10)
loader = DataLoader(dataset, batch_size=2)

# %% break next-method
batches = iter(loader)
x, y = batches.next()

# %% fix next-method
batches = iter(loader)
x, y = next(batches)

# %% proof next-method
assert x.tolist() == [0, 1] and y.tolist() == [0, 10]
assert next(batches)[0].tolist() == [2, 3]

# %% break by-index
x, y = loader[0]

# %% check by-index
print(len(loader), len(loader.dataset))  # 3 6: batches, samples
assert len(loader) == 3 and len(loader.dataset) == 6

# %% fix by-index
x, y = loader.dataset[0]  # one sample, of the dataset

# %% proof by-index
assert (x.item(), y.item()) == (0, 0)

# %% break not-an-iterator
x, y = next(loader)

# %% fix not-an-iterator
batches = iter(loader)  # once, before the loop
x, y = next(batches)

# %% proof not-an-iterator
assert x.tolist() == [0, 1] and next(batches)[0].tolist() == [2, 3]
