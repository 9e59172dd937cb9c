"""A sample of a dataset: stratified and seeded, never the first N."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Protocol


class Sampled(Protocol):
    """The part of a question that sampling needs. `suite.Question` explains it."""

    @property
    def unit(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def stratum(self) -> str: ...


def chosen_units(questions: Iterable[Sampled], limit: int, seed: int) -> set[str]:
    """A sample of `limit` questions before orders and draws, each stratum with its share (largest remainders).

    A unit's rank depends on the seed and its family alone: a larger sample holds the smaller one's units of each
    stratum, and what the dataset's order is does not matter. One pass.
    """
    sizes: Counter[str] = Counter()
    best: dict[str, list[tuple[int, str]]] = {}
    seen: set[str] = set()
    for question in questions:
        if question.unit in seen:
            continue
        seen.add(question.unit)
        sizes[question.stratum] += 1
        heap = best.setdefault(question.stratum, [])
        entry = (-_rank(question.family, seed), question.unit)
        if len(heap) < limit:
            heapq.heappush(heap, entry)
        elif entry > heap[0]:
            heapq.heapreplace(heap, entry)
    shares = _shares(sizes, limit, seed)
    return {unit for stratum, heap in best.items() for _, unit in sorted(heap, reverse=True)[: shares[stratum]]}


def _shares(sizes: Counter[str], limit: int, seed: int) -> dict[str, int]:
    total = sum(sizes.values())
    limit = min(limit, total)
    shares = {stratum: limit * size // total for stratum, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda stratum: (-(limit * sizes[stratum] % total), _rank(stratum, seed)))
    for stratum in by_remainder[: limit - sum(shares.values())]:
        shares[stratum] += 1
    return shares


def _rank(name: str, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "big")


class Sample:
    """The chosen questions of a dataset, in its order. It can be iterated many times."""

    def __init__(self, questions: Iterable[Any], units: set[str]) -> None:
        self._questions = questions
        self._units = units

    def __iter__(self) -> Iterator[Any]:
        return (question for question in self._questions if question.unit in self._units)
