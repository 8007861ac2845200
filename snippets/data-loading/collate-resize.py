# ---
# wordings:
#   - text: "Trying to resize storage that is not resizable"
#     exception: RuntimeError
# tags: [collate, dataloader, multiprocessing, padding, shape]
# recover: fix
# needs: [fork]
# related: [shapes/stack-sizes, data-loading/worker-exception]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#working-with-collate-fn"]
# cases:
#   image-sizes:
#     wrong: {no-workers: "https://github.com/luow23/INP-Former/issues/36"}
# causes:
#   image-sizes:
#     likely: (frames("collate.py", "default_collate", "collate_tensor") or paste("DataLoader worker process")) and not paste("pad_sequence", "input_ids", "tokenizer", "waveform", "torchaudio")
#   sequence-lengths:
#     likely: paste("DataLoader worker process") and paste("input_ids", "tokenizer", "waveform", "torchaudio")
#     undecided: the sizes are not printed
#     sample: |
#       RuntimeError: Caught RuntimeError in DataLoader worker process 0.
#         File "/opt/conda/lib/python3.11/site-packages/torchaudio/functional.py", line 12, in resample
#       RuntimeError: Trying to resize storage that is not resizable
#   own-resize:
#     if: frames(".resize_(") and not frames("collate.py", "default_collate", "collate_tensor")
# ---

# %%
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it
images_of = [torch.full((3, 40 - 4 * index, 30), float(index)) for index in range(4)]


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return images_of[index]


dataset = Images()

# %% break image-sizes
for images in DataLoader(dataset, batch_size=4, num_workers=1):
    pass

# %% check image-sizes
sizes = {tuple(dataset[index].shape) for index in range(len(dataset))}
print(sizes)  # one size, or several?
assert len(sizes) > 1

# %% fix image-sizes
import torch.nn.functional as F
from torch.utils.data import DataLoader, default_collate


def same_size(images):
    size = (32, 32)
    images = [F.interpolate(image[None], size)[0] for image in images]
    return default_collate(images)


loader = DataLoader(dataset, batch_size=4, num_workers=1, collate_fn=same_size)

# %% proof image-sizes
(images,) = loader
assert loader.num_workers == 1
assert images.shape == (4, 3, 32, 32) and images[:, 0, 0, 0].tolist() == [0.0, 1.0, 2.0, 3.0]

# %% use image-sizes
model = torch.nn.Conv2d(3, 2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# >>>
loader = DataLoader(dataset, batch_size=4, num_workers=1)
# <<<
for epoch in range(2):
    for images in loader:
        optimizer.zero_grad()
        model(images).mean().backward()
        optimizer.step()
assert len(images) == 4 and model.weight.grad.any()

# %% wrong no-workers
# `num_workers=0`: no memory is shared, and the images still differ in size. Another message, which at
# least says so.
for images in DataLoader(dataset, batch_size=4, num_workers=0):
    pass

# %%
class Sounds(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.full((40 - index,), float(index + 1))


dataset = Sounds()

# %% break sequence-lengths
for sounds in DataLoader(dataset, batch_size=4, num_workers=1):
    pass

# %% check sequence-lengths
lengths = [len(dataset[index]) for index in range(len(dataset))]
print(min(lengths), max(lengths))
assert min(lengths) < max(lengths)

# %% fix sequence-lengths
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def padded(sounds):
    lengths = torch.tensor([len(sound) for sound in sounds])  # what is real
    return pad_sequence(sounds, batch_first=True), lengths


loader = DataLoader(dataset, batch_size=4, num_workers=1, collate_fn=padded)

# %% proof sequence-lengths
((sounds, lengths),) = loader
assert loader.num_workers == 1
assert sounds.shape == (4, 40) and lengths.tolist() == [40, 39, 38, 37]
assert all(torch.equal(sounds[i, : lengths[i]], dataset[i]) and not sounds[i, lengths[i] :].any() for i in range(4))

# %%
x = torch.from_numpy(np.arange(6.0, dtype=np.float32))  # NumPy's memory: it cannot grow

# %% break own-resize
x.resize_(2, 4)

# %% check own-resize
print(x.untyped_storage().resizable(), x.numel())
assert not x.untyped_storage().resizable() and x.numel() < 2 * 4

# %% fix own-resize
import torch
import torch.nn.functional as F

x = F.pad(x, (0, 8 - x.numel())).reshape(2, 4)  # new memory, the rest is 0

# %% proof own-resize
assert x.tolist() == [[0, 1, 2, 3], [4, 5, 0, 0]]
