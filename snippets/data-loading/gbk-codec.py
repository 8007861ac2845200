# ---
# wordings:
#   - text: "'gbk' codec can't decode byte {byte:ident} in position {at:int}"
#     exception: UnicodeDecodeError
#     near: &ours [model-code, yacs, omegaconf, hydra, yolo, 训练]
#     sample: |
#       File "train.py", line 9, in __init__
#         names = open("classes.txt").read().split()
#       UnicodeDecodeError: 'gbk' codec can't decode byte 0x80 in position 32: illegal multibyte sequence
#   - text: "'gbk' codec can't encode character {character:line} in position {at:int}"
#     exception: UnicodeEncodeError
#     near: *ours
#     sample: |
#       File "train.py", line 5, in <module>
#       UnicodeEncodeError: 'gbk' codec can't encode character '\u2705' in position 0: illegal multibyte sequence
#   - text: "'charmap' codec can't decode byte {byte:ident} in position {at:int}"
#     exception: UnicodeDecodeError
#     near: *ours
#     sample: |
#       File "train.py", line 9, in __init__
#       UnicodeDecodeError: 'charmap' codec can't decode byte 0x81 in position 1980: character maps to <undefined>
#   - text: "'charmap' codec can't encode character{character:line} in position {at:int}"
#     exception: UnicodeEncodeError
#     near: *ours
#     sample: |
#       File "train.py", line 5, in <module>
#       UnicodeEncodeError: 'charmap' codec can't encode character '\u2705' in position 0: character maps to <undefined>
#   - text: "'cp932' codec can't decode byte {byte:ident} in position {at:int}"
#     exception: UnicodeDecodeError
#     near: *ours
#     sample: |
#       File "train.py", line 9, in __init__
#       UnicodeDecodeError: 'cp932' codec can't decode byte 0x86 in position 32: illegal multibyte sequence
#   - text: "'cp949' codec can't decode byte {byte:ident} in position {at:int}"
#     exception: UnicodeDecodeError
#     near: *ours
#     sample: |
#       File "train.py", line 9, in __init__
#       UnicodeDecodeError: 'cp949' codec can't decode byte 0xe2 in position 32: illegal multibyte sequence
# tags: [dataloader, labels]
# recover: fix
# needs: [compiler, "fault:a system whose language is Chinese: nl_langinfo says GBK"]
# related: [checkpoints/unicode-decode-load, checkpoints/path-not-ascii]
# docs: ["https://docs.python.org/3/library/os.html#utf8-mode", "https://docs.python.org/3/library/functions.html#open"]
# causes:
#   library:
#     likely: frames("site-packages", "pip/_internal", "setuptools", "yaml/", "mmcv", "mmengine", "json/")
#     sample: |
#       File "train.py", line 3, in <module>
#       File "C:\Users\a\miniconda3\lib\site-packages\mmcv\utils\config.py", line 165, in _file2dict
#       UnicodeDecodeError: 'gbk' codec can't decode byte 0xad in position 1234: illegal multibyte sequence
#   reading:
#     undecided: the line that opens the file looks the same in a program of one's own and in another's
#   printing:
#     if: paste("codec can't encode")
# cases:
#   library:
#     wrong: {coding-line: "https://github.com/zhaoyingjun/chatbot/issues/125", io-encoding: "https://github.com/datalab-to/marker/issues/588"}
#     commands:
#       powershell: |
#         $env:PYTHONUTF8 = "1"  # for this window; setx PYTHONUTF8 1 keeps it for new ones
#         python train.py
#       linux: |
#         export PYTHONUTF8=1
#         python train.py
# ---

# %%
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.chdir(tempfile.mkdtemp())
# Windows in Chinese tells Python that text is GBK. The same here: the C library's answer to this one question.
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


def run(program, **variables):
    """A program, on a system in Chinese; what it printed."""
    Path("train.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, "train.py"], env={**CHINESE, **variables}, capture_output=True)
    return (done.stdout + done.stderr).decode("gb18030" if not variables else "utf-8").replace(f"{os.getcwd()}/", "").strip()


DATASET = '''
from torch.utils.data import Dataset


class Pictures(Dataset):
    def __init__(self):
        self.names = open("classes.txt").read().split()


print(len(Pictures().names))
'''
Path("classes.txt").write_text("斑马\n自行车\n人", encoding="utf-8")

# %% break reading
print(run(DATASET))

# %% check reading
import locale

print(locale.getpreferredencoding(False))  # what open() takes: cp936 is GBK
assert run("import locale; print(locale.getpreferredencoding(False))") == "GBK"

# %% fix reading
def read_names(path):
    with open(path, encoding="utf-8") as file:  # the file's own
        return file.read().split()


names = read_names("classes.txt")

# %% proof reading
import inspect

assert names == ["斑马", "自行车", "人"]
fixed = inspect.getsource(read_names)
assert run(fixed + 'print(len(read_names("classes.txt")))') == "3"
Path("classes.txt").write_bytes("斑马\n猫".encode("gb18030"))  # and a file that Excel or Notepad saved as GBK
assert "'utf-8' codec can't decode" in run(fixed + 'print(len(read_names("classes.txt")))')
assert run(fixed.replace("utf-8", "gb18030") + 'print(len(read_names("classes.txt")))') == "2"

# %%
LIBRARY = "import torch\nimport config\nprint(len(config.names))"
Path("site-packages").mkdir()
Path("site-packages/config.py").write_text('names = open("classes.txt").read().split()\n')
SEARCH = {"PYTHONPATH": os.path.abspath("site-packages")}
CHINESE.update(SEARCH)

# %% break library
print(run(LIBRARY))

# %% check library
print(sys.flags.utf8_mode)  # 1: text is UTF-8 wherever nothing else is said
assert run("import sys; print(sys.flags.utf8_mode)") == "0"

# %% proof library
Path("train.py").write_text(LIBRARY, encoding="utf-8")
shell = {**CHINESE, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
done = subprocess.run(commands["linux"], shell=True, env=shell, capture_output=True, text=True)
assert done.stdout.strip() == "3", done.stderr

# %% wrong coding-line
# `# -*- coding: utf-8 -*-` on top of the program: says what the program itself is written in, not
# what the files are that it opens.
output = run("# -*- coding: utf-8 -*-\n" + LIBRARY)
print(output.splitlines()[-1])
assert "'gbk' codec can't decode" in output

# %% wrong io-encoding
# `PYTHONIOENCODING=utf-8`: is for what is printed and typed, not for files.
output = run(LIBRARY, PYTHONIOENCODING="utf-8")
print(output.splitlines()[-1])
assert "'gbk' codec can't decode" in output

# %%
DONE = 'import torch\nprint("\\u2705 saved", torch.__version__)'

# %% break printing
print(run(DONE))

# %% check printing
print(sys.stdout.encoding)  # of a pipe or a file on Windows in Chinese: gbk
assert run("import sys; print(sys.stdout.encoding)") == "gbk"

# %% fix printing
import sys


def print_as_utf8():
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")


print_as_utf8()  # the first line of the program

# %% proof printing
import inspect

first = "import sys\n" + inspect.getsource(print_as_utf8) + "print_as_utf8()\n"
assert run(first + DONE, PYTHONIOENCODING="gbk").startswith("\u2705 saved")
assert run(first + 'print("\\ud83d")', PYTHONIOENCODING="gbk") == "?"  # half a character: no error either
assert sys.stdout.errors == "replace"
