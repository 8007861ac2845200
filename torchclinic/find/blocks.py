"""Long lists that are kept in blocks, each an entry of a file of which a run reads few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class Blocks(Sequence[_T], Generic[_T]):
    """A list that `split` has put into entries."""

    def __init__(self, entries: Mapping[str, Any], name: str):
        self._entries, self._name = entries, name
        self._count, self._size = entries[name]

    def __len__(self) -> int:
        count: int = self._count
        return count

    @overload
    def __getitem__(self, number: int) -> _T: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[_T]: ...
    def __getitem__(self, number: int | slice) -> _T | Sequence[_T]:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        if not 0 <= number < self._count:
            raise IndexError(number)
        block, at = divmod(number, self._size)
        item: _T = self._entries[f"{self._name}/{block}"][at]
        return item


def split(items: Sequence[Any], name: str, size: int) -> dict[str, Any]:
    """A list as entries: under its name its length and the size of a block, and the blocks."""
    blocks = {f"{name}/{at // size}": items[at : at + size] for at in range(0, len(items), size)}
    return {name: (len(items), size), **blocks}
