"""Loaders, datasets and samplers."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from .common import Findings, finding, random_kept, same, seed, tensors_in


def first_batch(loader: Iterable[Any]) -> Findings:
    """The first batch as the model gets it: numbers of doubtful types and ranges. Takes one batch
    of the loader.

    Raises:
        ValueError: the loader is empty.
    """
    with random_kept():
        batch = next(iter(loader), None)
    if batch is None:
        raise ValueError("the loader gave no batch")
    return Findings(
        f"tensor {number} of the batch, {tuple(tensor.shape)}, {doubt}"
        for number, tensor in enumerate(tensors_in(batch))
        for doubt in _doubts(tensor)
    )


def _doubts(tensor: Tensor) -> list[str]:
    """What is doubtful about the inputs of a model."""
    doubts = []
    if tensor.dtype == torch.float64:
        doubts.append(
            "is float64, NumPy's default: .float() halves its memory and fits the weights"
        )
    if tensor.dtype == torch.uint8:
        doubts.append(
            "is uint8, in which 200 * 2 is 144: if these are pixels, .float() / 255 first"
        )
    if tensor.is_floating_point() and tensor.numel():
        low, high = tensor.min(), tensor.max()
        if not tensor.isfinite().all():
            doubts.append("holds nan or infinite values")
        elif tensor.ndim > 1 and tensor[0].numel() > 1 and low == high:
            doubts.append(f"is {low.item():g} everywhere")
        elif tensor.abs().max() > 100:
            doubts.append(
                f"goes from {low.item():g} to {high.item():g}: inputs are usually scaled to about "
                "-1 to 1"
            )
    return doubts


def sample_stays(dataset: Any, index: int = 0) -> Findings:
    """The same sample, taken again with the same random numbers, is the same: an augmentation in
    place changes what is stored, more with every epoch.

    Takes the sample up to 13 times, with other random numbers in between, so that an augmentation
    which comes half of the time comes, too; one in place acts on what is stored as often. A dataset
    that holds a random generator of its own is named too.
    """

    def take(number: int) -> Any:
        seed(number)
        return dataset[index]

    with random_kept():
        first = copy.deepcopy(take(0))
        for other in range(6):
            take(other)
            if not same(first, take(0)):
                return finding(
                    f"sample {index} changes each time it is taken: an operation in place on "
                    "what is stored (clone() it first), or a random generator of the "
                    "dataset's own"
                )
    return Findings()


def _columns(batch: Any) -> list[Any]:
    """What a batch is made of, in order: tensors, lists of texts or numbers, and single ones."""
    if isinstance(batch, Mapping):
        batch = list(batch.values())
    if isinstance(batch, (str, int, float)):
        return [batch]
    if not isinstance(batch, (tuple, list)):
        return tensors_in(batch)
    if batch and all(isinstance(part, (str, int, float)) for part in batch):
        return [batch]
    return [column for part in batch for column in _columns(part)]


def _samples(batch: Any, single: bool) -> list[str]:
    """Each sample of a batch as one text, of all that it holds; the batch as one where its parts
    are not of one length, or it is a `single` sample."""
    columns = [
        column.tolist() if isinstance(column, Tensor) else column for column in _columns(batch)
    ]
    if not columns:
        raise TypeError(
            f"no tensor, number or text in this {type(batch).__name__}: samples cannot be told "
            "apart"
        )
    if (
        single
        or not all(isinstance(column, (list, tuple)) for column in columns)
        or len(set(map(len, columns))) > 1
    ):
        return [repr(columns)]
    return [repr(row) for row in zip(*columns, strict=True)]


def epochs(loader: Iterable[Any], shuffled: bool = True) -> Findings:
    """Two epochs of a loader, sample by sample. Goes through it twice: give it a small dataset.

    Finds samples that come more than once an epoch (each worker of an IterableDataset yields the
    whole stream), and an order or random numbers that are the same in every epoch (a sampler
    without set_epoch, a generator of its own inside the dataset). Random numbers that repeat beside
    different images, or in another order, look different here: `checks.augmentation` sees them.

    Args:
        shuffled: whether two epochs are to differ.

    Raises:
        ValueError: the loader is empty.
        TypeError: a batch holds no tensor, number or text to tell samples by.
    """
    single = (
        getattr(loader, "batch_size", 0) is None and getattr(loader, "batch_sampler", None) is None
    )
    with random_kept():
        first, second = (
            [sample for batch in loader for sample in _samples(batch, single)] for _ in range(2)
        )
    if not first:
        raise ValueError("the loader gave no batch")
    different = len(set(first))
    if different <= len(first) / 2:
        return finding(
            f"{len(first)} samples come in an epoch, of which {different} are different: every "
            "worker yields all of them (split by get_worker_info()), or draws the same random "
            "numbers (a generator of its own in the dataset); sampling with replacement does "
            "it too"
        )
    if shuffled and first == second and different > 5:  # fewer are in the same order by chance
        return finding(
            "two epochs are equal, sample by sample: shuffle=True is missing, "
            "sampler.set_epoch(epoch) is not called, or the dataset holds a random generator "
            "of its own"
        )
    return Findings()


class _OneSample(torch.utils.data.Dataset[str]):
    """One sample of a dataset, again and again: the numbers of its tensors, each as one sum that
    depends on their order."""

    def __init__(self, dataset: Any, index: int, length: int):
        self.dataset, self.index, self.length = dataset, index, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, _: int) -> str:
        tensors = [tensor.double().flatten() for tensor in tensors_in(self.dataset[self.index])]
        if not tensors:
            raise TypeError("no tensor or array of numbers in a sample: nothing to compare")
        return repr(
            [
                float(tensor @ torch.linspace(1, 2, len(tensor), dtype=torch.float64))
                for tensor in tensors
            ]
        )


def augmentation(loader: Any, index: int = 0) -> Findings:
    """The random part of a sample differs from worker to worker and from epoch to epoch. Takes
    sample `index` 16 times in each worker, in two epochs.

    Starts workers as the loader does, with its `worker_init_fn` and generator. Nothing is found
    where the sample has no random part, and without workers, who alone get copies of the dataset.

    Raises:
        TypeError: the dataset is an IterableDataset, or its samples hold no numbers.
    """
    workers, generator = loader.num_workers, loader.generator
    if isinstance(loader.dataset, torch.utils.data.IterableDataset):
        raise TypeError("an IterableDataset cannot be asked for one sample: look at checks.epochs")
    if not workers:
        return Findings()
    state = generator.get_state() if generator is not None else None
    with random_kept():
        again: Any = torch.utils.data.DataLoader(
            _OneSample(loader.dataset, index, 16 * workers),
            batch_size=None,
            num_workers=workers,
            worker_init_fn=loader.worker_init_fn,
            generator=generator,
            multiprocessing_context=loader.multiprocessing_context,
            persistent_workers=loader.persistent_workers,
        )
        first, second = list(again), list(again)
    if state is not None:
        generator.set_state(state)
    findings = Findings()
    if len(set(first + second)) == 1:
        return findings
    if first == second:
        findings.append(
            "each epoch draws the same random numbers: a generator that the dataset keeps, or a "
            "seed set in worker_init_fn that does not change"
        )
    draws = {tuple(first[worker::workers] + second[worker::workers]) for worker in range(workers)}
    if len(draws) < workers:
        findings.append(
            "several workers draw the same random numbers: a generator that the dataset keeps, or "
            "one seed for all workers in worker_init_fn"
        )
    return findings


def epoch_set(loader: Any, epoch: int) -> Findings:
    """At the first step of each epoch: the sampler was told its number. A DistributedSampler
    shuffles by `seed + epoch`, and its epoch stays 0 without `set_epoch`.

    A sampler with shuffle=False, as for validation, takes no notice of the epoch, and neither does
    the check.

    Raises:
        ValueError: no sampler of the loader has `set_epoch` and `epoch`: look at `checks.epochs`
            then.
    """
    batches = getattr(loader, "batch_sampler", None)
    for place, sampler in [
        ("sampler", getattr(loader, "sampler", None)),
        ("batch_sampler", batches),
        ("batch_sampler.sampler", getattr(batches, "sampler", None)),
    ]:
        told = getattr(sampler, "epoch", None)
        if hasattr(sampler, "set_epoch") and isinstance(told, int):
            if told == epoch or getattr(sampler, "shuffle", True) is False:
                return Findings()
            return finding(
                f"epoch {epoch} is shuffled as epoch {told}: call "
                f"loader.{place}.set_epoch({epoch}) before the loop over the batches"
            )
    raise ValueError(
        "no sampler of this loader has set_epoch and epoch: compare two epochs with checks.epochs"
    )


def batch_sizes(loader: Iterable[Any]) -> Findings:
    """A mean of the batches' means weighs the last, smaller batch too much. Goes through the loader
    once; the size is that of the first tensor or list in a batch.

    Raises:
        ValueError: the loader is empty, or a batch holds nothing that has a length.
    """
    with random_kept():
        sizes = [_size(batch) for batch in loader]
    if not sizes:
        raise ValueError("the loader gave no batch")
    if len(set(sizes)) == 1:
        return Findings()
    return finding(
        f"batches hold {min(sizes)} to {max(sizes)} samples: weigh each batch's mean by its "
        f"size, or sum and divide by {sum(sizes)}"
    )


def _size(batch: Any) -> int:
    for column in _columns(batch):
        if isinstance(column, (list, tuple)) or (isinstance(column, Tensor) and column.ndim):
            return len(column)
    raise ValueError("a batch holds no tensor or list that has a length: nothing to count")
