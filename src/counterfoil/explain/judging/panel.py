"""A judge that is asked several times, and several judges as one: what they say together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from counterfoil.explain.judging.judge import Judgement, overlap
from counterfoil.explain.metrics import ASPECTS
from counterfoil.judging.text import fold

PANEL = "panel"
MEAN, MAJORITY = "mean", "majority"
REPEAT = r" #\d+$"
_NUMBERS = ("confusion", "precision", "recall", "f1", "quality", *ASPECTS, "restraint")


def repeat_name(judge: str, repeat: int) -> str:
    """What one of several times that a judge was asked is called, from 0 on."""
    return f"{judge} #{repeat + 1}"


def is_repeat(name: str) -> bool:
    """Whether the name is of one time of several."""
    return re.search(REPEAT, name) is not None


def with_means(times: Sequence[Judgement], judge: str, confusing_at: float) -> dict[str, Judgement]:
    """What a judge said in all its times together, by its name, and each time by its own, if there are several."""
    if len(times) == 1:
        return {judge: times[0]}
    return {
        judge: mean_of(times, confusing_at),
        **{repeat_name(judge, repeat): said for repeat, said in enumerate(times)},
    }


def panel_of(said: Mapping[str, Judgement], way: str, mentioned: int, confusing_at: float) -> Judgement:
    """What these judges say together of a reply that clears up so many alternatives."""
    judges = list(said.values())
    return majority_of(judges, mentioned) if way == MAJORITY else mean_of(judges, confusing_at)


def mean_of(said: Sequence[Judgement], confusing_at: float) -> Judgement:
    """The mean of every number, over those who have one, and the alternatives that most name."""
    made: dict[str, Any] = {name: _over(said, name, fmean) for name in _NUMBERS}
    made |= {name: _named_by_most(said, name) for name in ("ideal", "intersection")}
    made["confusing"] = None if made["confusion"] is None else made["confusion"] > confusing_at
    return Judgement(**made, correct=_most(said, "correct"), changed=_most(said, "changed"))


def majority_of(said: Sequence[Judgement], mentioned: int) -> Judgement:
    """What more than half of the judges say: labels, and the alternatives of both lists; medians of the scores.

    Where as many say yes as no, nothing is said.
    """
    confusing = _most(said, "confusing")
    made: dict[str, Any] = {name: _over(said, name, median) for name in ("confusion", "quality", *ASPECTS)}
    restraint = _most([one for one in said if one.restraint is not None], "restraint")
    if confusing:
        made["ideal"], made["intersection"] = (_named_by_most(said, name) for name in ("ideal", "intersection"))
        if made["ideal"] is not None and made["intersection"] is not None:
            found = overlap(len(made["intersection"]), mentioned, len(made["ideal"]))
            made["precision"], made["recall"], made["f1"] = found
    return Judgement(
        **made,
        confusing=confusing,
        restraint=None if confusing or restraint is None else float(restraint),
        correct=_most(said, "correct"),
    )


def _over(said: Sequence[Judgement], name: str, of: Callable[[Sequence[float]], float]) -> float | None:
    numbers = [value for value in (getattr(one, name) for one in said) if value is not None]
    return of(numbers) if numbers else None


def _most(said: Sequence[Judgement], name: str) -> bool | None:
    """What more than half of those say who say something."""
    votes = [bool(value) for value in (getattr(one, name) for one in said) if value is not None]
    yes = sum(votes)
    return None if not votes or 2 * yes == len(votes) else 2 * yes > len(votes)


def _named_by_most(said: Sequence[Judgement], name: str) -> tuple[str, ...] | None:
    """The entries that more than half of those name who have a list, as they are written first."""
    lists = [entries for entries in (getattr(one, name) for one in said) if entries is not None]
    if not lists:
        return None
    counts = Counter(key for entries in lists for key in {fold(entry) for entry in entries})
    written: dict[str, str] = {}
    for entry in (entry for entries in lists for entry in entries):
        written.setdefault(fold(entry), entry)
    return tuple(entry for key, entry in written.items() if 2 * counts[key] > len(lists))
