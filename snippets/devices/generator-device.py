# ---
# wordings:
#   - text: "Expected a '{want:device}' device type for generator but found '{got:device}'"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'"
#   - text: "Expected a '{want:device}' generator device but found '{got:device}'"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected a 'cuda:0' generator device but found 'cpu'"
#   - text: "Cannot generate a {want:device} tensor from a generator of type {got:device}"
#     exception: ValueError
#     sample: "ValueError: Cannot generate a cpu tensor from a generator of type cuda."
#   - text: "Device type {kind:ident} is not supported for torch.Generator() api"
#     exception: RuntimeError
#     sample: "RuntimeError: Device type privateuseone is not supported for torch.Generator() api."
#   - text: "device type for generator but found"
#     exception: RuntimeError
# tags: [dataloader, device, reproducibility, seed]
# recover: fix
# needs: ["fault:a generator whose device is overwritten with cuda; the device meta stands for a GPU"]
# cases:
#   default-device: {silent: true}
#   loader-generator: {}
#   own-call: {}
# related: [devices/device-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Generator.html", "https://docs.pytorch.org/docs/stable/notes/randomness.html"]
# causes:
#   default-device:
#     if: begins(want, "cuda", "mps", "xpu", "npu") and paste("utils/data/", "utils\\data\\", "random_split", "randperm", "RandomSampler")
#     likely: begins(want, "cuda", "mps") and not paste("Traceback", "File ")
#     sample: |
#       File "torch/utils/data/sampler.py", line 124, in __iter__
#         yield from torch.randperm(n, generator=generator).tolist()
#       RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'
#   loader-generator:
#     if: begins(want, "cpu") and paste("utils/data/", "utils\\data\\", "random_split", "randperm", "RandomSampler")
#   no-generator:
#     if: read(kind)
#     sample: "RuntimeError: Device type CUDA is not supported for torch.Generator() api."
#   own-call:
#     likely: >-
#       not paste("utils/data/", "utils\\data\\", "random_split", "randperm", "RandomSampler") and
#       (paste("Traceback", "File ") or paste("Cannot generate a"))
# ---

# %%
import ctypes

import torch
from torch.utils.data import DataLoader, TensorDataset


def cuda_generator():
    """There is no GPU here: a generator of the CPU that says of itself, in the field that PyTorch looks at, that it is one of CUDA."""
    generator = torch.Generator()

    class Object(ctypes.Structure):
        _fields_ = [("head", ctypes.c_byte * object.__basicsize__), ("implementation", ctypes.c_void_p)]

    memory = (ctypes.c_ubyte * 128).from_address(Object.from_address(id(generator)).implementation)
    for at in range(8, 120):
        if (memory[at], memory[at + 1]) == (0, 255):  # a device: type CPU, no index
            memory[at] = 1  # type CUDA
            if generator.device.type == "cuda":
                return generator
            memory[at] = 0
    raise RuntimeError("found no device in the generator")


labels = torch.arange(8)
dataset = TensorDataset(torch.arange(8.0), labels)
device = "meta"  # stands for "cuda"

# %% break default-device
torch.set_default_device(device)
made, generator = torch.empty(3), torch.Generator()
print(made.device, generator.device)
# new tensors are on the default device, a new generator never is
assert made.device.type != generator.device.type

# %% check default-device
torch.set_default_device(device)
print(torch.get_default_device())  # cpu, unless something has set it
assert torch.get_default_device().type == "meta"

# %%
torch.set_default_device(device)

# %% fix default-device
import torch
from torch.utils.data import DataLoader

torch.set_default_device("cpu")  # the loader works on the CPU
loader = DataLoader(dataset, shuffle=True)
for images, labels in loader:
    images = images.to(device)  # and the loop moves each batch

# %% proof default-device
assert images.device.type == "meta" and labels.device.type == "cpu"
torch.manual_seed(0)
order = [int(label) for _, label in loader]
assert sorted(order) == [*range(8)] != order

# %% break loader-generator
torch.set_default_device("cpu")
generator = cuda_generator()  # torch.Generator(device="cuda")
loader = DataLoader(dataset, shuffle=True, generator=generator)
batches = list(loader)

# %% check loader-generator
PROGRAM = "print(generator.device)"
torch.set_default_device("cpu")
generator = cuda_generator()
exec(PROGRAM)  # a loader with default settings wants cpu
assert generator.device.type == "cuda"

# %%
torch.set_default_device("cpu")

# %% fix loader-generator
import torch
from torch.utils.data import DataLoader

generator = torch.Generator()  # on the CPU
generator.manual_seed(0)
loader = DataLoader(dataset, shuffle=True, generator=generator)

# %% proof loader-generator
assert loader.generator.device.type == "cpu"
order = [int(label) for _, label in loader]
assert sorted(order) == [*range(8)]
torch.manual_seed(1)  # what else is drawn does not matter
again = DataLoader(dataset, shuffle=True, generator=torch.Generator().manual_seed(0))
assert order == [int(label) for _, label in again] != [*range(8)]

# %%
x = torch.zeros(3, 4)
asked = []  # there is no GPU here, so the devices that are asked for count
randn, Generator = torch.randn, torch.Generator
torch.randn = lambda *sizes, device=None, **options: asked.append(device) or randn(*sizes, device=device, **options)
torch.Generator = lambda device=None: asked.append(device) or Generator(device or "cpu")

# %% break own-call
generator = cuda_generator()
noise = torch.randn(x.shape, generator=generator)

# %% check own-call
PROGRAM = "print(x.device, generator.device)"
generator = cuda_generator()
exec(PROGRAM)  # must be the same
assert x.device.type != generator.device.type

# %% fix own-call
import torch

generator = torch.Generator(device=x.device).manual_seed(0)
noise = torch.randn(x.shape, generator=generator, device=x.device)

# %% proof own-call
assert asked == [x.device, x.device]
assert torch.equal(noise, randn(3, 4, generator=Generator().manual_seed(0)))
