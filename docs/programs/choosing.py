# /// script
# dependencies = ["torch==2.13.0", "torchvision==0.28.0", "albumentations==2.0.8", "kornia==0.9.0", "onnxruntime==1.31.1", "onnx==1.23.2", "onnxscript==0.7.2", "tensorboard==2.21.0", "wandb==0.31.0", "mlflow==3.17.2", "aim==3.29.1", "pillow==13.0.0"]
# ///
"""What the tables of the tips about choosing measure: on one CPU core, as ratios within one run.

    python docs/programs/choosing.py augmentation
    python docs/programs/choosing.py runtime
    python docs/programs/choosing.py tracker

`--record` writes what came out into choosing.json, with the versions; the tips show these numbers.
What is not installed is left out.
"""

import argparse
import csv
import importlib.util
import json
import logging
import os
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

RECORD = Path(__file__).with_suffix(".json")
PACKAGES = {
    "augmentation": ["torch", "torchvision", "pillow", "albumentations", "kornia"],
    "runtime": ["torch", "torchvision", "onnxruntime"],
    "tracker": ["tensorboard", "wandb", "mlflow", "aim"],
}


def cheapest(functions, rounds, clock=time.process_time):
    """The least seconds of each function over the rounds; they take turns, so that other work on the machine meets all."""
    for function in functions.values():
        function()
    spent = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = clock()
            function()
            spent[name].append(clock() - start)
    return {name: min(times) for name, times in spent.items()}


def rounded(number, digits=2):
    """To two digits: 0.123 -> 0.12, 7.61 -> 7.6, 1234 -> 1200."""
    short = float(f"{number:.{digits}g}")
    return int(short) if short >= 10 else short


# --- pictures


def pictures():
    import numpy as np
    import torch
    from PIL import Image

    array = np.random.default_rng(0).integers(0, 256, (256, 256, 3), np.uint8)
    tensor = torch.from_numpy(array).permute(2, 0, 1).contiguous()
    return array, Image.fromarray(array), tensor, tensor.float() / 255


def ways_torchvision(image):
    import torch
    from torchvision.transforms import v2

    return {
        "flip": lambda: v2.functional.horizontal_flip(image),
        "blur": lambda: v2.functional.gaussian_blur(image, [5, 5], [1.5, 1.5]),
        "training": _called(
            v2.Compose(
                [
                    v2.RandomResizedCrop(224),
                    v2.RandomHorizontalFlip(),
                    v2.ColorJitter(0.4, 0.4, 0.4),
                    v2.ToImage(),
                    v2.ToDtype(torch.float32, scale=True),
                    v2.Normalize([0.5] * 3, [0.25] * 3),
                ]
            ),
            image,
        ),
    }


def ways_albumentations(array):
    import albumentations as A
    from albumentations.pytorch import ToTensorV2

    flip = A.HorizontalFlip(p=1)
    blur = A.GaussianBlur(blur_limit=(5, 5), sigma_limit=(1.5, 1.5), p=1)
    training = A.Compose(
        [
            A.RandomResizedCrop((224, 224)),
            A.HorizontalFlip(),
            A.ColorJitter((0.6, 1.4), (0.6, 1.4), (0.6, 1.4), 0, p=1),
            A.Normalize([0.5] * 3, [0.25] * 3),
            ToTensorV2(),
        ]
    )
    return {
        "flip": lambda: flip(image=array)["image"],
        "blur": lambda: blur(image=array)["image"],
        "training": lambda: training(image=array)["image"],
    }


def ways_kornia(batch):
    import kornia
    import torch
    from kornia import augmentation as K

    training = torch.nn.Sequential(
        K.RandomResizedCrop((224, 224)),
        K.RandomHorizontalFlip(),
        K.ColorJitter(0.4, 0.4, 0.4, p=1.0),
        K.Normalize(torch.full((3,), 0.5), torch.full((3,), 0.25)),
    )
    return {
        "flip": lambda: kornia.geometry.transform.hflip(batch),
        "blur": lambda: kornia.filters.gaussian_blur2d(batch, (5, 5), (1.5, 1.5)),
        "training": _called(training, batch),
    }


def _called(transform, image):
    return lambda: transform(image)


def augmentation(rounds):
    """Time for one picture of 256 x 256, against torchvision v2 on tensors."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    array, image, tensor, real = pictures()
    ways = {
        "torchvision v2, tensor": (1, ways_torchvision(tensor)),
        "torchvision v2, PIL": (1, ways_torchvision(image)),
    }
    if importlib.util.find_spec("albumentations"):
        import cv2

        cv2.setNumThreads(1)
        ways["albumentations"] = (1, ways_albumentations(array))
    if importlib.util.find_spec("kornia"):
        ways["kornia, one picture"] = (1, ways_kornia(real[None]))
        ways["kornia, batch of 32"] = (32, ways_kornia(real.expand(32, 3, 256, 256).contiguous()))

    # The same work: the mirrored picture is the same for all, the blurred one but for rounding and edges.
    flipped = array[:, ::-1]
    for name, (_, made) in ways.items():
        for what, wanted in (("flip", flipped), ("blur", None)):
            got = np.asarray(made[what]())
            got = got[0] if got.ndim == 4 else got
            got = got.transpose(1, 2, 0) if got.shape[0] == 3 else got
            got = got * (255 if got.dtype == np.float32 else 1.0)
            wanted = _blurred(array) if wanted is None else wanted
            inner = slice(8, -8)
            assert np.abs(got[inner, inner] - wanted[inner, inner]).max() < 2, (name, what)
        assert tuple(made["training"]().shape[-3:]) == (3, 224, 224)

    rows = {name: {} for name in ways}
    for what in ("flip", "blur", "training"):
        least = cheapest({name: made[what] for name, (_, made) in ways.items()}, rounds)
        each = {name: seconds / ways[name][0] for name, seconds in least.items()}
        for name, seconds in each.items():
            rows[name][what] = rounded(seconds / each["torchvision v2, tensor"])
    return rows


def _blurred(array):
    import numpy as np

    weights = np.exp(-((np.arange(5) - 2) ** 2) / (2 * 1.5**2))
    weights /= weights.sum()
    for axis in (0, 1):
        array = np.apply_along_axis(np.convolve, axis, array, weights, "same")
    return array


# --- ways to run a trained model


def models():
    import torch
    import torchvision

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, norm_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return {
        "resnet18": (torchvision.models.resnet18().eval(), torch.randn(1, 3, 224, 224)),
        "encoder": (encoder.eval(), torch.randn(1, 16, 64)),
    }


def made(name, model, x, folder):
    """A function that runs the model in this way."""
    import torch

    if name == "torch.compile":
        compiled = torch.compile(model)
        compiled(x)
        return lambda: compiled(x)
    if name == "AOTInductor":
        program = torch.export.export(model, (x,))
        package = torch._inductor.aoti_compile_and_package(
            program, package_path=f"{folder}/model.pt2"
        )
        loaded = torch._inductor.aoti_load_package(package)
        return lambda: loaded(x)
    if name == "ONNX Runtime":
        import onnxruntime

        torch.onnx.export(model, (x,), f"{folder}/model.onnx", input_names=["x"], verbose=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"]
        )
        feed = {"x": x.numpy()}
        return lambda: torch.from_numpy(session.run(None, feed)[0])
    return lambda: model(x)


def runtime(rounds):
    """Time of a call against plain PyTorch, and how many plain calls the preparation takes."""
    import torch

    torch.set_num_threads(1)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    names = ["PyTorch", "torch.compile", "AOTInductor"]
    if importlib.util.find_spec("onnxruntime"):
        names.append("ONNX Runtime")
    rows = {name: {} for name in names}
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        for what, (model, x) in models().items():
            ways, seconds = {}, {}
            for name in names:
                start = time.perf_counter()
                ways[name] = made(name, model, x, folder)
                seconds[name] = time.perf_counter() - start
                torch.testing.assert_close(ways[name](), model(x), rtol=1e-3, atol=1e-4)
            least = cheapest(ways, rounds)
            for name in names:
                rows[name][what] = rounded(least[name] / least["PyTorch"])
                made_in = rounded(seconds[name] / least["PyTorch"])
                rows[name][f"{what}, preparation"] = 0 if name == "PyTorch" else made_in
    return rows


# --- ways to log


def log_csv(folder):
    file = Path(folder, "log.csv").open("w", newline="")  # noqa: SIM115
    writer = csv.writer(file)

    def log(step, loss, accuracy):
        writer.writerow([step, loss, accuracy])
        file.flush()

    return log, file.close


def log_tensorboard(folder):
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(folder)

    def log(step, loss, accuracy):
        writer.add_scalar("loss", loss, step)
        writer.add_scalar("accuracy", accuracy, step)

    return log, writer.close


def log_wandb(folder):
    import wandb

    run = wandb.init(mode="offline", dir=folder, settings=wandb.Settings(silent=True))
    return lambda step, loss, accuracy: run.log(
        {"loss": loss, "accuracy": accuracy}, step=step
    ), run.finish


def log_mlflow(folder):
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.start_run()
    return lambda step, loss, accuracy: mlflow.log_metrics(
        {"loss": loss, "accuracy": accuracy}, step
    ), mlflow.end_run


def log_aim(folder):
    import aim

    run = aim.Run(repo=folder, system_tracking_interval=None, log_system_params=False)

    def log(step, loss, accuracy):
        run.track(loss, name="loss", step=step)
        run.track(accuracy, name="accuracy", step=step)

    return log, run.close


def tracker(rounds):
    """Two numbers for one step: time that the call takes, time until all is written, bytes on the disk; against a line of CSV."""
    logging.disable(logging.WARNING)
    ways = {"a CSV file": log_csv}
    for name, package, way in (
        ("TensorBoard", "tensorboard", log_tensorboard),
        ("W&B, offline", "wandb", log_wandb),
        ("MLflow, SQLite", "mlflow", log_mlflow),
        ("Aim", "aim", log_aim),
    ):
        if importlib.util.find_spec(package):
            ways[name] = way
    spent = {name: [_spent(way, rounds) for _ in range(3)] for name, way in ways.items()}
    least = {
        name: [min(values) for values in zip(*runs, strict=True)] for name, runs in spent.items()
    }
    call, written, _ = least["a CSV file"]
    return {
        name: {
            "call": rounded(values[0] / call, 1),
            "written": rounded(values[1] / written, 1),
            "bytes": rounded(values[2], 1),
        }
        for name, values in least.items()
    }


def _spent(way, rounds):
    """Seconds of a call, seconds of a call until all is written, bytes that it leaves."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        log, close = way(folder)
        log(0, 1.0, 0.0)
        before, times, start = _bytes(folder), [], time.perf_counter()
        for step in range(1, rounds + 1):
            begun = time.perf_counter()
            log(step, 1 / step, 1 - 1 / step)
            times.append(time.perf_counter() - begun)
        close()
        whole = (time.perf_counter() - start) / rounds
        return statistics.median(times), whole, (_bytes(folder) - before) / rounds


def _bytes(folder):
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


def main():
    parts = {
        "augmentation": (augmentation, 200),
        "runtime": (runtime, 50),
        "tracker": (tracker, 1000),
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=parts)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    function, rounds = parts[options.part]
    os.environ["OMP_NUM_THREADS"] = "1"
    rows = function(options.rounds or rounds)
    versions = {
        name: version(name)
        for name in PACKAGES[options.part]
        if importlib.util.find_spec("PIL" if name == "pillow" else name)
    }
    found = {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "versions": versions,
        "rows": rows,
    }
    if options.record:
        kept = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
        RECORD.write_text(json.dumps({**kept, options.part: found}, indent=1) + "\n", "utf-8")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
