# symptom: autograd/modified-by-inplace  row: stepped-weights
"""Actor and critic on a toy environment; the critic is updated first."""

import torch
from torch import nn

torch.manual_seed(1)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)


class Env:
    def __init__(self):
        self.state = torch.zeros(1, 4)

    def step(self, action):
        self.state = self.state + 0.1 * torch.randn(1, 4) + 0.01 * (action - 0.5)
        return self.state, float(self.state.abs().sum() < 3)


env = Env()
state = env.state
for step in range(50):
    policy = torch.distributions.Categorical(logits=actor(state))
    action = policy.sample()
    new_state, reward = env.step(action)
    advantage = reward + 0.99 * critic(new_state).detach() - critic(state)

    critic_opt.zero_grad()
    advantage.pow(2).mean().backward(retain_graph=True)
    critic_opt.step()

    actor_loss = -(policy.log_prob(action) * advantage).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    state = new_state
