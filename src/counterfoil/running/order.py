"""The order in which questions are asked: random, whole clusters together, so that a part of a run is a sample."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

# Questions that are held at a time, or an eighth of them all: a dataset that makes its questions as they are needed is
# gone through once for each such part.
HELD, PARTS = 16_384, 8


class Order:
    """The questions of a run, cluster after cluster in the order of a seeded hash. It can be iterated many times.

    At any moment those that have come are a random sample of clusters. Of each question its place alone is kept.
    """

    def __init__(self, questions: Iterable[Any], seed: int) -> None:
        self._questions = questions
        ranks = array("Q", (_rank(question.cluster, seed) for question in questions))
        self._places = array("Q", sorted(range(len(ranks)), key=ranks.__getitem__))

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Each question with its place in the dataset."""
        held = max(HELD, -(-len(self._places) // PARTS))
        for start in range(0, len(self._places), held):
            found: dict[int, Any] = dict.fromkeys(self._places[start : start + held])
            for place, question in enumerate(self._questions):
                if place in found:
                    found[place] = question
            yield from found.items()


def _rank(cluster: str, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} order:{cluster}".encode()).digest()[:8], "big")
