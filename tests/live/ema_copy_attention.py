# symptom: autograd/deepcopy-non-leaf  row: stored-result
"""A teacher is a copy of the student, made after a first pass."""

import copy

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.last_weights = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        self.last_weights = torch.softmax(q @ k.transpose(1, 2) / q.size(-1) ** 0.5, -1)
        return x + self.out(self.last_weights @ v)


class MeanTeacher:
    def __init__(self, student, decay=0.99):
        self.teacher, self.decay = copy.deepcopy(student), decay

    @torch.no_grad()
    def update(self, student):
        pairs = zip(self.teacher.parameters(), student.parameters(), strict=True)
        for ours, theirs in pairs:
            ours.lerp_(theirs, 1 - self.decay)


student = nn.Sequential(Block(), Block(), nn.Linear(32, 4))
print(student(torch.randn(2, 6, 32)).shape)
teacher = MeanTeacher(student)
teacher.update(student)
