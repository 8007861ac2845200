# ---
# wordings:
#   - text: "can't open/read file: check file path/integrity"
#     near: [model-code, imread_]
#     sample: "[ WARN:0@0.343] global loadsave.cpp:278 findDecoder imread_('D:/数据/猫.png'): can't open/read file: check file path/integrity"
#   - text: "'NoneType' object has no attribute 'shape'"
#     exception: AttributeError
#     near: [imread, cv2]
#     sample: |
#       img = cv2.imread(path)
#       AttributeError: 'NoneType' object has no attribute 'shape'
#   - text: "open file failed because of errno {number:int} on fopen: {why:line}, file path: {path:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: open file failed because of errno 2 on fopen: No such file or directory, file path: D:\\模型\\best.torchscript"
#   - text: "No such file or directory, file path: {path:line}"
#     sample: "No such file or directory, file path: C:\\Users\\张三/.cache\\torch\\hub\\checkpoints\\big-lama.pt"
# tags: [libtorch, dataloader]
# recover: fix
# needs: ["package:cv2", compiler, "fault:a system whose language is Chinese: nl_langinfo says GBK"]
# related: [checkpoints/jit-save-path, data-loading/gbk-codec]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.jit.load.html", "https://docs.opencv.org/4.x/d4/da8/group__imgcodecs.html"]
# causes:
#   opencv:
#     if: paste("imread", "cv2", "findDecoder")
#   torchscript:
#     likely: not paste("imread", "cv2")
#   not-there:
#     undecided: a path that is wrong prints the same
# ---

# %%
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.chdir(tempfile.mkdtemp())
# Windows in Chinese names files in GBK, libraries hand it UTF-8. The same here: the C library says GBK.
Path("gbk.c").write_text("""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <langinfo.h>
char *nl_langinfo(nl_item item) {
    char *(*real)(nl_item) = (char *(*)(nl_item))dlsym(RTLD_NEXT, "nl_langinfo");
    return item == CODESET ? "GBK" : real(item);
}
""")
subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "gbk.c", "-o", "gbk.so", "-ldl"], check=True)
CHINESE = {**os.environ, "LD_PRELOAD": os.path.abspath("gbk.so"), "LC_ALL": "C.UTF-8"}


def run(program):
    """A program, on a system in Chinese; what it printed."""
    Path("train.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, "train.py"], env=CHINESE, capture_output=True)
    return (done.stdout + done.stderr).decode("gb18030", "replace").replace(f"{os.getcwd()}/", "").strip()


PICTURE = '''
import cv2
import numpy as np

ones = np.full((4, 6, 3), 200, np.uint8)
with open("猫.png", "wb") as file:
    file.write(cv2.imencode(".png", ones)[1].tobytes())
'''

Path("数据").mkdir()
Path("数据/猫.png").touch()
Path("数据/模型.pt").touch()

# %% break opencv
print(run(PICTURE + 'image = cv2.imread("猫.png")\nprint(image.shape)'))

# %% check opencv
path = "数据/猫.png"
print(os.path.isfile(path), path.isascii())  # True False: not plain letters
looked = 'import os\nprint(os.path.isfile("猫.png"), "猫.png".isascii())'
assert run(PICTURE + looked) == "True False"

# %% fix opencv
import os

import cv2
import numpy as np


def read_image(path):
    """cv2.imread for every path: Python opens the file, OpenCV only decodes it."""
    return cv2.imdecode(np.fromfile(path, dtype=np.uint8), cv2.IMREAD_COLOR)


def write_image(path, image):
    cv2.imencode(os.path.splitext(path)[1], image)[1].tofile(path)

# %% proof opencv
import inspect

fixed = "import os\n" + PICTURE + inspect.getsource(read_image) + inspect.getsource(write_image)
fixed += 'write_image("狗.jpg", ones)\nprint(read_image("猫.png").shape, read_image("狗.jpg").shape)'
assert run(fixed) == "(4, 6, 3) (4, 6, 3)"
image = np.zeros((2, 2, 3), np.uint8)
image[0, 1] = 10, 20, 30
write_image("colour.png", image)  # the same numbers in the same order as imread gives
assert (read_image("colour.png") == cv2.imread("colour.png")).all() and (read_image("colour.png") == image).all()

# %%
MODEL = '''
import torch

model = torch.jit.script(torch.nn.Linear(2, 2))
with open("模型.pt", "wb") as file:
    torch.jit.save(model, file)
'''

# %% break torchscript
print(run(MODEL + 'torch.jit.load("模型.pt")'))

# %% check torchscript
path = "数据/模型.pt"
print(os.path.isfile(path), path.isascii())  # True False: not plain letters
looked = 'import os\nprint(os.path.isfile("模型.pt"), "模型.pt".isascii())'
assert run(MODEL + looked) == "True False"

# %% fix torchscript
import torch


def load_script(path, **options):
    with open(path, "rb") as file:  # Python opens it
        return torch.jit.load(file, **options)

# %% proof torchscript
import inspect

fixed = MODEL + inspect.getsource(load_script) + 'print(load_script("模型.pt", map_location="cpu").weight.shape)'
assert run(fixed) == "torch.Size([2, 2])"
torch.jit.script(torch.nn.Linear(3, 1)).save("plain.pt")
assert load_script("plain.pt").weight.shape == (1, 3)
