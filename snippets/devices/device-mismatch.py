# ---
# wordings:
#   - text: "Expected all tensors to be on the same device, but found at least two devices, {a:device} and {b:device}! (when checking argument for argument {arg:ident} in method {op:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_addmm)"
#   - text: "Expected all tensors to be on the same device, but found at least two devices, {a:device} and {b:device}!"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
#   - text: "Expected all tensors to be on the same device, but got {arg:ident} is on {b:device}, different from other tensors on {a:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)"
#   - text: "Expected all tensors to be on the same device"
#     exception: RuntimeError
#   - text: "but found at least two devices, {a:device} and {b:device}"
#     exception: RuntimeError
#     sample: "but found at least two devices, cuda:0 and cpu!"
#   - text: "Tensor on device {b:device} is not on the expected device {a:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: Tensor on device cpu is not on the expected device meta!"
#   - text: "found two different devices {a:device}, {b:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: Unhandled FakeTensor Device Propagation for aten.mul.Tensor, found two different devices cuda:0, cpu"
#   - text: "expected device {a:device} but got device {b:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected device cuda:0 but got device cpu"
#   - text: "Expected object of backend {a:ident} but got backend {b:ident} for argument #{_:int} '{arg:ident}' in call to {op:ident}"
#     exception: RuntimeError
#     when: [differ, a, b]
#     sample: "RuntimeError: Expected object of backend CPU but got backend CUDA for argument #4 'mat1' in call to _th_addmm"
#   - text: "Expected object of backend {a:ident} but got backend {b:ident} for argument #{_:int} '{arg:ident}'"
#     exception: RuntimeError
#     when: [differ, a, b]
#     sample: "RuntimeError: Expected object of backend CPU but got backend CUDA for argument #4 'mat1'"
#   - text: "Expected object of device type {a:ident} but got device type {b:ident} for argument #{_:int} '{arg:ident}' in call to {op:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected object of device type cuda but got device type cpu for argument #1 'self' in call to _th_mm"
#   - text: "Expected object of device type {a:ident} but got device type {b:ident} for argument"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected object of device type cuda but got device type cpu for argument #3 'index'"
#   - text: "Expected object of type torch.{want:dtype} but found type torch.{got:dtype} for argument #{_:int} '{arg:ident}'"
#     exception: RuntimeError
#     when: [differ, want, got]
#     sample: "RuntimeError: Expected object of type torch.FloatTensor but found type torch.cuda.FloatTensor for argument #2 'other'"
#   - text: "Expected object of type Variable[torch.{want:dtype}] but found type Variable[torch.{got:dtype}]"
#     exception: RuntimeError
#     when: [differ, want, got]
#     sample: "RuntimeError: Expected object of type Variable[torch.FloatTensor] but found type Variable[torch.cuda.FloatTensor] for argument #1 'mat2'"
#   - text: "expected type torch.{want:dtype} but got torch.{got:dtype}"
#     exception: RuntimeError
#     when: [differ, want, got]
#     sample: "RuntimeError: expected type torch.cuda.FloatTensor but got torch.FloatTensor"
#   - text: "expected backend {a:ident} and dtype {_:dtype} but got backend {b:ident} and dtype {_:dtype}"
#     exception: RuntimeError
#     when: [differ, a, b]
#     sample: "RuntimeError: expected backend CUDA and dtype Float but got backend CPU and dtype Float"
#   - text: "expected device {a:device} and dtype {_:dtype} but got device {b:device} and dtype {_:dtype}"
#     exception: RuntimeError
#     when: [differ, a, b]
#     sample: "RuntimeError: expected device cuda:0 and dtype Float but got device cpu and dtype Float"
#   - text: "to have the same type as tensor for argument #{_:int} '{_:ident}'; but type {a:line} does not equal {b:line} (while checking arguments for"
#     exception: RuntimeError
#     when: [differ, a, b]
#     sample: "RuntimeError: Expected tensor for argument #1 'input' to have the same type as tensor for argument #2 'weight'; but type torch.cuda.FloatTensor does not equal torch.FloatTensor (while checking arguments for cudnn_convolution)"
#   - text: "expected CPU tensor (got CUDA tensor)"
#     exception: RuntimeError
#   - text: "expected CUDA tensor (got CPU tensor)"
#     exception: RuntimeError
#   - text: "Expected tensor to have {want:ident} Backend, but got tensor with {got:ident} Backend"
#     exception: RuntimeError
#     when: [differ, want, got]
#     sample: "RuntimeError: Expected tensor to have CPU Backend, but got tensor with CUDA Backend (while checking arguments for mkldnn_convolution)"
#   - text: "Tensor for argument #{_:int} '{arg:ident}' is on {b:ident}, but expected it to be on {a:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Tensor for argument #2 'mat1' is on CPU, but expected it to be on GPU (while checking arguments for addmm)"
#   - text: "but expected them to be on GPU (while checking arguments for"
#     exception: RuntimeError
#   - text: "Input, output and indices must be on the current device"
#     exception: RuntimeError
#   - text: "tensors are not at the same device, found input tensor at {a:device} and {part:ident} tensor at {b:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: Input and parameter tensors are not at the same device, found input tensor at cpu and parameter tensor at cuda:0"
#   - text: "to have the same device as tensor for argument #{_:int} '{_:ident}'; but device {first:int} does not equal {second:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected tensor for 'out' to have the same device as tensor for argument #2 'mat1'; but device 1 does not equal 3 (while checking arguments for addmm)"
#   - text: "to have the same device as tensor for"
#     exception: RuntimeError
#   - text: "arguments are located on different GPUs"
#     exception: RuntimeError
#   - text: "tensors are on different GPUs"
#     exception: RuntimeError
#   - text: "expected both inputs to be on same device, but input a is on {a:device} and input b is on {b:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: binary_op(): expected both inputs to be on same device, but input a is on cuda:0 and input b is on cpu"
#   - text: "input tensors must be on the same device. Received {a:device} and {b:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: All input tensors must be on the same device. Received cpu and cuda:0"
#   - text: "indices should be either on"
#     exception: RuntimeError
#   - text: "Placeholder storage has not been allocated on MPS device"
#     exception: RuntimeError
#   - text: "Passed CPU tensor to MPS op"
#     exception: RuntimeError
#   - text: "Tensors of the same index must be on the same device and the same dtype"
#     exception: RuntimeError
#   - text: "Expected query, key, and value to have the same device type, but got query.device: {a:device} key.device: {b:device} and value.device"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected query, key, and value to have the same device type, but got query.device: cuda:0 key.device: cpu and value.device: cpu instead."
#   - text: "You can't train a model that has been loaded with `device_map='auto'` in any distributed mode"
#     exception: ValueError
# tags: [checkpoint, comfyui, cuda, device, multi-gpu, optimizer]
# recover: fix
# cases:
#   batch:
#     needs: ["torch:2.13"]  # older fake tensors ask for a driver: so it was on 2.6
#     wrong: {default-device: "https://github.com/VainF/Torch-Pruning/issues/344"}
#   model-on-cpu: {needs: ["torch:2.13"]}
#   made-in-forward: {needs: ["torch:2.13"]}
#   plain-attribute: {needs: ["torch:2.13"]}
#   two-gpus: {needs: ["torch:2.13"]}
#   device-map:
#     needs: ["torch:2.13"]
#     commands:
#       linux: |
#         pip install -U transformers accelerate
#         CUDA_VISIBLE_DEVICES=0 python generate.py  # where the model fits on one GPU
#       powershell: |
#         pip install -U transformers accelerate
#         $env:CUDA_VISIBLE_DEVICES = "0"; python generate.py  # where the model fits on one GPU
#       notebook: |
#         %pip install -U transformers accelerate
#         %env CUDA_VISIBLE_DEVICES=0
#       torchrun: |
#         # to train: one process a GPU, and no device_map="auto" in from_pretrained
#         torchrun --nproc_per_node 2 train.py
#   index: {needs: [cuda]}
#   resumed-optimizer: {needs: [cuda]}
# rows: [S003-05]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer"]
# causes:
#   batch:
#     likely: >-
#       (b in ["cpu", "CPU"] and (arg in ["mat1", "index", "indices", "input", "target"] or op
#       in ["_thnn_conv2d_forward", "_thnn_conv_depthwise2d_forward", "_th_mm"])) or (a in
#       ["cpu", "CPU"] and begins(b, "cuda", "CUDA") and arg in ["mat2", "weight"] and not
#       paste("bmm", "nll_loss")) or (begins(got, "Float", "Long", "Half") and arg in ["mat1",
#       "index", "indices", "input", "target"]) or (begins(got, "cuda") and arg in ["mat2",
#       "weight", "bias"]) or (part == "parameter" and a == "cpu") or paste("Input, output and
#       indices must be on the current device")
#       or live("layer", "cuda") and live("input", "cpu")
#     sample: "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument target in method wrapper_CUDA_nll_loss_forward)"
#     undecided: the message of this operation names two devices and no argument
#   model-on-cpu:
#     likely: >-
#       (a in ["cpu", "CPU"] and begins(b, "cuda", "CUDA", "GPU") and arg in ["mat1", "index",
#       "indices"]) or (b in ["cpu", "CPU"] and arg in ["mat2", "weight", "bias",
#       "running_mean"] and not paste("bmm", "nll_loss")) or (begins(got, "cuda") and arg in
#       ["mat1", "index", "indices"]) or (begins(got, "Float", "Half") and arg in ["mat2",
#       "weight", "bias"]) or (b in ["cpu", "CPU"] and arg == "self" and op in ["_th_addmm",
#       "_th_index_select"]) or (part == "parameter" and b == "cpu")
#       or live("layer", "cpu") and live("input", "cuda")
#     sample: "RuntimeError: Expected object of backend CPU but got backend CUDA for argument #4 'mat1'"
#     undecided: the message of this operation names two devices and no argument
#   made-in-forward:
#     if: arg == "weight" and b in ["cpu", "CPU"] and paste("nll_loss")
#     likely: >-
#       (part == "hidden" and b == "cpu") or (begins(a, "cuda") and begins(b, "cuda") and paste("in replica ", "parallel_apply")) or
#       (frames("torch.arange(", "torch.zeros(", "torch.ones(", "torch.tensor(", "torch.linspace(", "torch.eye(", "torch.randn(", "torch.full(") and
#       not frames("device=", ".to(", ".cuda("))
#     sample: "RuntimeError: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_nll_loss_forward)"
#     undecided: a tensor made a line earlier looks like any other
#   plain-attribute:
#     likely: >-
#       (a in ["cpu", "CPU"] or b in ["cpu", "CPU"]) and frames(", self.", "- self.", "+ self.", "* self.", "/ self.") and
#       not frames("linear.py", "conv.py", "sparse.py", "normalization.py", "batchnorm.py", "rnn.py", "loss.py", "activation.py", "lightning", "transformers")
#   two-gpus:
#     undecided: two GPUs may also mean device_map, DataParallel, or a batch on another GPU
#   device-map:
#     if: >-
#       paste("You can't train a model that has been loaded with `device_map=") or
#       paste("device_map=", "accelerate/hooks.py", "accelerate\\hooks.py") and
#       ((begins(a, "cuda") and begins(b, "cuda")) or begins(a, "meta") or begins(b, "meta"))
#     likely: >-
#       (begins(a, "cuda") and begins(b, "cuda") and frames("transformers/", "transformers\\", "modeling_") and not paste("in replica ", "parallel_apply")) or
#       begins(a, "meta") or begins(b, "meta")
#     undecided: the hooks of this run are its own, not Accelerate's
#     sample: |
#       model = AutoModelForCausalLM.from_pretrained(model_id, device_map="auto")
#       RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cuda:0! (when checking argument for argument index in method wrapper_CUDA__index_select)
#   index:
#     if: paste("indices should be either on")
#     sample: "RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)"
#   resumed-optimizer:
#     likely: >-
#       frames("_single_tensor_", "_multi_tensor_", "exp_avg", "exp_avgs", "momentum_buffer",
#       "momentum_buffers", "torch/optim/adam", "torch/optim/adamw", "torch\\optim\\adam",
#       "torch\\optim\\adamw", "torch/optim/sgd", "torch\\optim\\sgd") and not frames("closure()",
#       ".backward(")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 60, in <module>
#           optimizer.step()
#         File "torch/optim/adam.py", line 107, in step
#           exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
#       RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# ---

# %%
import numpy as np
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

torch.set_default_device(None)  # as in every new process: new tensors are made on the CPU
torch.manual_seed(0)
real_to = {kind: kind.to for kind in (nn.Module, torch.Tensor)}


def pretend(thing, device):
    """From the first `.to(device)` on, tensors have a shape and a device but no values: every machine has a `cuda:0` and a `cuda:1`."""
    torch.set_grad_enabled(False)
    FakeTensorMode(allow_non_fake_inputs=True).__enter__()
    for kind, to in real_to.items():
        kind.to = to
    return thing.to(device)


nn.Module.to = torch.Tensor.to = pretend
device = "cuda:0"
model = nn.Linear(8, 2)
loss_fn = nn.CrossEntropyLoss()
images, labels = torch.randn(4, 8), torch.tensor([0, 1, 1, 0])

# %% break batch
model.to(device)  # a module is moved itself ...
images.to(device)  # ... a tensor is not: this makes a copy, and drops it
labels.to(device)
loss = loss_fn(model(images), labels)

# %% check batch
model.to(device)
images.to(device)
# above the failing line: all must be equal
print(next(model.parameters()).device, images.device, labels.device)
assert images.device != next(model.parameters()).device

# %% fix batch
model.to(device)  # a module is moved itself ...
images, labels = images.to(device), labels.to(device)  # ... a tensor comes back
loss = loss_fn(model(images), labels)

# %% proof batch
assert loss.device == images.device == labels.device == model.weight.device == torch.device("cuda:0")

# %% use batch
model = nn.Sequential(nn.Flatten(), nn.Linear(12, 3))
loader = [(torch.randn(5, 3, 4), torch.arange(5) % 3)]
images, labels = next(iter(loader))
# >>>
model.to(device)
loss = loss_fn(model(images), labels)
# <<<
right = (model(images).argmax(1) == labels).sum()
assert loss.device == right.device == torch.device(device)
assert model[1].weight.device == torch.device(device)

# %% wrong default-device
# `torch.set_default_device(device)` at the top: it is for tensors that torch makes. What a dataset
# takes from NumPy or from an image file stays on the CPU.
torch.set_default_device(device)
model.to(device)
images = torch.from_numpy(np.ones((4, 8), dtype="float32"))
loss = loss_fn(model(images), torch.tensor([0, 1, 1, 0]))

# %% break model-on-cpu
images = images.to(device)
outputs = model(images)

# %% check model-on-cpu
images = images.to(device)
print(next(model.parameters()).device, images.device)
assert next(model.parameters()).device == torch.device("cpu")

# %% fix model-on-cpu
model.to(device)  # once, before the loop
images = images.to(device)
outputs = model(images)

# %% proof model-on-cpu
assert outputs.device == model.weight.device == model.bias.device == torch.device("cuda:0")


# %% break made-in-forward
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        positions = torch.linspace(0, 1, x.shape[1])  # no device named: on the CPU
        return self.layer(x + positions)


model = Net().to(device)
outputs = model(images.to(device))

# %% check made-in-forward
images = images.to(device)
with torch.device(device):  # new tensors are made there if they name no device
    outputs = images + torch.linspace(0, 1, 8)
print(outputs.device)  # the step fails without that `with` only: this is the cause
assert outputs.device == torch.device("cuda:0")

# %% fix made-in-forward
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        positions = torch.linspace(0, 1, x.shape[1], device=x.device)
        return self.layer(x + positions)


# %% proof made-in-forward
model = Net()
torch.testing.assert_close(model(images), model.layer(images + torch.arange(8) / 7))
model.to(device)
assert model(images.to(device)).device == torch.device("cuda:0")


# %% break plain-attribute
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.full((8,), 0.5)  # a plain attribute: .to() passes it by
        self.heads = [nn.Linear(8, 2), nn.Linear(8, 2)]  # a plain list: the same

    def forward(self, x):
        return sum(head(x - self.mean) for head in self.heads)


model = Net().to(device)
outputs = model(images.to(device))

# %% check plain-attribute
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)
        self.mean = torch.full((8,), 0.5)
        self.heads = [nn.Linear(8, 2), nn.Linear(8, 2)]


model = Net()
forgotten = []  # what .to(device) does not move
for part, module in model.named_modules():
    for name, value in vars(module).items():
        if isinstance(value, (torch.Tensor, list)):
            forgotten.append((part, name))
print(forgotten)
assert forgotten == [("", "mean"), ("", "heads")]

# %% fix plain-attribute
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.full((8,), 0.5))
        self.heads = nn.ModuleList([nn.Linear(8, 2), nn.Linear(8, 2)])

    def forward(self, x):
        return sum(head(x - self.mean) for head in self.heads)


# %% proof plain-attribute
model = Net()
assert set(model.state_dict()) == {"mean", "heads.0.weight", "heads.0.bias", "heads.1.weight", "heads.1.bias"}
torch.testing.assert_close(model(images), model.heads[0](images - 0.5) + model.heads[1](images - 0.5))
model.to(device)
assert model(images.to(device)).device == torch.device("cuda:0")

# %% break two-gpus
first, second = nn.Linear(8, 16), nn.Linear(16, 2)
first.to("cuda:0"), second.to("cuda:1")
hidden = first(images.to("cuda:0"))
outputs = second(hidden)  # hidden is still on the first GPU

# %% check two-gpus
model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 2))
model[0].to("cuda:0"), model[1].to("cuda:1")
found = {str(parameter.device) for parameter in model.parameters()}
print(sorted(found))  # more than one: the model itself is split
assert found == {"cuda:0", "cuda:1"}

# %% fix two-gpus
from torch import nn

first, second = nn.Linear(8, 16), nn.Linear(16, 2)
first.to("cuda:0"), second.to("cuda:1")
hidden = first(images.to("cuda:0"))
outputs = second(hidden.to("cuda:1"))  # gradients flow back through .to()

# %% proof two-gpus
assert (hidden.device, outputs.device) == (torch.device("cuda:0"), torch.device("cuda:1"))
assert (first.weight.device, second.weight.device) == (torch.device("cuda:0"), torch.device("cuda:1"))

# %%
class Decoder(nn.Module):
    """Written for one GPU: the last line joins what the first and the second layer made."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        hidden = self.first(x)
        return self.second(hidden) + hidden


def spread(model, device_map):
    """As Accelerate does: each layer on its GPU, and a hook that moves what goes into it."""
    for name, device in device_map.items():
        layer = getattr(model, name)
        layer.to(device)
        layer.register_forward_pre_hook(lambda layer, inputs: tuple(value.to(layer.weight.device) for value in inputs))
    return model


# %% break device-map
# what device_map="auto" does with two GPUs
model = spread(Decoder(), {"first": "cuda:0", "second": "cuda:1"})
outputs = model(images.to("cuda:0"))

# %% check device-map
model = spread(Decoder(), {"first": "cuda:0", "second": "cuda:1"})
found = sorted({str(parameter.device) for parameter in model.parameters()})
print(found)  # in Transformers: print(model.hf_device_map)
assert len(found) > 1

# %% proof device-map
model = spread(Decoder(), {"first": "cuda:0", "second": "cuda:0"})  # a single GPU is visible
outputs = model(images.to("cuda:0"))
assert outputs.device == torch.device("cuda:0")

# %%
for kind, to in real_to.items():  # what follows needs a real GPU
    kind.to = to

# %% break index
scores = torch.tensor([0.9, 0.2, 0.7], device="cuda:0")
boxes = torch.arange(12).reshape(3, 4)  # on the CPU
boxes[scores > 0.5]  # a mask that is on the GPU

# %% check index
scores = torch.tensor([0.9, 0.2, 0.7], device="cuda:0")
boxes = torch.arange(12).reshape(3, 4)
# a GPU tensor takes indices from the CPU, but not the other way round
print(boxes.device, (scores > 0.5).device)
assert boxes.device != scores.device

# %% fix index
import torch

scores = torch.tensor([0.9, 0.2, 0.7], device="cuda:0")
# or, to stay on the CPU: boxes[(scores > 0.5).cpu()]
boxes = torch.arange(12).reshape(3, 4).to(scores.device)
kept = boxes[scores > 0.5]

# %% proof index
assert kept.tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]


# %%
def train_step(model, optimizer):
    optimizer.zero_grad()
    device = next(model.parameters()).device
    loss_fn(model(images.to(device)), labels.to(device)).backward()
    optimizer.step()


trained = nn.Linear(8, 2)
trained_optimizer = torch.optim.Adam(trained.parameters())
train_step(trained, trained_optimizer)
torch.save({"model": trained.state_dict(), "optimizer": trained_optimizer.state_dict()}, "checkpoint.pt")

# %% break resumed-optimizer
checkpoint = torch.load("checkpoint.pt")
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])  # its state goes to the CPU, too
model.to(device)  # takes the weights along, not the optimizer's state
train_step(model, optimizer)

# %% check resumed-optimizer
checkpoint = torch.load("checkpoint.pt")
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])
model.to(device)
state = optimizer.state[model.weight]["exp_avg"]
print(model.weight.device, state.device)  # must be equal
assert model.weight.device != state.device

# %% fix resumed-optimizer
import torch

checkpoint = torch.load("checkpoint.pt", map_location="cpu")
model.load_state_dict(checkpoint["model"])
model.to(device)  # first move the model ...
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])  # ... its state follows them

# %% proof resumed-optimizer
train_step(model, optimizer)
train_step(trained, trained_optimizer)  # the same second step, without the interruption
assert model.weight.device == torch.device(device)
assert torch.allclose(model.weight.cpu(), trained.weight, rtol=1e-3, atol=1e-5)
