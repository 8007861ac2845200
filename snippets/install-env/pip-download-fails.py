# ---
# wordings:
#   - text: "Read timed out."
#     exception: [ReadTimeoutError, ReadTimeout, ConnectTimeoutError]
#     near: &torch ["torch-", "torch==", "Collecting torch", "install torch", download.pytorch.org, "/pytorch", "nvidia-", "nvidia_"]
#     unless: [huggingface.co, hf-mirror]
#     sample: |
#       Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (888.0 MB)
#       pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.
#   - text: "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE"
#     near: *torch
#     sample: |
#       ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, please update the hashes.
#           torch from https://mirrors.example/torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl:
#   - text: "Connection broken: {why:line}"
#     near: *torch
#     sample: |
#       Downloading torch-2.13.0-cp311-cp311-win_amd64.whl (120.0 MB)
#       pip._vendor.urllib3.exceptions.ProtocolError: ("Connection broken: ConnectionResetError(10054, '远程主机强迫关闭了一个现有的连接。', None, 10054, None)")
#   - text: "because not enough bytes were received ({got:line}"
#     near: *torch
#     sample: |
#       error: incomplete-download
#       × Download failed after 6 attempts because not enough bytes were received (5.6 MB/888.0 MB)
#       ╰─> URL: https://download.pytorch.org/whl/cu126/torch-2.13.0%2Bcu126-cp311-cp311-win_amd64.whl
#   - text: "Cannot connect to proxy"
#     exception: [ProxyError]
#     near: *torch
#     sample: |
#       WARNING: Retrying (Retry(total=4)) after connection broken by 'ProxyError('Cannot connect to proxy.')': /whl/cu126/torch/
#       pip._vendor.requests.exceptions.ProxyError: HTTPSConnectionPool(host='download.pytorch.org', port=443): Cannot connect to proxy.
#   - text: "Failed to download distribution due to network timeout"
#     near: *torch
#     sample: |
#       × Failed to download `torch==2.13.0`
#       ╰─▶ Failed to download distribution due to network timeout. Try increasing UV_HTTP_TIMEOUT (current value: 30s).
#   - text: "unable to access 'https://github.com/{repository:line}"
#     near: &git [orch, transformers, diffusers, peft, accelerate, cuda, Transformer]
#     sample: "fatal: unable to access 'https://github.com/huggingface/peft.git/': Failed to connect to github.com port 443: Connection timed out"
#   - text: "unable to connect to github.com"
#     near: *git
#     sample: |
#       Cloning git://github.com/example/pytorch_utils.git to /tmp/pip-req-build-x
#       fatal: unable to connect to github.com:
#   - text: "git@github.com: Permission denied (publickey)"
#     near: *git
#     sample: |
#       Cloning https://github.com/example/torch-extension.git to /tmp/pip-req-build-x
#       Running command git submodule update --init --recursive -q
#       git@github.com: Permission denied (publickey).
# tags: [build]
# recover: fix
# needs: ["package:pip", "fault:small indexes in place of PyPI and its mirrors, of which one stalls and one has a wrong file"]
# related: [install-env/torch-does-not-install, checkpoints/hub-unreachable, install-env/disk-full]
# docs: ["https://pip.pypa.io/en/stable/cli/pip_install/", "https://docs.astral.sh/uv/reference/environment/"]
# causes:
#   timeout:
#     if: paste("Read timed out", "Connection broken", "not enough bytes", "network timeout")
#   hash:
#     if: paste("DO NOT MATCH THE HASHES")
#   proxy:
#     if: paste("ProxyError", "Cannot connect to proxy")
#     sample: |
#       Collecting torch
#       pip._vendor.requests.exceptions.ProxyError: HTTPSConnectionPool(host='pypi.org', port=443): Cannot connect to proxy.
#   github-key:
#     if: paste("Permission denied (publickey)")
#     sample: |
#       Cloning https://github.com/example/torch-extension.git to /tmp/pip-req-build-x
#       git@github.com: Permission denied (publickey).
#   github:
#     if: paste("unable to access 'https://github.com", "unable to connect to github.com")
#     sample: "fatal: unable to access 'https://github.com/huggingface/peft.git/': Failed to connect to github.com port 443: Connection timed out"
# timeout: 120
# cases:
#   timeout:
#     commands:
#       shell: python -m pip install --timeout 120 --retries 10 torch -i https://pypi.tuna.tsinghua.edu.cn/simple
#       notebook: "%pip install --timeout 120 --retries 10 torch -i https://pypi.tuna.tsinghua.edu.cn/simple"
#   hash:
#     commands:
#       shell: python -m pip install --no-cache-dir torch -i https://mirrors.aliyun.com/pypi/simple/
#     survives: {"without: --no-cache-dir (shell)": "pip keeps no copy of what comes over plain http, as from the index here"}
# ---

# %%
import hashlib
import http.server
import io
import os
import subprocess
import threading
import time
import venv
import zipfile
from pathlib import Path

import pip

NAME = "torch-2.13.0-py3-none-any.whl"  # of the name of torch's, and small
made = io.BytesIO()
with zipfile.ZipFile(made, "w") as wheel:
    wheel.writestr("torch.py", "there = True")
    wheel.writestr("torch-2.13.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
    wheel.writestr("torch-2.13.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("torch-2.13.0.dist-info/RECORD", "")
WHEEL = made.getvalue()


def index(body=WHEEL, stall=0.0):
    """An index of packages on this machine; `stall`: the file stops coming for so many seconds."""

    class Index(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = f'<a href="/{NAME}#sha256={hashlib.sha256(WHEEL).hexdigest()}">{NAME}</a>'.encode()
            sent = body if self.path == f"/{NAME}" else page
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream" if sent is body else "text/html")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent[:40])
            time.sleep(stall if sent is body else 0)
            self.wfile.write(sent[40:])

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/simple"


venv.create("env", symlinks=True)
os.symlink(pip.__path__[0], next(Path("env/lib").glob("python*")) / "site-packages/pip")


def run(command, **variables):
    """In a shell in which an environment is active; pip waits for one second only, not for fifteen."""
    shell = {"PATH": f"{os.path.abspath('env/bin')}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_CACHE_DIR": os.path.abspath("cache")}
    done = subprocess.run(command, shell=True, env={**os.environ, **shell, **variables}, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


IMPATIENT = {"PIP_TIMEOUT": "1", "PIP_RETRIES": "0"}

# %% break timeout
print(run(f"python -m pip install torch -i {index(stall=4)}", **IMPATIENT))

# %% check timeout
COMMAND = "python -m pip config list"
print(run(COMMAND))  # the index that is set, and the proxy
assert "index-url" not in run(COMMAND)

# %% proof timeout
slow = commands["shell"].replace("https://pypi.tuna.tsinghua.edu.cn/simple", index(stall=2))
assert "Successfully installed torch-2.13.0" in run(slow, **IMPATIENT)
assert run("python -c 'import torch; print(torch.there)'") == "True"

# %% break hash
print(run(f"python -m pip install torch -i {index(body=WHEEL[:-8] + bytes(8))}"))

# %% check hash
COMMAND = "python -m pip cache info"
print(run(COMMAND))  # what pip keeps of earlier downloads
assert os.path.abspath("cache") in run(COMMAND)

# %% proof hash
good = commands["shell"].replace("https://mirrors.aliyun.com/pypi/simple/", index())
assert "Successfully installed torch-2.13.0" in run(good)
assert not os.path.exists("cache")  # neither read nor written
