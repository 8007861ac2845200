# symptom: dtypes/numpy-object  row: ragged
import numpy as np
import torch

signals = np.array([np.random.rand(n) for n in (100, 120, 80)], dtype=object)
x = torch.from_numpy(signals)
