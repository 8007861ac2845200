# ---
# wordings:
#   - text: "slice_builder_worker_addresses specified. Expected {want:int} worker addresses, got {got:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Bad StatusOr access: UNKNOWN: TPU initialization failed: Invalid --2a886c8_slice_builder_worker_addresses specified. Expected 4 worker addresses, got 1."
#   - text: "TPU initialization failed: {why:line}"
#     near: [torch_xla, xla_model, accelerate, lightning, "Bad StatusOr access"]
#     exception: RuntimeError
#     sample: "RuntimeError: Bad StatusOr access: UNKNOWN: TPU initialization failed: open(/dev/accel2): Operation not permitted"
#   - text: "The TPU is already in use by process with pid {pid:int}"
#     near: [torch_xla, xla_model, accelerate, lightning, "Bad StatusOr access"]
#     sample: "RuntimeError: Bad StatusOr access: ABORTED: The TPU is already in use by process with pid 4821. Not attempting to load libtpu.so in this process."
#   - text: "Bad StatusOr access: RESOURCE_EXHAUSTED: {full:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: Bad StatusOr access: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space vmem."
#   - text: "Ran out of memory in memory space hbm"
#     near: [torch_xla, xla_model, "xla/xla_client", "XRTExecute"]
#     unless: [jaxlib, tensorflow.python, tensorflow/python]
#   - text: "RESOURCE_EXHAUSTED: Attempting to reserve {full:line}"
#     near: [torch_xla, xla_model, "xla/xla_client", "XRTExecute"]
#     unless: [jaxlib, tensorflow.python, tensorflow/python]
#     sample: "E tensorflow/compiler/xla/xla_client/xla_util.cc:88]   (1) RESOURCE_EXHAUSTED: Attempting to reserve 6.48G at the bottom of memory. That was not possible."
#   - text: "Cannot replicate if number of devices ({here:int}) is different from {all:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Cannot replicate if number of devices (1) is different from 8"
#   - text: "module 'torch' has no attribute 'xla'"
#     exception: AttributeError
#   - text: "No matching distribution found for torch-xla"
#   - text: "No matching distribution found for torch_xla"
#   - text: "Missing XLA configuration"
#     exception: RuntimeError
#   - text: "No module named 'torch_xla'"
#     exception: ModuleNotFoundError
#   - text: "PyTorch is not linked with support for xla devices"
#     exception: RuntimeError
#   - text: "metadata.google.internal{where:line}"
#     near: [torch_xla, xla_model]
#     unless: [jaxlib, tensorflow.python, tensorflow/python]
#     sample: |
#       File "torch_xla/_internal/tpu.py", line 89, in _get_metadata
#       requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://metadata.google.internal/computeMetadata/v1/instance/attributes/tpu-env
# tags: [device, import-error, notebook]
# recover: process
# needs: ["fault:the variables of a Kaggle machine, set by hand"]
# outranks: [attr-removed, no-module-torch-x]
# related: [install-env/undefined-symbol, devices/no-kernel-for-device]
# docs: ["https://docs.pytorch.org/xla/master/index.html", "https://github.com/pytorch/xla"]
# cases:
#   addresses: {silent: true}
#   checkpointing:
#     unbroken: "a TPU"
#     commands:
#       trainer: args = TrainingArguments(..., gradient_checkpointing=False)
#   in-use:
#     unbroken: "a TPU that another process holds"
#     commands:
#       linux: |
#         sudo lsof -w /dev/accel* /dev/vfio/*
#         kill PID  # from the list
#   no-wheel:
#     unbroken: "a machine with a TPU"
#     commands:
#       linux: |
#         python3.12 -m venv .venv
#         .venv/bin/python -m pip install torch==2.9.0 "torch_xla[tpu]==2.9.0"
# causes:
#   addresses:
#     if: read(want) or paste("worker_addresses")
#     sample: "RuntimeError: Bad StatusOr access: UNKNOWN: TPU initialization failed: Invalid --2a886c8_slice_builder_worker_addresses specified. Expected 4 worker addresses, got 1."
#   in-use:
#     if: paste("already in use", "Operation not permitted", "Device or resource busy")
#     sample: "RuntimeError: Bad StatusOr access: UNKNOWN: TPU initialization failed: open(/dev/accel2): Operation not permitted"
#   checkpointing:
#     if: paste("has no attribute 'xla'") and paste("checkpoint")
#     likely: paste("has no attribute 'xla'")
#     sample: |
#       File "/usr/local/lib/python3.10/site-packages/torch/utils/checkpoint.py", line 202, in _get_autocast_kwargs
#       AttributeError: module 'torch' has no attribute 'xla'
#   main-process:
#     if: paste("Cannot replicate if number of devices")
#     sample: "RuntimeError: Cannot replicate if number of devices (1) is different from 8"
#   out-of-memory:
#     if: paste("RESOURCE_EXHAUSTED", "Ran out of memory in memory space")
#     sample: "RuntimeError: Bad StatusOr access: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space vmem."
#   no-wheel:
#     if: paste("No matching distribution found for torch")
#     sample: "ERROR: No matching distribution found for torch-xla"
#   not-installed:
#     if: paste("No module named 'torch_xla'", "not linked with support for xla")
#     sample: "ModuleNotFoundError: No module named 'torch_xla'"
#   metadata:
#     if: paste("metadata.google.internal")
#     sample: |
#       File "torch_xla/_internal/tpu.py", line 89, in _get_metadata
#       requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://metadata.google.internal/computeMetadata/v1/instance/attributes/tpu-env
#   no-tpu:
#     undecided: whether the machine has a TPU is not printed
# ---

# %%
import os
import subprocess
import sys

import torch

os.environ["TPU_PROCESS_ADDRESSES"] = "local"  # as Kaggle sets it
os.environ["CLOUD_TPU_TASK_ID"] = "0"
LOOK = "import os; print(os.environ.get('TPU_PROCESS_ADDRESSES'))"


def inherited():
    """What a process that is started now is told: the workers of xmp.spawn, libtpu."""
    command = [sys.executable, "-c", LOOK]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


# %% break addresses
print(inherited())
assert inherited() == "local"  # one address, where libtpu expects four

# %% check addresses
import os

told = {name: os.environ[name] for name in os.environ if name.startswith("TPU_")}
print(told)
assert told["TPU_PROCESS_ADDRESSES"] == "local"

# %% fix addresses
import os

# in the first cell, before torch_xla is imported
os.environ.pop("TPU_PROCESS_ADDRESSES", None)
os.environ.pop("CLOUD_TPU_TASK_ID", None)
os.environ["PJRT_DEVICE"] = "TPU"

# %% proof addresses
assert inherited() == "None" and os.environ["PJRT_DEVICE"] == "TPU"
assert "CLOUD_TPU_TASK_ID" not in os.environ
