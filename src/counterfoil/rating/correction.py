"""What a study says of its whole run: every figure that its labels can set right, beside what people say alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from counterfoil.comparing.corrected import CorrectedFigure
from counterfoil.errors import UserError
from counterfoil.rating.correcting import CERTAIN, Corrected, Sample, Term, corrected
from counterfoil.rating.store import Design, Study
from counterfoil.rating.strata import parts, stacks, strata_of, sums
from counterfoil.rating.study import check_replies, rateable_rows
from counterfoil.running.asked import Key, key_of_question, key_of_record, questions_of, suite_of
from counterfoil.running.folder import RECORDS, Run, readable
from counterfoil.running.records import read_scores
from counterfoil.stats.estimate import BASIS, CORRECTED, PEOPLE_ALONE, SHIFT, Estimate, Interval
from counterfoil.stats.metric import Metric
from counterfoil.suite.opinions import Opinions, StudyTask, Value
from counterfoil.suite.suite import AnySuite, Suite

# Fewer labels that count give no corrected figure.
FEWEST = 30
# So many pairs of answers, and no two alike, are no accident.
PAIRS_TO_TELL = 10
# The same figure from the records and from the summary: rounding apart, it is the same number.
_SAME = 1e-6

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class Figure(NamedTuple):
    """One figure of the run, as reported, and as labels set it right; `labels` is how many count in it. Where they are
    too few, `needed` says how many more there must be.
    """

    reported: Estimate
    labels: int
    found: Corrected | None = None
    clusters: Sequence[str] = ()
    needed: int = 0
    why: str = ""

    @property
    def estimates(self) -> list[Estimate]:
        """The figure corrected, by people alone, and corrected − reported; or a note where labels are too few."""
        reported, found = self.reported, self.found
        if found is None:
            return [_estimate(reported, CORRECTED, None, self, self.why or too_few(self.needed))]
        told = f"{self.labels} labels; what machines say has the weight {found.power:.2f}"
        return [
            _estimate(reported, CORRECTED, found.corrected, self, told),
            _estimate(reported, PEOPLE_ALONE, found.people, self, None),
            _estimate(reported, SHIFT, found.shift, self, None),
        ]

    @property
    def by_cluster(self) -> CorrectedFigure | None:
        """What a comparison needs of an overall figure."""
        reported, found = self.reported, self.found
        if found is None or found.corrected.value is None or reported.group:
            return None
        return CorrectedFigure(
            metric=reported.metric,
            model=reported.model,
            variant=reported.variant,
            value=found.corrected.value,
            influence=dict(zip(self.clusters, found.influence.tolist(), strict=True)),
        )


class Labels(NamedTuple):
    """The records of a run and what people say of some: in each of `said` the rated records as one person has them,
    with their places in `places`, and `share` = 1 ÷ the number of people who rated that reply.
    """

    records: pl.DataFrame
    strata: Places
    names: Sequence[str]
    said: Sequence[pl.DataFrame]
    places: Sequence[Places]
    shares: Sequence[Floats]

    @property
    def rated(self) -> Places:
        """The places of the records that anybody rated."""
        return self.places[0] if self.places else np.zeros(0, dtype=np.int64)


def corrected_figures(study: Study, run: Run, data: str | None = None) -> list[Figure]:
    """Every overall figure that labels can correct, and those of groups with enough labels.

    Refused where the suite can't tell what labels mean, or where the labels are not of this run's replies.
    """
    suite = suite_of(run)
    if type(suite).heard is Suite.heard:
        raise UserError(f"The suite {suite.name} does not say what labels mean: give it a method `heard`.")
    check_replies(study, run)
    labels = labels_of(study, run, suite, data)
    # A part of the records has the frames of all of them: those of every judge, too.
    named = labels.records["judges"].explode() if "judges" in labels.records.columns else pl.Series([], dtype=pl.String)
    judges = named.drop_nulls().unique(maintain_order=True).to_list()
    context = msgspec.structs.replace(suite.context, judges=judges)
    return list(_figures(suite.configured(suite.settings, context), run, labels))


def too_few(needed: int) -> str:
    return f"too few labels: {needed:,} more {'is' if needed == 1 else 'are'} needed"


def _estimate(reported: Estimate, basis: str, interval: Interval | None, figure: Figure, note: str | None) -> Estimate:
    interval = interval or Interval(None, None, None, figure.labels, 0, "not corrected", None)
    group = {BASIS: basis, **reported.group}
    made = interval.estimate(reported.metric, reported.model, reported.variant, group)
    made.n = reported.n if basis == CORRECTED and interval.value is not None else figure.labels
    made.note = "; ".join(filter(None, (note, made.note))) or None
    return made


def labels_of(study: Study, run: Run, suite: AnySuite, data: str | None = None) -> Labels:
    """The run's records, and what each person who rated a whole reply makes of its record."""
    with readable(run.folder / RECORDS):
        records = suite.placed(read_scores(run.folder / RECORDS))
    opinions = study.opinions()
    _check_agreement(opinions)
    said = {task.task.id: _by_person(opinions, task) for task in opinions.tasks}
    tasks = [task for task in opinions.tasks if said[task.task.id]]
    places = _places(records, tasks)
    known, facts = _questions(suite, run, data, records, places)
    rows: list[list[dict[str, Any]]] = []
    for task, place in zip(tasks, places, strict=True):
        record = records.row(place, named=True)
        question = known[key_of_record(suite, record)]
        rows.append([_row(suite, question, facts, record, one) for one in said[task.task.id]])
    most = max(map(len, rows), default=0)
    slots = [[number for number, some in enumerate(rows) if len(some) > slot] for slot in range(most)]
    strata, names = _strata(suite, run, records, study.design())
    return Labels(
        records=records,
        strata=strata,
        names=names,
        said=[
            pl.DataFrame([rows[number][slot] for number in mine], schema=records.schema, orient="row")
            for slot, mine in enumerate(slots)
        ],
        places=[np.array([places[number] for number in mine], dtype=np.int64) for mine in slots],
        shares=[np.array([1 / len(rows[number]) for number in mine]) for mine in slots],
    )


def _check_agreement(opinions: Opinions) -> None:
    """Refuse labels on which no two people ever said the same: they tell of the form, not of the replies."""
    for question in opinions.form.questions:
        if question.kind in ("score", "text"):
            continue
        every = [one for one in opinions.all() if one.question.name == question.name and one.decided is None]
        pairs = [pair for one in every for pair in combinations(one.labels.values(), 2)]
        if len(pairs) >= PAIRS_TO_TELL and not any(first == second for first, second in pairs):
            raise UserError(
                f"In {len(pairs):,} pairs of answers to “{question.name}” no two raters agree: what they say can't set "
                "anything right. Look at how they understand the question, and let the adjudicator decide."
            )


def _by_person(opinions: Opinions, task: StudyTask) -> list[dict[str, Value]]:
    """What each person who answered everything said of a task; what was decided takes the place of what they said."""
    of_task = opinions.of(task)
    raters = dict.fromkeys(rater for opinion in of_task.values() for rater in opinion.values)
    found = []
    for rater in raters or ([""] if all(one.decided is not None for one in of_task.values()) else []):
        said = {
            key: opinion.values.get(rater) if opinion.decided is None else opinion.decided
            for key, opinion in of_task.items()
        }
        whole = {key: value for key, value in said.items() if value is not None}
        if len(whole) == len(said):
            found.append(whole)
    return found


def _places(records: pl.DataFrame, tasks: Sequence[StudyTask]) -> list[int]:
    """Where the tasks' records are."""
    if not tasks:
        return []
    names = list(tasks[0].source.columns)
    rows = (
        records.select(names)
        .with_row_index("place")
        .filter(pl.col("question_id").is_in({task.source.question_id for task in tasks}))
    )
    there = {row[1:]: row[0] for row in rows.iter_rows()}
    return [there[tuple(task.source.columns.values())] for task in tasks]


def _questions(
    suite: AnySuite, run: Run, data: str | None, records: pl.DataFrame, places: Sequence[int]
) -> tuple[Mapping[Key, Any], Any]:
    """The questions of these records, and what must be known of the whole dataset."""
    dataset = questions_of(run, data)
    needed = {key_of_record(suite, row) for row in records[list(places)].iter_rows(named=True)}
    known = {key: question for question in dataset if (key := key_of_question(suite, question)) in needed}
    if needed - set(known):
        raise UserError("The run's dataset lacks questions that were rated: name it with --data.")
    return known, suite.prepare(dataset)


def _row(
    suite: AnySuite, question: Any, facts: Any, record: Mapping[str, Any], said: Mapping[str, Value]
) -> dict[str, Any]:
    """The record as it would be if the person were right: made as every record is."""
    reading, verdicts = suite.heard(question, record, said)
    scored = suite.score(question, facts, reading, verdicts)
    row = {**record, **dict.fromkeys(suite.columns), **question.columns, **scored}
    return {name: row.get(name) for name in record}


def _strata(suite: AnySuite, run: Run, records: pl.DataFrame, design: Design | None) -> tuple[Places, Sequence[str]]:
    """As the sample was drawn: by strata, or every reply that could be drawn with the same chance."""
    rateable = rateable_rows(run)
    if design is not None and design.metric is not None:
        strata = strata_of(suite, records, rateable, design.metric)
        return strata.code, strata.names
    code = np.full(records.height, CERTAIN, dtype=np.int64)
    code[rateable] = 0
    return code, ["all replies"]


class _Column(NamedTuple):
    """For each item its part of two sums, and whether it counts: by machines; and by people, 0 if nobody rated it."""

    above: Floats
    below: Floats
    counts: Floats
    said_above: Floats
    said_below: Floats
    said_counts: Floats


def _figures(suite: AnySuite, run: Run, labels: Labels) -> Iterator[Figure]:
    metrics, items = suite.correctable(labels.records)
    said = [suite.correctable(frame)[1] for frame in labels.said]
    reported = {_key(one): one for one in run.estimates if one.value is not None and BASIS not in one.group}
    kinds = {kind: _Kind(labels, frame, [each.get(kind) for each in said]) for kind, frame in items.items()}
    for metric in metrics:
        if metric.is_there(items) and kinds[metric.of].is_of_replies:
            for by in metric.groups:
                yield from kinds[metric.of].figures(metric, by, reported)


def _key(one: Estimate) -> tuple[Any, ...]:
    return one.metric, one.model, one.variant, frozenset(one.group.items())


class _Kind:
    """Items of one kind. They are replies where their frame has the records in their order, or several times so, once
    for each judge.
    """

    def __init__(self, labels: Labels, items: pl.DataFrame, said: Sequence[pl.DataFrame | None]) -> None:
        self._labels = labels
        self._items = items
        self._stacks = stacks(items, labels.records)
        self._groups: dict[tuple[str, ...], list[tuple[tuple[Any, ...], Places]]] = {}
        names = labels.records["cluster"]
        self._names = names.unique().sort()
        self._clusters = np.tile(self._names.search_sorted(names).to_numpy().astype(np.int64), self._stacks)
        self._strata = np.tile(labels.strata, self._stacks)
        is_rated = np.zeros(labels.records.height, dtype=bool)
        is_rated[labels.rated] = True
        self._is_rated = np.tile(is_rated, self._stacks)
        self._said = [
            (frame, places, shares)
            for frame, part, places, shares in zip(said, labels.said, labels.places, labels.shares, strict=True)
            if frame is not None and stacks(frame, part) == self._stacks
        ]

    @property
    def is_of_replies(self) -> bool:
        return self._stacks > 0

    def figures(
        self, metric: Metric, by: Sequence[str], reported: Mapping[tuple[Any, ...], Estimate]
    ) -> Iterator[Figure]:
        """One for each model, variant and group that is reported with this value."""
        each = [metric.each] if metric.each is not None and self._items[metric.each].count() else []
        columns = [self._column(metric, first, second) for first, second in parts(metric)]
        for (model, variant, *rest), rows in self._grouped(("model", "variant", *by, *each)):
            group = dict(zip([*by, *each], rest, strict=True)) | dict(metric.label)
            told = reported.get((metric.name, model, variant, frozenset(group.items())))
            alone = not (by or metric.label)
            if told is not None and (alone or np.count_nonzero(self._is_rated[rows]) >= FEWEST):
                figure = self._figure(metric, told, columns, rows)
                if figure is not None and (alone or figure.found is not None):
                    yield figure

    def _grouped(self, keys: tuple[str, ...]) -> list[tuple[tuple[Any, ...], Places]]:
        """The items of each model, variant and group."""
        if keys not in self._groups:
            some = self._items.select(keys).with_row_index("place").drop_nulls()
            places = some.group_by(keys, maintain_order=True).agg("place")
            self._groups[keys] = [(row[:-1], np.array(row[-1], dtype=np.int64)) for row in places.iter_rows()]
        return self._groups[keys]

    def _figure(self, metric: Metric, told: Estimate, columns: Sequence[_Column], rows: Places) -> Figure | None:
        counts = np.any([column.counts[rows] > 0 for column in columns], axis=0)
        is_rated = self._is_rated[rows]
        others = np.any([column.said_counts[rows] > 0 for column in columns], axis=0)
        # Where labels show that others count than machines say, some of those that nobody rated do, too.
        rows = rows[counts] if np.array_equal(counts[is_rated], others[is_rated]) else rows
        rated = np.flatnonzero(self._is_rated[rows])
        terms = [
            Term(
                factor,
                *(part[rows] for part in (column.above, column.below)),
                *(part[rows[rated]] for part in (column.said_above, column.said_below)),
            )
            for (factor, _), column in zip(metric.terms, columns, strict=True)
        ]
        value = sum(term.coefficient * term.above.sum() / term.below.sum() for term in terms)
        if told.value is None or not abs(value - told.value) <= _SAME * max(1.0, abs(told.value)):
            return None
        used, clusters = np.unique(self._clusters[rows], return_inverse=True)
        strata = self._strata[rows]
        # Of the arms of a difference, that with the fewest labels decides.
        of_rated = [(column.counts[rows[rated]], column.said_counts[rows[rated]]) for column in columns]
        arms = [int(np.count_nonzero(np.any(both, axis=0))) for both in of_rated]
        labels = int(np.count_nonzero(np.any([part for both in of_rated for part in both], axis=0)))
        needed = max(-(-FEWEST // len(arms)) - arm for arm in arms)
        if needed > 0:
            return Figure(told, labels, needed=needed)
        weight = _weights(strata, rated)
        if isinstance(weight, int):
            replies = int(np.count_nonzero(strata == weight))
            stratum = f"“{self._labels.names[weight]}” ({replies:,} replies)"
            return Figure(
                told, len(rated), why=f"nobody has rated a reply of the stratum {stratum} yet: rate some first"
            )
        sample = Sample(clusters.astype(np.int64), strata, rated, weight)
        unit = metric.scale if metric.most is not None else None
        found = corrected(terms, sample, _limits(metric, told, columns), unit=unit)
        return Figure(told, labels, found, self._names.gather(used).to_list())

    def _column(self, metric: Metric, first: str, second: str | None) -> _Column:
        machine = sums(self._items, metric, first, second)
        said = np.zeros((3, self._items.height))
        for frame, places, shares in self._said:
            if {first, second or first} <= set(frame.columns):
                height = self._labels.records.height
                to = np.concatenate([places + stack * height for stack in range(self._stacks)])
                said[:, to] += np.array(sums(frame, metric, first, second)) * np.tile(shares, self._stacks)
        return _Column(*machine, *said)


def _weights(strata: Places, rated: Places) -> Floats | int:
    """How many replies each rated one stands for; the stratum that has none, where there is one."""
    count = int(strata.max(initial=0)) + 1
    replies = np.bincount(strata[strata != CERTAIN], minlength=count)
    labels = np.bincount(strata[rated], minlength=count)
    without = np.flatnonzero((replies > 0) & (labels == 0))
    if len(without):
        return int(without[0])
    weights: Floats = (replies / np.maximum(labels, 1))[strata[rated]]
    return weights


def _limits(metric: Metric, told: Estimate, columns: Sequence[_Column]) -> tuple[float, float]:
    """The lowest and the highest that the figure can be; without an end, as far as makes no difference."""
    low, high = metric.range
    if high < float("inf"):
        return low, high
    if metric.most is not None:
        return low, metric.scale * max(metric.most, *(float(column.above.max(initial=0)) for column in columns))
    return low, max(1.0, 2 * (told.value or 0.0))
