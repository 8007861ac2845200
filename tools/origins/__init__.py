"""Reads out of PyTorch's wheels where its messages are written, and in which releases."""
