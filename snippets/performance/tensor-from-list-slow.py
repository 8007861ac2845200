# ---
# wordings:
#   - text: "Creating a tensor from a list of numpy.ndarrays is extremely slow"
#     exception: UserWarning
# tags: [numpy, reinforcement-learning, slow, warning]
# rows: [S001-13]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html"]
# ---

# %%
import random
import statistics
import time

import numpy as np
import torch

frames = [np.random.default_rng(i).random((84, 84)) for i in range(32)]


def median_time(call, repeat=5):
    """Median of several runs: one slow moment of the machine does not count."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# %% break list-of-arrays
batch = torch.tensor(frames)  # number by number, through Python

slow = median_time(lambda: torch.tensor(frames))
fast = median_time(lambda: torch.from_numpy(np.stack(frames)))
print(f"{slow / fast:.0f} times slower")
assert slow > 10 * fast

# %% check list-of-arrays
print(type(frames), type(frames[0]), len(frames))  # a list (or tuple), and arrays in it
assert isinstance(frames, list) and isinstance(frames[0], np.ndarray)

# %% fix list-of-arrays
batch = torch.from_numpy(np.stack(frames))  # one copy of memory, then none
assert batch.shape == (32, 84, 84) and batch.dtype == torch.float64
assert all(np.array_equal(row, frame) for row, frame in zip(batch.numpy(), frames, strict=True))

# %%
ids = [np.array([16_777_216, 16_777_217, 16_777_218]), np.array([1, 2, 3])]

# %% break float32-constructor
batch = torch.Tensor(ids)  # a capital T: float32, which counts in steps of 2 up here
print(batch.dtype, batch[0].long().tolist())
assert batch[0, 1].item() == 16_777_216  # 1 is lost

# %% check float32-constructor
print(ids[0].dtype, torch.Tensor(ids[0]).dtype)  # what goes in, and what comes out
assert ids[0].dtype == np.int64 and torch.Tensor(ids[0]).dtype == torch.float32

# %% fix float32-constructor
batch = torch.from_numpy(np.stack(ids))
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
slow, fast = median_time(sample), median_time(lambda: torch.from_numpy(arrays[chosen]))
print(f"{slow / fast:.0f} times slower")
assert slow > 10 * fast

# %% check replay-buffer
observations, actions, rewards = zip(*steps[:3], strict=True)
print(type(observations[0]), type(actions[0]), type(rewards[0]))  # an array is slow here, a number is not
assert isinstance(observations[0], np.ndarray) and not isinstance(rewards[0], np.ndarray)

# %% fix replay-buffer
observations = np.zeros((5000, 64), dtype=np.float32)  # one array for each field, made once
actions = np.zeros(5000, dtype=np.int64)
rewards = np.zeros(5000, dtype=np.float32)
for i, step in enumerate(steps):  # store
    observations[i], actions[i], rewards[i] = step


def sample():
    return [torch.from_numpy(field[chosen]) for field in (observations, actions, rewards)]


batch = sample()
assert batch[0][:, 0].tolist() == [steps[i][0][0] for i in chosen]
assert batch[1].tolist() == [steps[i][1] for i in chosen] and batch[2].tolist() == [steps[i][2] for i in chosen]

# %%
features = [torch.randn(64, 64, requires_grad=True) for _ in range(16)]

# %% break tensors-through-numpy
batch = torch.tensor([feature.detach().cpu().numpy() for feature in features])

slow = median_time(lambda: torch.tensor([feature.detach().cpu().numpy() for feature in features]))
fast = median_time(lambda: torch.stack(features))
print(f"{slow / fast:.0f} times slower, and requires_grad is {batch.requires_grad}")
assert slow > 5 * fast and not batch.requires_grad

# %% check tensors-through-numpy
print(type(features[0]))  # a tensor: there is no reason to go through numpy
assert isinstance(features[0], torch.Tensor)

# %% fix tensors-through-numpy
batch = torch.stack(features)
batch.sum().backward()
assert batch.shape == (16, 64, 64) and batch.device == features[0].device
assert all(torch.equal(feature.grad, torch.ones_like(feature)) for feature in features)  # the graph goes through
