"""Wordings: what a symptom prints, as literals and typed holes.

`mat1 and mat2 shapes cannot be multiplied ({m:int}x{k:int} and {k2:int}x{n:int})` alternates
literals and holes. A hole is a table of ASCII characters with a cap on its length; it takes as many
of them as there are and never gives one back, so matching is linear whatever is pasted. `lint` is
what makes that sound: the character after a hole may not be one that the hole takes. `bytes` and
`line`, which hold blanks, end where the next literal begins.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from .clean import DIGITS

_LOWER = "abcdefghijklmnopqrstuvwxyz"
_LETTERS = _LOWER + _LOWER.upper()

#: kind of hole -> (the characters it takes, the most of them). `line` takes any character of the
#: line, up to the next literal.
HOLES: dict[str, tuple[str, int]] = {
    "int": (DIGITS + "-", 20),
    "num": (DIGITS + "-+.e", 30),
    "dims": (DIGITS + "x", 80),
    "shape": (DIGITS + "-, ", 120),
    "dtype": (_LETTERS + DIGITS + "._", 60),
    "device": (_LETTERS + DIGITS + ":", 30),
    "bytes": (DIGITS + ".KMGTPiB bytes", 30),
    "ident": (_LETTERS + DIGITS + "._", 120),
    "path": (_LETTERS + DIGITS + "._-/\\:~+@", 300),
    "line": ("", 400),
}
ROLES = ("cause", "symptom", "wrapper", "remark")
#: Packages that are built against PyTorch, by how their names begin.
_EXTENSIONS = (
    *("flash-attn", "flash_attn", "torch-", "torch_", "detectron2", "mmcv", "xformers", "apex"),
    *("pytorch3d", "mamba", "causal", "simple-knn", "simple_knn", "diff-gaussian", "diff_gaussian"),
    *("tinycudann", "deepspeed", "gsplat", "nvdiffrast", "pointnet2", "spconv", "sageattention"),
    *("bitsandbytes", "groundingdino", "MultiScaleDeformableAttention", "natten", "auto-gptq"),
    *("auto_gptq", "exllama", "MinkowskiEngine", "fused-ssim", "fused_ssim", "pyg-lib", "pyg_lib"),
    "DCNv",
)
#: What a name stands for in `near` and `unless`: any of these texts. `torch` is a trace of PyTorch
#: in what a run prints: not `torch==2.1` in a list of packages, not a path with an
#: environment's name in it, not prose.
TRACES: dict[str, tuple[str, ...]] = {
    "torch": (
        *("torch.", "/torch/", '"torch/', "\\torch\\", "import torch", "from torch", "'torch'"),
        *("torchrun", "libtorch", "/torch_", "/torchvision/", "/torchaudio/"),
    ),
    # A program that builds, trains or runs a model, where its own lines show it.
    "model-code": (
        *("orch.", "/torch", "\\torch", "import torch", "from torch", "'torch'", "ytorch"),
        *("yTorch", "nn.Module", "nn/modules", ".cuda()", ".to(device", "backward()", "model("),
        *("model.", "self.model", "optimizer", "DataLoader", "ataloader", "tensor", "Tensor"),
        *("transformers", "diffusers", "omfy", "webui", "lightning", "accelerate", "mmcv"),
        *("ultralytics", "epoch", "Epoch", "train.py"),
    ),
    # What pip says of a package that it fails to build.
    "built-on-torch": tuple(
        before + name for name in _EXTENSIONS for before in ("wheel for ", "wheels for ", "(")
    ),
    # Programs that use the GPU, and its words, without PyTorch.
    "gpu-programs": (
        *("ggml", "llama runner", "llama.cpp", "llama_cpp", "ollama", "tensorflow/", "paddle::"),
        *("mxnet::", "jaxlib", "cupy_backends", "cupy.", "numba.cuda", "onnxruntime::"),
        *("onnxruntime.capi", "paddle.", "safeRuntime", "turbomind", "[TRT]", "caffe::"),
        *("xgboost", "GPUassert", "Cycles", "julia", "lender", ", ERROR_"),
    ),
}
#: Literal letters below which a wording says too little to be claimed.
MIN_LETTERS = 12


class Hole(NamedTuple):
    name: str  # "" when the value is of no use to the reader
    kind: str


Part = str | Hole


class Wording(NamedTuple):
    """One text that a symptom prints.

    Attributes:
        text: the source, with holes as `{name:kind}`; `{{` and `}}` stand for braces.
        parts: literals and holes, in turn.
        exception: printed exception or warning class without its module, or "".
        also: other classes that carry the same words, on other releases.
        role: cause, symptom (of a deeper cause), wrapper (of another error's text), or remark (a
            warning that stops nothing: it answers only where nothing failed after it).
        device: "cuda" or "cpu" where only that device prints it, else "".
        near: one of these texts (names of `TRACES`: one of theirs) must stand somewhere in the
            paste; () where the wording alone says enough.
        unless: none of these texts may stand in the paste: another program prints the same words.
        when: ("differ" or "same", hole, hole): the devices that the two values name must differ, or
            be the same; () for no condition.
        sample: a real print of it; of a wording without holes the text itself.
        line: of the header, for reports.
    """

    text: str
    parts: tuple[Part, ...]
    exception: str = ""
    also: tuple[str, ...] = ()
    role: str = "cause"
    device: str = ""
    sample: str = ""
    near: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    line: int = 0

    @property
    def holes(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if isinstance(part, Hole) and part.name)

    @property
    def literals(self) -> tuple[str, ...]:
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def letters(self) -> int:
        return sum(c.isalpha() for part in self.literals for c in part)


def parse(text: str) -> tuple[Part, ...]:
    """Split the text of a wording into literals and holes.

    Raises:
        ValueError: with what is wrong and how to write it.
    """
    parts: list[Part] = []
    literal = ""
    at = 0
    while at < len(text):
        c = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            literal += c
            at += 2
        elif c == "}":
            raise ValueError("a single `}`: write `}}` for a brace")
        elif c == "{":
            end = text.find("}", at)
            name, colon, kind = text[at + 1 : end].partition(":")
            if (
                end < 0
                or not colon
                or kind not in HOLES
                or not (name == "_" or name.isidentifier())
            ):
                kinds = ", ".join(HOLES)
                raise ValueError(
                    f"`{text[at : end + 1] or text[at:]}` is no hole: write {{name:kind}}, "
                    f"kind one of {kinds}; {{{{ for a brace"
                )
            if literal:
                parts.append(literal)
            literal = ""
            parts.append(Hole("" if name == "_" else name, kind))
            at = end + 1
        else:
            literal += c
            at += 1
    if literal:
        parts.append(literal)
    return tuple(parts)


def lint(wording: Wording) -> Iterable[str]:
    """What would make this wording ambiguous, or too weak to be claimed."""
    parts = wording.parts
    if not parts or not isinstance(parts[0], str):
        yield (
            "a wording begins with words, not with a hole, by which it is sought; "
            "leave the hole out, or write what is printed before it"
        )
    # What stands near it says the rest.
    needed = MIN_LETTERS // 2 if wording.near else MIN_LETTERS
    if wording.letters < needed:
        yield (
            f"only {wording.letters} literal letters; this wording needs {needed}, "
            "or it would match by chance"
        )
    if wording.when and (
        len(wording.when) != 3
        or wording.when[0] not in ("differ", "same")
        or not set(wording.when[1:]) <= set(wording.holes)
    ):
        yield (
            "`when` is [differ, HOLE, HOLE] or [same, HOLE, HOLE], "
            "with two named holes of this wording"
        )
    for part, following in itertools.pairwise(parts):
        if not isinstance(part, Hole):
            continue
        if isinstance(following, Hole):
            yield f"two holes in a row, {part.kind} and {following.kind}: where does one end?"
        elif part.kind != "bytes" and following[0] in HOLES[part.kind][0]:
            yield (
                f"the {part.kind} hole `{part.name}` takes {following[0]!r}, "
                f"with which the next literal {following!r} begins"
            )
    names = wording.holes
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two holes are named `{name}`"
