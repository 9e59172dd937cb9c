"""What is asked of a dataset, and when: a sample with the same chance for each question, and a random order."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappush, heappushpop
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

# Multiples of it, without their whole parts, lie as far apart as can be, however many there are.
GOLDEN_RATIO = (5**0.5 - 1) / 2

# Questions that are held at a time, or an eighth of them all: a dataset that makes its questions as they are needed is
# gone through once for each such part.
HELD, PARTS = 16_384, 8
# So many numbers are looked at one by one.
FEW = 10_000


class Sampled(Protocol):
    """The part of a question that sampling needs. `suite.Question` explains it."""

    @property
    def unit(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def stratum(self) -> str: ...


def chosen_units(questions: Iterable[Sampled], limit: int, seed: int) -> set[str]:
    """A sample of `limit` questions before orders and draws: each has the same chance, limit ÷ all.

    Systematic sampling with a random start: all families stand in a ring, those of each stratum at equal distances, and
    the sample is what follows a random place of it. So each stratum has its share, however many strata there are; a
    family stays together, but for the last one; a larger sample holds the smaller one; and the order of the dataset
    does not matter.
    """
    strata: dict[str, dict[str, list[str]]] = {}
    seen: set[str] = set()
    for question in questions:
        if question.unit not in seen:
            seen.add(question.unit)
            strata.setdefault(question.stratum, {}).setdefault(question.family, []).append(question.unit)
    ring = _ring(strata, seed)
    first = _start(ring, _chance("start", seed) * len(seen))
    chosen: list[str] = []
    for family in (*ring[first:], *ring[:first]):
        if len(chosen) >= limit:
            break
        chosen += sorted(family, key=lambda unit: _chance(unit, seed))
    return set(chosen[:limit])


def _ring(strata: Mapping[str, Mapping[str, list[str]]], seed: int) -> list[list[str]]:
    """The families, those of a stratum in random order at equal distances. Strata begin at places that lie apart."""
    placed = []
    for number, name in enumerate(sorted(strata)):
        families = strata[name]
        shuffled = sorted(families, key=lambda family: _chance(family, seed))
        placed += [
            ((place + number * GOLDEN_RATIO % 1) / len(families), number, families[family])
            for place, family in enumerate(shuffled)
        ]
    return [family for _, _, family in sorted(placed)]


def _start(ring: Sequence[Sequence[str]], place: float) -> int:
    """Where the sample begins: the family at this place, counted in units, or the next one.

    A place inside a family would tear it apart. With the share of the family that lies before the place it is the next
    one, so that no unit has a better chance than another, whatever the sizes of families.
    """
    before = 0
    for number, family in enumerate(ring):
        if place < before + len(family):
            inside = int(place - before)
            return (number + (place % 1 < inside / len(family))) % len(ring)
        before += len(family)
    return 0


def _chance(name: str, seed: int) -> float:
    """A number from 0 to 1 that the seed and the name decide."""
    return _rank(name, seed) / 2**64


def _rank(name: str, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:8], "big")


def distinct(numbers: array[int]) -> int:
    """How many different numbers there are. Few of them take no numpy."""
    if len(numbers) <= FEW:
        return len(set(numbers))
    import numpy as np

    # np.unique would do, but loads masked arrays for it.
    ordered = np.sort(np.frombuffer(numbers, dtype=np.dtype(numbers.typecode)))
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


class Passing(Generic[T]):
    """A sample of things that come by in any order, and that are too many to be kept: about `size` of them.

    Things of one family are drawn together. The families with the lowest ranks are drawn, and ranks are a seeded hash
    of their names. How many that are depends on how many things and families there are, and not on which they are: so
    each family, and each thing, has the same chance.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._seed = seed
        # The families with the lowest ranks so far, and these ranks, negative, the highest rank first.
        self._held: dict[int, list[T]] = {}
        self._highest: list[int] = []
        # The rank of each thing.
        self._ranks = array("Q")

    def add(self, family: str, thing: T) -> list[T]:
        """Gives the things that are not drawn for sure: others may take their place, and then they come out here."""
        rank = _rank(f"passing:{family}", self._seed)
        self._ranks.append(rank)
        if rank in self._held:
            self._held[rank].append(thing)
            return []
        if len(self._held) == self._size and rank > -self._highest[0]:
            return [thing]
        self._held[rank] = [thing]
        if len(self._held) <= self._size:
            heappush(self._highest, -rank)
            return []
        return self._held.pop(-heappushpop(self._highest, -rank))

    def drawn(self) -> tuple[list[T], list[T]]:
        """The sample, and what was held beside it."""
        families = distinct(self._ranks)
        number = max(1, min(families, self._size * families // max(1, len(self._ranks))))
        things = [self._held[rank] for rank in sorted(self._held)]
        return [it for family in things[:number] for it in family], [it for family in things[number:] for it in family]


class Sample:
    """The chosen questions of a dataset, in its order. It can be iterated many times."""

    def __init__(self, questions: Iterable[Any], units: set[str]) -> None:
        self._questions = questions
        self._units = units

    def __iter__(self) -> Iterator[Any]:
        return (question for question in self._questions if question.unit in self._units)


class Order:
    """The questions of a run, cluster after cluster in the order of a seeded hash. It can be iterated many times.

    At any moment those that have come are a random sample of clusters. Of each question its place alone is kept.
    """

    def __init__(self, questions: Iterable[Any], seed: int) -> None:
        self._questions = questions
        ranks = array("Q", (_rank(f"order:{question.cluster}", seed) for question in questions))
        self._places = array("Q", sorted(range(len(ranks)), key=ranks.__getitem__))
        # Where each cluster begins, and where the last one ends.
        of_places = [ranks[place] for place in self._places]
        self._starts = array("Q", (i for i, rank in enumerate(of_places) if not i or rank != of_places[i - 1]))
        self._starts.append(len(self._places))

    @property
    def clusters(self) -> int:
        return len(self._starts) - 1

    def end_of(self, clusters: int) -> int:
        """How many questions come until so many clusters are whole."""
        return self._starts[clusters]

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Each question with its place in the dataset."""
        held = max(HELD, -(-len(self._places) // PARTS))
        for start in range(0, len(self._places), held):
            found: dict[int, Any] = dict.fromkeys(self._places[start : start + held])
            for place, question in enumerate(self._questions):
                if place in found:
                    found[place] = question
            yield from found.items()
