# symptom: autograd/backward-second-time  row: before-the-loop
"""Node classification: the neighbours are mixed once, and then trained on in batches."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
NODES, CLASSES = 120, 4
adjacency = (torch.rand(NODES, NODES) < 0.05).float()
degree = adjacency.sum(1, keepdim=True).clamp(min=1)
labels = torch.randint(CLASSES, (NODES,))

embedding = nn.Embedding(NODES, 32)
mixer = nn.Linear(32, 32)
classifier = nn.Sequential(nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, CLASSES))
parameters = [*embedding.parameters(), *mixer.parameters(), *classifier.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)

nodes = mixer((adjacency / degree) @ embedding.weight)

for epoch in range(5):
    order = torch.randperm(NODES)
    for chosen in order.split(40):
        scores = classifier(nodes[chosen])
        loss = F.cross_entropy(scores, labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
