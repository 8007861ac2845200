# ---
# wordings:
#   - text: "optimizer.zero_grad() was called after loss.backward() but before optimizer.step() or optimizer.synchronize()"
#     exception: AssertionError
#   - text: "optimizer.zero_grad() was called after loss.backward()"
#     exception: AssertionError
# tags: [gan, horovod, multi-gpu, optimizer]
# recover: process
# needs: ["package:horovod"]
# rows: [S001-70]
# docs: ["https://horovod.readthedocs.io/en/stable/pytorch.html"]
# causes:
#   two-optimizers:
#     likely: >-
#       frames("optimizer_D.", "optimizer_G.", "optimizer_d.", "optimizer_g.", "optimizerD.", "optimizerG.", "optimD.", "optimG.", "critic_opt", "actor_opt",
#       "generator_opt", "discriminator_opt", "disc_opt", "gen_opt", "d_optim", "g_optim", "D_optim", "G_optim")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 88, in train
#           optimizer_D.zero_grad()
#         File "/opt/conda/lib/python3.8/site-packages/horovod/torch/optimizer.py", line 329, in zero_grad
#           raise AssertionError("optimizer.zero_grad() was called after loss.backward() "
#       AssertionError: optimizer.zero_grad() was called after loss.backward() but before optimizer.step() or optimizer.synchronize(). This is prohibited as it can cause a race condition.
#   step-left-out:
#     likely: frames(" optimizer.zero_grad(", "self.optimizer.zero_grad(", "self._optimizer.zero_grad(")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 88, in train
#           optimizer.zero_grad()
#         File "/opt/conda/lib/python3.8/site-packages/horovod/torch/optimizer.py", line 329, in zero_grad
#           raise AssertionError("optimizer.zero_grad() was called after loss.backward() "
#       AssertionError: optimizer.zero_grad() was called after loss.backward() but before optimizer.step() or optimizer.synchronize(). This is prohibited as it can cause a race condition.
# ---

# %%
import os

import torch
from torch import nn

os.environ["HOROVOD_ELASTIC"] = "1"  # so that one process is enough to see it; leave this line out of your program
import horovod.torch as hvd

hvd.init()


def distributed_sgd(model, name):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    # Horovod finds gradients by their names: those of two models must differ.
    return hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters(prefix=name))


def linear(n, m):
    layer = nn.Linear(n, m)
    nn.init.constant_(layer.weight, 0.5)
    nn.init.constant_(layer.bias, 0.1)
    return layer


# %% break two-optimizers
generator, critic = linear(3, 2), linear(2, 1)
generator_optimizer = distributed_sgd(generator, "generator")
critic_optimizer = distributed_sgd(critic, "critic")

fake = generator(torch.ones(1, 3))
generator_optimizer.zero_grad()
# runs back through the critic too: Horovod starts to average its gradients
(-critic(fake)).mean().backward()
generator_optimizer.step()
critic_optimizer.zero_grad()

# %% check two-optimizers
generator, critic = linear(3, 2), linear(2, 1)
(-critic(generator(torch.ones(1, 3)))).mean().backward()
touched = [name for name, p in critic.named_parameters() if p.grad is not None]
print("the generator's loss leaves gradients in the critic:", touched)
assert touched == ["weight", "bias"]

# %% fix two-optimizers
def generator_step(generator, critic, optimizer, noise):
    optimizer.zero_grad()
    critic.requires_grad_(False)  # this step needs no gradients of the critic
    (-critic(generator(noise))).mean().backward()
    optimizer.step()
    critic.requires_grad_(True)


# %% proof two-optimizers
generator, critic = linear(3, 2), linear(2, 1)
generator_optimizer, critic_optimizer = distributed_sgd(generator, "generator"), distributed_sgd(critic, "critic")
fake = generator(torch.ones(1, 3)).detach()
for parameter in generator.parameters():
    parameter.grad = torch.ones_like(parameter)  # of an earlier step
generator_step(generator, critic, generator_optimizer, torch.ones(1, 3))
critic_optimizer.zero_grad()
critic(fake).mean().backward()
critic_optimizer.step()
# what the two steps must give: fake is 1.6, so the critic's weight falls by 0.1 * 1.6, and the generator's rises by 0.1 * 0.5
assert torch.allclose(critic.weight, torch.ones(1, 2) * 0.34)
assert torch.allclose(generator.weight, torch.ones(2, 3) * 0.55)

# %% break step-left-out
model = linear(3, 1)
optimizer = distributed_sgd(model, "model")
for x in [torch.ones(1, 3) * float("nan"), torch.ones(1, 3)]:
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    if not loss.isfinite():
        continue  # no step(): the averaging that backward() began goes on
    optimizer.step()

# %% check step-left-out
model, left_out = linear(3, 1), []
for number, x in enumerate([torch.ones(1, 3) * float("nan"), torch.ones(1, 3)]):
    if not model(x).mean().isfinite():
        left_out.append(number)
print("steps with backward() but without step():", left_out)
assert left_out == [0]

# %%
model = linear(3, 1)
optimizer = distributed_sgd(model, "model")

# %% fix step-left-out
def update(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.synchronize()  # wait for the averaging
    # averaged gradients: every process decides alike
    if all(p.grad.isfinite().all() for p in model.parameters()):
        with optimizer.skip_synchronize():
            optimizer.step()


# %% proof step-left-out
for x in [torch.ones(1, 3), torch.ones(1, 3) * float("nan"), torch.ones(1, 3)]:
    update(model(x).mean())
assert torch.allclose(model.weight, torch.ones(1, 3) * 0.3)
