# symptom: autograd/numpy-requires-grad  row: inside-the-loss
"""A loss over spectra, for which NumPy's FFT is used."""

import numpy as np
import torch
from torch import nn

denoise = nn.Sequential(nn.Conv1d(1, 16, 9, padding=4), nn.ReLU(), nn.Conv1d(16, 1, 9, padding=4))
optimizer = torch.optim.Adam(denoise.parameters(), lr=1e-3)


def spectral_loss(output, target):
    ours = np.abs(np.fft.rfft(output.numpy(), axis=-1))
    theirs = np.abs(np.fft.rfft(target.numpy(), axis=-1))
    return torch.from_numpy(np.square(ours - theirs)).mean()


for step in range(10):
    clean = torch.sin(torch.linspace(0, 20, 256)).repeat(8, 1, 1)
    noisy = clean + 0.1 * torch.randn_like(clean)
    cleaned = denoise(noisy)
    loss = nn.functional.l1_loss(cleaned, clean) + 0.1 * spectral_loss(cleaned, clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
