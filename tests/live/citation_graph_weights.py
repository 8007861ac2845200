# symptom: autograd/backward-second-time  row: before-the-loop
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(3)
papers, features, topics = 40, 12, 3
x = torch.rand(papers, features)
y = torch.randint(0, topics, (papers,))
edges = torch.randint(0, papers, (2, 150))


class Propagate(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)

    def forward(self, x, adjacency):
        return self.lin(adjacency @ x)


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Propagate(features, 16)
        self.two = Propagate(16, topics)

    def forward(self, x, adjacency):
        return self.two(F.relu(self.one(x, adjacency)), adjacency)


edge_weight = nn.Parameter(torch.ones(edges.shape[1]))
dense = torch.zeros(papers, papers).index_put(
    (edges[0], edges[1]), torch.sigmoid(edge_weight), accumulate=True
)
adjacency = dense / dense.sum(1, keepdim=True).clamp(min=1e-6)

model = GCN()
optimizer = torch.optim.Adam([*model.parameters(), edge_weight], lr=0.01)
for epoch in range(50):
    optimizer.zero_grad()
    out = model(x, adjacency)
    loss = F.cross_entropy(out, y)
    loss.backward()
    optimizer.step()
    accuracy = (out.argmax(1) == y).float().mean()
    print(epoch, loss.item(), accuracy.item())
