# ---
# wordings:
#   - text: "Creating a tensor from a list of numpy.ndarrays is extremely slow"
#     exception: UserWarning
#     role: remark
# tags: [numpy, reinforcement-learning, slow, warning]
# recover: fix
# rows: [S001-13]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html"]
# cases:
#   list-of-arrays: {wrong: {as-tensor: "https://github.com/AI4Finance-Foundation/ElegantRL/issues/106"}}
# causes:
#   list-of-arrays:
#     likely: >-
#       not paste("torch.Tensor(", "FloatTensor(", "th.Tensor(", ".numpy() for ", "only one element")
#       and not paste("replay", "rewards", "next_state", "next_obs", "transitions", "dones", "observations")
#   float32-constructor:
#     if: paste("torch.Tensor(", "FloatTensor(", "th.Tensor(")
#   replay-buffer:
#     likely: paste("replay", "rewards", "next_state", "next_obs", "transitions", "dones", "observations")
#   tensors-through-numpy:
#     if: paste(".numpy() for ")
#   element-tensors: {case: tensors-through-numpy}
# ---

# %%
import random
import time

import numpy as np
import torch

torch.set_num_threads(1)
images = [np.random.default_rng(i).random((84, 84)) for i in range(32)]


def seconds(call):
    """The least processor time of some calls: other work on the machine does not count."""
    times = []
    for _ in range(7):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return max(min(times), 1e-6)


# %% break list-of-arrays
batch = torch.tensor(images)  # number by number, through Python

slow = seconds(lambda: torch.tensor(images))
fast = seconds(lambda: torch.from_numpy(np.stack(images)))
print(f"{slow / fast:.0f} times slower")
assert slow > 10 * fast

# %% check list-of-arrays
print(type(images), type(images[0]), len(images))  # a list (or tuple) of arrays
assert isinstance(images, list) and isinstance(images[0], np.ndarray)

# %% fix list-of-arrays
import numpy as np
import torch

batch = torch.from_numpy(np.stack(images))  # one copy of memory, then none

# %% proof list-of-arrays
assert batch.shape == (32, 84, 84) and batch.dtype == torch.float64
assert all(np.array_equal(row, image) for row, image in zip(batch.numpy(), images, strict=True))

# %% use list-of-arrays
from torch.utils.data import DataLoader


def collate(samples):
    images = [image for image, label in samples]
    # >>>
    batch = torch.tensor(images)
    # <<<
    return batch, torch.tensor([label for image, label in samples])


frames = [np.random.default_rng(i).random((3, 8, 8)) for i in range(10)]
loader = DataLoader([(frame, i % 2) for i, frame in enumerate(frames)], 4, collate_fn=collate)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 2)).double()
for images, labels in loader:
    torch.nn.functional.cross_entropy(model(images), labels).backward()
assert images.shape == (2, 3, 8, 8) and np.array_equal(images[1].numpy(), frames[9])

# %% wrong as-tensor
# `torch.as_tensor` in place of `torch.tensor`: of a list it also takes number by number. As slow.
slow = seconds(lambda: torch.as_tensor(images))
fast = seconds(lambda: torch.from_numpy(np.stack(images)))
print(f"{slow / fast:.0f} times slower")
assert slow > 10 * fast

# %%
labels = [np.array([16_777_216, 16_777_217, 16_777_218]), np.array([1, 2, 3])]  # numbers of products, say

# %% break float32-constructor
batch = torch.Tensor(labels)  # a capital T: float32, in steps of 2 up here
print(batch.dtype, batch[0].long().tolist())
assert batch[0, 1].item() == 16_777_216  # 1 is lost

# %% check float32-constructor
print(labels[0].dtype, torch.Tensor(labels[0]).dtype)  # what goes in and comes out
assert labels[0].dtype == np.int64
assert torch.Tensor(labels[0]).dtype == torch.float32

# %% fix float32-constructor
import numpy as np
import torch

batch = torch.from_numpy(np.stack(labels))

# %% proof float32-constructor
assert batch.dtype == torch.int64
assert batch.tolist() == [[16_777_216, 16_777_217, 16_777_218], [1, 2, 3]]

# %%
steps = [(np.full(64, i, dtype=np.float32), i % 4, float(i)) for i in range(5000)]  # observation, action, reward
chosen = random.Random(0).sample(range(5000), 256)

# %% break replay-buffer
buffer = list(steps)  # a list (or deque) of transitions


def sample():
    observations, actions, rewards = zip(*[buffer[i] for i in chosen], strict=True)
    return torch.tensor(observations), torch.tensor(actions), torch.tensor(rewards)


arrays = np.stack([observation for observation, _, _ in steps])
slow, fast = seconds(sample), seconds(lambda: torch.from_numpy(arrays[chosen]))
print(f"{slow / fast:.0f} times slower")
assert slow > 10 * fast

# %% check replay-buffer
observations, actions, rewards = zip(*steps[:3], strict=True)
# an array is slow here, a number is not
print(type(observations[0]), type(actions[0]), type(rewards[0]))
assert isinstance(observations[0], np.ndarray)
assert not isinstance(rewards[0], np.ndarray)

# %% fix replay-buffer
import numpy as np
import torch


class ReplayBuffer:
    def __init__(self, size, features):
        # one array for each field, made once
        self.observations = np.zeros((size, features), dtype=np.float32)
        self.actions = np.zeros(size, dtype=np.int64)
        self.rewards = np.zeros(size, dtype=np.float32)

    def store(self, i, observation, action, reward):
        self.observations[i] = observation
        self.actions[i], self.rewards[i] = action, reward

    def sample(self, chosen):
        fields = self.observations, self.actions, self.rewards
        return [torch.from_numpy(field[chosen]) for field in fields]


# %% proof replay-buffer
buffer = ReplayBuffer(5000, 64)
for i, step in enumerate(steps):
    buffer.store(i, *step)
observations, actions, rewards = buffer.sample(chosen)
assert (observations.dtype, actions.dtype, rewards.dtype) == (torch.float32, torch.int64, torch.float32)
assert observations.tolist() == [steps[i][0].tolist() for i in chosen]
assert actions.tolist() == [steps[i][1] for i in chosen] and rewards.tolist() == [steps[i][2] for i in chosen]

# %%
images = [torch.randn(64, 64, requires_grad=True) for _ in range(16)]

# %% break tensors-through-numpy
def through_numpy():
    return torch.tensor([image.detach().cpu().numpy() for image in images])


batch = through_numpy()
slow, fast = seconds(through_numpy), seconds(lambda: torch.stack(images))
print(f"{slow / fast:.0f} times slower, and requires_grad is {batch.requires_grad}")
assert slow > 5 * fast and not batch.requires_grad

# %% check tensors-through-numpy
print(type(images[0]))  # a tensor: there is no reason to go through numpy
assert isinstance(images[0], torch.Tensor)

# %% fix tensors-through-numpy
import torch

batch = torch.stack(images)

# %% proof tensors-through-numpy
weights = torch.arange(16.0)[:, None, None].expand(16, 64, 64)
(batch * weights).sum().backward()
assert batch.shape == (16, 64, 64) and batch.device == images[0].device
assert all(torch.equal(image.grad, weight) and torch.equal(row, image) for row, image, weight in zip(batch, images, weights, strict=True))
