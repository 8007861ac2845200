# ---
# wordings:
#   - text: "EZ9999: Inner Error"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "NPU function error: {call:line}, error code is {code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: copy_d2d:build/CMakeFiles/torch_npu.dir/compiler_depend.ts:88 NPU function error: call aclnnInplaceCopy failed, error code is 561103"
#   - text: "NPU error, error code is {code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Sync:torch_npu/csrc/framework/OpCommand.cpp:190 NPU error, error code is 507015"
#   - text: "ACL stream synchronize failed, error code:{code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: ACL stream synchronize failed, error code:507014"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "OPS function error: {call:line}, error code is {code:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: InnerRunOpApi:torch_npu/csrc/framework/OpParamMaker.cpp:281 OPS function error: BatchMatMul, error code is 500002"
#   - text: "call aclnn{op:ident} failed"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     exception: RuntimeError
#     sample: "RuntimeError: call aclnnArange failed, detail:EZ9999: Inner Error!"
#   - text: "EE9999: Inner Error"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "EH9999: Inner Error"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "EJ9999: Inner Error"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "E19999: Inner Error"
#     near: [torch]
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "E29999: Inner Error"
#     near: [torch]
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "E39999: Inner Error"
#     near: [torch]
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "E89999: Inner Error"
#     near: [torch]
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#   - text: "EZ3002: Optype [{op:ident}] of Ops kernel"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     sample: "EZ3002: Optype [ReduceAny] of Ops kernel [AIcoreEngine] is unsupported."
#   - text: "Cannot find bin of op {op:ident}"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     sample: "Cannot find bin of op Range, integral key 0/1/|int64/ND/int64/ND/int64/ND/int64/ND/."
#   - text: "Since the operator is called asynchronously, the stacktrace may be inaccurate"
#   - text: "ERR00100 PTA call acl api failed"
#     role: symptom
#   - text: "ERR01100 OPS call acl api failed"
#     role: symptom
#   - text: "ERR01005 OPS internal error"
#     role: symptom
#   - text: "ERR00005 PTA internal error"
#     role: symptom
#   - text: "ERR02005 DIST internal error"
#     role: symptom
#   - text: "ERR01001 OPS invalid parameter"
#     role: wrapper
#   - text: "ERR01002 OPS invalid type"
#     role: wrapper
#   - text: "ERR01003 OPS invalid value"
#     role: wrapper
#   - text: "Memory_Allocation_Failure(EL0004)"
#     near: &torch [torch, vllm, "ERR0", PTA, NPU]
#     sample: "[ERROR] ERR00100 PTA call acl api failed. Memory_Allocation_Failure(EL0004): Failed to allocate memory requested by GE module."
#   - text: "EL0004: Failed to allocate memory"
#     near: *torch
#     sample: "[ERROR] ERR00100 PTA call acl api failed. EL0004: Failed to allocate memory."
#   - text: "ERR99999 UNKNOWN application exception"
#     role: wrapper
# tags: [crash, device, driver]
# recover: process
# needs: ["fault:a log in the form in which CANN writes it, made by hand"]
# related: [install-env/torch-npu-import, distributed/hccl-error, devices/no-kernel-for-device]
# docs: ["https://github.com/Ascend/pytorch/tree/master/docs/zh/user_guide/troubleshooting", "https://github.com/Ascend/pytorch/blob/master/docs/zh/api/environment_variable/op_execution/ASCEND_LAUNCH_BLOCKING.md"]
# cases:
#   first-error:
#     silent: true
#     commands:
#       linux: grep -rh "\[ERROR\]" ~/ascend/log/debug/plog | sort -t, -k2 | head -n 20
#   no-binary:
#     unbroken: "an Ascend NPU"
#     commands:
#       linux: |
#         npu-smi info  # names the chip
#         bash Ascend-cann-kernels-910b_8.0.0_linux-aarch64.run --install  # for that chip, of CANN's own version
# causes:
#   first-error:
#     undecided: the first error stands in the log of CANN
#   memory:
#     if: paste("EL0004")
#     sample: "[ERROR] ERR00100 PTA call acl api failed. Memory_Allocation_Failure(EL0004): Failed to allocate memory requested by GE module."
#   python-packages:
#     if: paste("init env failed")
#     sample: |
#       EH9999: Inner Error!
#       EH9999  [Init][Env]init env failed![FUNC:ReportInnerError][FILE:log_inner.cpp][LINE:145]
#   no-binary:
#     if: paste("Cannot find bin of op", "Cannot find binary for op", "does not has any binary", "error code is 561103", "error code is 561000", "errno:561000")
#     sample: "EZ9999: [PID: 775] 2025-02-16-12:18:25.258.321 Cannot find bin of op Range, integral key 0/1/|int64/ND/"
#   unsupported:
#     if: paste("EZ3002", "is unsupported. Reason", "AclNN_Parameter_Error", "EZ1001")
#     sample: "EZ3002: Optype [ReduceAny] of Ops kernel [AIcoreEngine] is unsupported."
#   asynchronous:
#     likely: paste("SynchronizeStream", "SynchronizeDevice", "called asynchronously", "AclrtSynchronize", "aclrtSynchronize", "stream synchronize failed")
#     sample: "RuntimeError: synchronize:build/CMakeFiles/torch_npu.dir/compiler_depend.ts:361 NPU function error: c10_npu::acl::AclrtSynchronizeStreamWithTimeout(stream()), error code is 507015"
#   start:
#     likely: paste("aclInit", "AclSetCompileopt", "aclrtSetDevice", "error code is 107", "error code is 500001")
#     sample: "RuntimeError: Initialize:build/CMakeFiles/torch_npu.dir/compiler_depend.ts:217 NPU function error: at_npu::native::AclSetCompileopt(aclCompileOpt::ACL_PRECISION_MODE, precision_mode), error code is 500001"
# ---

# %%
import os
import subprocess
from pathlib import Path

# Two processes; the second one failed first, and its own first error says what it was.
home = Path("home").resolve()
plog = home / "ascend/log/debug/plog"
plog.mkdir(parents=True)
LINE = "[{level}] {module}({pid},python):2026-01-15-20:59:{second:02}.000.000 [file.cc:99] {pid} {text}\n"
SAID = [
    (101, 41, "INFO", "RUNTIME", "start"),
    (101, 48, "ERROR", "HCCL", "the other rank does not answer"),
    (102, 40, "INFO", "RUNTIME", "start"),
    (102, 44, "ERROR", "ASCENDCL", "DynamicGRUV2: dimension 2 of x is not 16"),
    (102, 45, "ERROR", "RUNTIME", "stream synchronize failed"),
]
for pid, second, level, module, text in SAID:
    with open(plog / f"plog-{pid}_20260115.log", "a") as log:
        log.write(LINE.format(**locals()))

# %% break first-error
newest = sorted(plog.iterdir())[0].read_text().splitlines()
print(newest[-1])
# The last line of some log: what followed, not what was the matter.
assert "DynamicGRUV2" not in newest[-1]

# %% check first-error
from pathlib import Path

logs = sorted(Path("~/ascend/log/debug/plog").expanduser().glob("plog-*"))
print(logs)  # one for each process; none: see ASCEND_PROCESS_LOG_PATH
assert not logs

# %% proof first-error
shell = ["bash", "-c", commands["linux"]]
done = subprocess.run(shell, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True)
said = done.stdout.splitlines()
assert "DynamicGRUV2" in said[0] and len(said) == 3
assert said[-1].endswith("the other rank does not answer") and "INFO" not in done.stdout
