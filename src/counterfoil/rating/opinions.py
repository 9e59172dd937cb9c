"""What people said, item by item, as values that can be compared and averaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from counterfoil.rating.form import Item, Value, items, names_in, plain_number
from counterfoil.rating.store import ADJUDICATOR, Study
from counterfoil.rating.tasks import Made
from counterfoil.suite.form import FormQuestion

Label = bool | float | str
ASPECTS = ("clear", "accurate", "convincing")


class Opinion(NamedTuple):
    """One item of one task: what each rater said, and what the adjudicator decided, if anything."""

    made: Made
    item: Item
    question: FormQuestion
    values: Mapping[str, Value]
    decided: Value | None

    @property
    def labels(self) -> dict[str, Label]:
        """The values as they are compared between raters."""
        return {rater: label(self.question, value) for rater, value in self.values.items()}


class Opinions:
    """All of a study: by task, and by the key of the item. Items that nobody has rated are there, too, empty."""

    def __init__(self, study: Study) -> None:
        self.form = study.form
        self.tasks = study.made()
        self._said: dict[tuple[int, str], dict[str, Value]] = {}
        for rating in study.latest():
            if rating.value is not None:
                self._said.setdefault((rating.task, rating.item), {})[rating.rater] = rating.value

    def of(self, made: Made) -> dict[str, Opinion]:
        found = {}
        for item in items(self.form, made.task):
            said = dict(self._said.get((made.task.id, item.key), {}))
            decided = said.pop(ADJUDICATOR, None)
            found[item.key] = Opinion(made, item, self.form.question(item.question), said, decided)
        return found

    def all(self) -> list[Opinion]:
        return [opinion for made in self.tasks for opinion in self.of(made).values()]


def label(question: FormQuestion, value: Value) -> Label:
    """What of a value is compared: of a number its amount, of the missing alternatives whether there are any."""
    if question.kind == "text":
        return bool(names_in(str(value)))
    if question.kind == "number" and value != "":
        return f"{plain_number(str(value), question.name).normalize():f}"
    return value


def amount(question: FormQuestion, value: Value) -> float:
    """A value as a number: yes is 1, a score itself; of the missing alternatives how many there are."""
    return float(len(names_in(str(value)))) if question.kind == "text" else float(value)


def consensus(opinion: Opinion) -> float | None:
    """What was decided; else the mean over the raters, for yes and no the share of yes; None where nobody rated."""
    if opinion.decided is not None:
        return amount(opinion.question, opinion.decided)
    return fmean(amount(opinion.question, it) for it in opinion.values.values()) if opinion.values else None


def majority(opinion: Opinion) -> Label | None:
    """What was decided; else what more raters said than anything else; None on a tie."""
    if opinion.decided is not None:
        return label(opinion.question, opinion.decided)
    counts = Counter(opinion.labels.values()).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


class Measured(NamedTuple):
    """A reply of `explain` in numbers; None is what is not defined, or not rated yet. See `human.FORMULAS`."""

    correct: float | None
    confusion: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    quality: float | None
    needed_only: float | None


def measured(numbers: Mapping[str, float | None], alternatives: int) -> Measured:
    """From the numbers of a reply's items, by their keys, to its measures: of one rater, or of all together."""
    plausible = _all_of(numbers.get(f"plausible.{place}") for place in range(alternatives))
    aspects = _all_of(numbers.get(f"{aspect}.{place}") for place in range(alternatives) for aspect in ASPECTS)
    missing = numbers.get("missing")
    unneeded = numbers.get("unneeded")
    recall = f1 = None
    if plausible is not None and missing is not None:
        common = sum(plausible)
        recall = common / (common + missing) if common + missing else None
        f1 = 2 * common / (alternatives + common + missing) if alternatives + missing else None
    return Measured(
        correct=numbers.get("correct"),
        confusion=numbers.get("confusion"),
        precision=fmean(plausible) if plausible else None,
        recall=recall,
        f1=f1,
        quality=fmean(aspects) if aspects else None,
        needed_only=None if unneeded is None else 1 - unneeded,
    )


def _all_of(numbers: Iterable[float | None]) -> list[float] | None:
    """The numbers, if none is missing."""
    found = list(numbers)
    there = [number for number in found if number is not None]
    return there if len(there) == len(found) else None


def measured_together(opinions: Mapping[str, Opinion], made: Made) -> Measured:
    """A reply's measures by all people together."""
    return measured({key: consensus(it) for key, it in opinions.items()}, len(made.task.alternatives))


def measured_by_each(opinions: Mapping[str, Opinion], made: Made) -> dict[str, Measured]:
    """A reply's measures by each rater."""
    raters = dict.fromkeys(rater for it in opinions.values() for rater in it.values)
    return {
        rater: measured(
            {key: amount(it.question, it.values[rater]) for key, it in opinions.items() if rater in it.values},
            len(made.task.alternatives),
        )
        for rater in raters
    }


def confusion_of_questions(opinions: Opinions) -> dict[str, float]:
    """How confusing each question is to people: the mean over its replies in the study, 0 to 100."""
    scores: dict[str, list[float]] = {}
    for made in opinions.tasks:
        score = consensus(opinions.of(made)["confusion"])
        if score is not None:
            scores.setdefault(made.source.question_id, []).append(score)
    return {question: fmean(some) for question, some in scores.items()}
