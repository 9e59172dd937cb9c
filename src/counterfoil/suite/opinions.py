"""What people said of replies, item by item, as values that can be compared and averaged.

The figures here are for forms that ask what a reply says. A suite with another form has figures of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from counterfoil.errors import UserError
from counterfoil.stats.estimate import ALL
from counterfoil.suite.form import NONE, Form, FormQuestion, Task
from counterfoil.suite.people import HUMAN_READING, HUMAN_READING_KAPPA

if TYPE_CHECKING:
    from counterfoil.stats.estimate import Estimate

# True or false; 0 to 100; one of the choices; a number as written, empty for none; any text, empty for nothing.
Value = bool | float | str
# What of a value is compared between raters.
Label = bool | float | str

# Estimates over all models and variants are named so.
OVER_ALL: dict[str, Any] = {"model": ALL, "variant": ALL}
PEOPLE = "people"


class Item(NamedTuple):
    """One thing to be rated of a task: a question of the form, and the number of the alternative it is about."""

    question: str
    alternative: int | None = None

    @property
    def key(self) -> str:
        """`correct`, or `clear.0` for the first alternative."""
        return self.question if self.alternative is None else f"{self.question}.{self.alternative}"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The record that a task was made from, which raters must not see.

    `algorithm`: what was read and scored without a model. `judges`: what each judge said of the reply. In both, None is
    what is not known. `identity` has the columns that name the question beside its id.
    """

    model: str
    variant: str
    question_id: str
    repeat: int
    cluster: str
    algorithm: dict[str, Any] = {}
    judges: dict[str, dict[str, float | None]] = {}
    identity: dict[str, Any] = {}
    # How many replies of the run it stands for, where not all had the same chance to be drawn.
    weight: float = 1.0
    # Older studies have this in place of `identity`.
    order: int | None = None

    @property
    def columns(self) -> dict[str, Any]:
        """What names the record in its run."""
        names = ("model", "variant", "question_id", "repeat")
        further = self.identity if self.order is None else {"order": self.order}
        return {name: getattr(self, name) for name in names} | further


class StudyTask(msgspec.Struct, frozen=True):
    """A task, and its source, which is kept apart from it."""

    task: Task
    source: Source


class Opinion(NamedTuple):
    """One item of one task: what each rater said, and what the adjudicator decided, if anything."""

    of: StudyTask
    item: Item
    question: FormQuestion
    values: Mapping[str, Value]
    decided: Value | None

    @property
    def labels(self) -> dict[str, Label]:
        """The values as they are compared between raters."""
        return {rater: label(self.question, value) for rater, value in self.values.items()}


class Judged(NamedTuple):
    """What a judge, or the rules, and people say of one reply, as shares from 0 to 1."""

    judge: str
    measure: str
    task: StudyTask
    said: float
    people: float


class Opinions:
    """All opinions of a study. Items that nobody has rated are there, too, empty.

    `said` has what each rater said, by the task's number and the item's key; `decided` what the adjudicator did.
    """

    def __init__(
        self,
        form: Form,
        tasks: Sequence[StudyTask],
        said: Mapping[tuple[int, str], Mapping[str, Value]],
        decided: Mapping[tuple[int, str], Value],
    ) -> None:
        self.form = form
        self.tasks = tasks
        self._said = said
        self._decided = decided

    def of(self, task: StudyTask) -> dict[str, Opinion]:
        """The opinions of one task, by the items' keys."""
        found = {}
        for item in items(self.form, task.task):
            key = task.task.id, item.key
            question = self.form.question(item.question)
            found[item.key] = Opinion(task, item, question, self._said.get(key, {}), self._decided.get(key))
        return found

    def of_tasks(self, tasks: Sequence[StudyTask]) -> Opinions:
        """The same opinions on these tasks alone, which may tell more of their sources."""
        return Opinions(self.form, tasks, self._said, self._decided)

    def all(self) -> list[Opinion]:
        return [opinion for task in self.tasks for opinion in self.of(task).values()]


def items(form: Form, task: Task) -> list[Item]:
    """What is to be rated of a task, in order; all that is asked of an alternative stands together."""
    found: list[Item] = []
    for per, some in groupby(form.questions, key=lambda question: question.per):
        questions = list(some)
        if per == "alternative":
            found += [Item(question.name, place) for place in range(len(task.alternatives)) for question in questions]
        else:
            whens = ("always", "options" if task.options else "no_options")
            found += [Item(question.name) for question in questions if question.when in whens]
    return found


def label(question: FormQuestion, value: Value) -> Label:
    """What of a value is compared: of a number its amount, of missing alternatives whether there are any."""
    if question.kind == "text":
        return bool(names_in(str(value)))
    if question.kind == "number" and value != "":
        return f"{plain_number(str(value), question.name).normalize():f}"
    return value


def amount(question: FormQuestion, value: Value) -> float:
    """A value as a number: yes is 1, a score itself; of missing alternatives how many there are."""
    return float(len(names_in(str(value)))) if question.kind == "text" else float(value)


def consensus(opinion: Opinion) -> float | None:
    """What was decided; else the mean over the raters, for yes and no the share of yes; None where nobody rated."""
    if opinion.decided is not None:
        return amount(opinion.question, opinion.decided)
    said = [amount(opinion.question, value) for value in opinion.values.values()]
    return fmean(said) if said else None


def majority(opinion: Opinion) -> Label | None:
    """What was decided; else what more raters said than anything else; None on a tie."""
    if opinion.decided is not None:
        return label(opinion.question, opinion.decided)
    counts = Counter(opinion.labels.values()).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def plain_number(text: str, what: str) -> Decimal:
    """A number as people write it: separators of thousands, a currency and a percent sign do not matter."""
    try:
        number = Decimal(text.strip().lstrip("$€£¥₩ ").rstrip("% ").replace(",", "").replace("−", "-"))
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise UserError(f"{what}: {text[:50]!r} is no number; leave it empty where there is none.")
    return number


def names_in(text: str) -> list[str]:
    """The names in a free text: one on each line, or parted by semicolons; each once."""
    parts = (part.strip() for line in text.splitlines() for part in line.split(";"))
    return list({part.casefold(): part for part in parts if part}.values())


def reading_metrics(opinions: Opinions) -> list[Estimate]:
    """How often people read the answer that the rules read; nothing where the form does not ask what a reply says."""
    import polars as pl

    from counterfoil.stats.summary import summarize

    rows = []
    for opinion in _of_readings(opinions):
        source = opinion.of.source
        row: dict[str, Any] = {name: getattr(source, name) for name in ("model", "variant", "cluster", "question_id")}
        read = label(opinion.question, source.algorithm["reading"])
        said = [opinion.decided] if opinion.decided is not None else list(opinion.values.values())
        row["same"] = fmean(label(opinion.question, value) == read for value in said) if said else None
        row["weight"] = source.weight
        row["reading"] = NONE if source.algorithm["reading"] in (NONE, "") else "read"
        rows.append(row)
    if not rows:
        return []
    frame = pl.DataFrame(rows, schema_overrides={"same": pl.Float64})
    return summarize([HUMAN_READING], {HUMAN_READING.of: frame})


def reading_agreement(opinions: Opinions) -> list[Estimate]:
    """How far the rules and most people agree on what the replies say."""
    from counterfoil.stats import cohen_kappa

    some = _of_readings(opinions)
    if not some:
        return []
    read = [label(opinion.question, opinion.of.source.algorithm["reading"]) for opinion in some]
    clusters = [opinion.of.source.cluster for opinion in some]
    group = {"between": f"rules and {PEOPLE}"}
    said = list(map(majority, some))
    return [cohen_kappa(read, said, clusters, metric=HUMAN_READING_KAPPA.name, group=group, **OVER_ALL)]


def _of_readings(opinions: Opinions) -> list[Opinion]:
    """Every opinion on what a reply says, where the form asks that and nothing else."""
    if not all(question.kind in ("choice", "number") for question in opinions.form.questions):
        return []
    return [opinion for opinion in opinions.all() if "reading" in opinion.of.source.algorithm]
