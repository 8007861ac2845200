# symptom: devices/embedding-index  row: too-few-rows
"""Recommendations: raw ids of films in a table made for their number."""

import torch
from torch import nn

torch.manual_seed(0)
ratings = [(1, 3021, 4.0), (1, 17, 3.5), (2, 8873, 5.0), (3, 3021, 2.0), (3, 401, 4.5)]
users = torch.tensor([user for user, _, _ in ratings])
films = torch.tensor([film for _, film, _ in ratings])
stars = torch.tensor([star for _, _, star in ratings])


class Factors(nn.Module):
    def __init__(self, users, films, width=8):
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.films = nn.Embedding(films, width)

    def forward(self, user, film):
        return (self.users(user) * self.films(film)).sum(1)


model = Factors(users=int(users.max()) + 1, films=len(set(films.tolist())))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(3):
    loss = nn.functional.mse_loss(model(users, films), stars)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
