# ---
# wordings:
#   - text: "Graph compile failed. synStatus"
#     exception: RuntimeError
#     unless: &tf [tensorflow]
#     sample: "RuntimeError: Graph compile failed. synStatus=synStatus 26 [Generic failure]."
#   - text: "Graph compile failed. {code:int} compile time"
#     unless: *tf
#     sample: "RuntimeError: FATAL ERROR :: MODULE:BRIDGE syn compile encountered : Graph compile failed. 26 compile time 5076188974 ns"
#   - text: "synNodeCreateWithId failed for node: {op:ident} with synStatus {code:int}"
#     exception: RuntimeError
#     unless: *tf
#     sample: "RuntimeError: synNodeCreateWithId failed for node: batch_gemm with synStatus 26 [Generic failure]. ."
#   - text: "synLaunch failed. synStatus"
#     unless: *tf
#     sample: "RuntimeError: synLaunch failed. synStatus=synStatus 26 [Generic failure]."
#   - text: "synLaunch failed. {code:int}"
#     unless: *tf
#     sample: "RuntimeError: FATAL ERROR :: MODULE:BRIDGE syn launch encountered : synLaunch failed. 26"
#   - text: "MODULE:PT_DEVMEM Allocation failed for size::{size:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: [Rank:0] FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::939524096 (896)MB"
#   - text: "MODULE:PT_DEVMEM OOM: {why:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: [Rank:0] FATAL ERROR :: MODULE:PT_DEVMEM OOM: No enough memory for defragment."
#   - text: "MODULE:PT_BRIDGE {what:line}"
#     role: symptom
#     sample: "[Rank:0] FATAL ERROR :: MODULE:PT_BRIDGE Exception in Lowering thread..."
#   - text: "MODULE:PT_DEVICE {what:line}"
#     role: symptom
#     sample: "[Rank:0] FATAL ERROR :: MODULE:PT_DEVICE GRAPH:: Capture must end on the same stream it began on."
#   - text: "MODULE:PT_EAGER {what:line}"
#     role: symptom
#     sample: "[Rank:0] FATAL ERROR :: MODULE:PT_EAGER HabanaLaunchOpPT Run returned exception...."
#   - text: "Habana exception raised from {function:ident} at {file:line}"
#     role: symptom
#     sample: "[Rank:0] Habana exception raised from compile at graph.cpp:599"
#   - text: "has been validated for SynapseAI v{wanted:num} but"
#     role: remark
#     sample: "optimum-habana v1.20.0 has been validated for SynapseAI v1.22.0 but the driver version is v1.21.2, this could lead to undefined behavior!"
# tags: [crash, device, driver, oom]
# recover: process
# needs: ["fault:a program that writes the lines of Gaudi's runtime"]
# related: [install-env/accelerator-not-found, devices/no-kernel-for-device, memory/cuda-oom]
# docs: ["https://docs.habana.ai/en/latest/PyTorch/Reference/Debugging_Guide/Model_Troubleshooting.html", "https://docs.habana.ai/en/latest/PyTorch/Runtime_Flags.html"]
# cases:
#   first-error:
#     silent: true
#     commands:
#       linux: |
#         LOG_LEVEL_ALL=4 ENABLE_CONSOLE=true python train.py > log.txt 2>&1
#         grep -nE "\]\[(error|critical)" log.txt | head -n 20
# causes:
#   first-error:
#     undecided: the first error stands in the runtime's log
#   memory:
#     if: paste("PT_DEVMEM")
#     sample: "RuntimeError: [Rank:0] FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::939524096 (896)MB"
#   versions:
#     if: paste("has been validated for SynapseAI")
#     sample: "optimum-habana v1.20.0 has been validated for SynapseAI v1.22.0 but the driver version is v1.21.2, this could lead to undefined behavior!"
#   operation:
#     if: read(op)
#     sample: "RuntimeError: synNodeCreateWithId failed for node: batch_gemm with synStatus 26 [Generic failure]. ."
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

# It stands for a program on a Gaudi: there is none here.
PROGRAM = """
import os, sys
levels = [(0, "debug", "input 1024x5"), (4, "error", "pad: int64 is not taken"), (5, "critical", "compile")]
if os.environ.get("ENABLE_CONSOLE") == "true":
    for level, name, said in levels:
        if level >= int(os.environ.get("LOG_LEVEL_ALL", 5)):
            print(f"[02:19:51.84861{level}][GC        ][{name}][tid:330EE] {said}")
sys.exit("RuntimeError: Graph compile failed. synStatus=synStatus 26 [Generic failure].")
"""
Path("train.py").write_text(PROGRAM)

# %% break first-error
done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
print(done.stderr)
# The code is 26 for nearly all; why it failed is not said.
assert "synStatus 26" in done.stderr and "int64" not in done.stdout + done.stderr

# %% check first-error
import os

names = "LOG_LEVEL_ALL", "ENABLE_CONSOLE", "HABANA_LOGS"
told = {name: os.environ[name] for name in names if name in os.environ}
print(told)  # nothing is set: only the worst is kept, in ~/.habana_logs
assert told == {}

# %% proof first-error
tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
shell = ["bash", "-c", commands["linux"]]
done = subprocess.run(shell, env={**os.environ, "PATH": tools}, capture_output=True, text=True)
said = done.stdout.splitlines()
assert len(said) == 2 and "int64 is not taken" in said[0] and "critical" in said[1], done
assert said[0].startswith("1:") and "synStatus 26" in Path("log.txt").read_text()
