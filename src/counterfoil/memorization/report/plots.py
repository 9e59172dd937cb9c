"""What the report of `memorization` shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfoil.figures.numbers import dots_by_group, dots_by_model, naming, overall
from counterfoil.figures.plots import Axis, Dot, Dots, Lines, Plot, narrowed, not_empty
from counterfoil.memorization import metrics
from counterfoil.memorization.metrics import CONTROLS
from counterfoil.memorization.report.headline import KINDS, SUSPECT, WRONG, item_rows, of_control
from counterfoil.running.folder import RECORDS, Run
from counterfoil.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

CHANGED, OTHER, SAME = "numbers changed", "another unknown", "numbers kept"
ALL_TOPICS = "all topics"


def plots(run: Run) -> list[Plot]:
    """Accuracy by level beside the controls, the gap beside its noise floor and by topic, the old answers."""
    from counterfoil.running.records import read_scores

    estimates = run.estimates
    scores = read_scores(run.folder / RECORDS)
    return not_empty(
        [
            *(_accuracies(estimates, scores), _noise_floor(estimates), _kinds(run), _topics(estimates)),
            _old_answers(scores),
        ]
    )


def _kinds(run: Run) -> Plot:
    """The CFA study's four kinds of questions, by model and prompt."""
    shares = {
        "robust": metrics.ROBUST_ACCURACY,
        SUSPECT: metrics.MEMORIZATION_SUSPECT,
        "improved": metrics.IMPROVED,
    }
    estimates = {kind: overall(run.estimates, metric.name) for kind, metric in shares.items()}
    items = item_rows(run)
    names = naming([one for some in estimates.values() for one in some])
    rest = [
        Dot(KINDS[WRONG], name, sum(row["kind"] == WRONG for row in rows) / len(rows), note="what the others leave")
        for pair, name in names.items()
        if (rows := items.get(pair))
    ]
    dots = dots_by_model((KINDS[kind], "", one) for kind, some in estimates.items() for one in some)
    return Dots(
        title="What became of the questions",
        description="Each question with all its draws is one of the four: right in the original and in all draws; "
        "right in the original and wrong in a draw, which makes it a suspect; right in a draw only; never right.",
        x=Axis("share of questions", 0.0, 1.0),
        rows=(*dots, *rest) if rest else (),
        label_name="kind",
        series_name="model and prompt",
    )


def _accuracies(estimates: Sequence[Estimate], scores: pl.DataFrame) -> Plot:
    """Originals, levels and controls, each over the questions that have all its draws."""
    perturbed = [one for one in estimates if one.metric == metrics.ACCURACY_PERTURBED.name]
    places = [("original", CHANGED, overall(estimates, metrics.ACCURACY_ORIGINAL.name))]
    for level in (*metrics.GAP_LEVELS, metrics.OTHER_LEVEL):
        some = [one for one in perturbed if one.group == {"level": level}]
        places.append((f"level {level}", CHANGED if level in metrics.GAP_LEVELS else OTHER, some))
    places += [(control, SAME, some) for control, some in _controls(scores).items()]
    rows = _rows(places)
    asked: dict[str, dict[str, str | None]] = {"original": {"level": "0", "control": None}}
    asked |= {control: {"control": control} for control in CONTROLS}
    return Lines(
        title="Accuracy by level, beside the controls",
        description="The share of right answers with its interval. A fall from the original to levels 1 and 2 that is "
        "not there in the controls speaks for memory. Level 3 asks for another unknown, which is another skill.",
        x="what was asked",
        y=Axis("share right", 0.0, 1.0),
        rows=tuple(narrowed(row, **asked.get(row.label, {})) for row in rows),
        series_name="model and prompt",
        unlinked=(SAME,),
    )


def _rows(places: Sequence[tuple[str, str, Sequence[Estimate]]]) -> tuple[Dot, ...]:
    """A row for each estimate of each label and group; none where no estimate has a value."""
    rows = dots_by_model((label, group, one) for label, group, some in places for one in some)
    return rows if any(row.value is not None for row in rows) else ()


def _controls(scores: pl.DataFrame) -> dict[str, list[Estimate]]:
    """How often the original is right where it is asked in another way."""
    import polars as pl

    from counterfoil.memorization.items import questions_of
    from counterfoil.stats import proportions

    questions = questions_of(scores).filter(pl.col("o").is_not_null())
    return {name: [one for one in proportions(questions, name, metric=name) if one.n] for name in CONTROLS}


def _noise_floor(estimates: Sequence[Estimate]) -> Plot:
    places = [
        ("gap: numbers changed", "", overall(estimates, metrics.MEMORIZATION_GAP.name)),
        *((f"control: {control}", "", of_control(estimates, control)) for control in CONTROLS),
        ("excess over changed options", "", overall(estimates, metrics.EXCESS_GAP.name)),
    ]
    return Dots(
        title="The gap beside its noise floor",
        description="How much less often the changed question is right than the original, and how much less often the "
        "original itself is right when it is asked again, with its options reshuffled or computed anew, or with its "
        "names changed. Stand-ins are questions that nobody has seen: they are compared with the changed ones.",
        x=Axis("difference of accuracy"),
        rows=_rows(places),
        label_name="compared with the original",
        series_name="model and prompt",
        reference=0.0,
    )


def _topics(estimates: Sequence[Estimate]) -> Plot:
    rows = dots_by_group(estimates, metrics.MEMORIZATION_GAP.name, "topic", ALL_TOPICS)
    return Dots(
        title="The gap by topic",
        description="Right of 0 the originals are easier than what they were changed to. An interval that holds 0 "
        "tells of no gap.",
        x=Axis("gap"),
        # All topics together, and at least two of them.
        rows=rows if len({row.label for row in rows}) > 2 else (),
        label_name="topic",
        series_name="model and prompt",
        reference=0.0,
    )


def _old_answers(scores: pl.DataFrame) -> Plot:
    """How often the old answer was given, and how often the sham, where both are among the options."""
    from counterfoil.memorization.items import lures_of
    from counterfoil.stats import proportions

    lures = lures_of(scores).drop_nulls("excess")
    arms = {"old answer": "old", "sham": "sham"} if lures.height else {}
    return Dots(
        title="Old answers and shams",
        description="Replies that give the original's answer to a changed question, and replies that give the sham, "
        "the answer of yet another draw. Without memory both are as often, however hard the questions.",
        x=Axis("share of replies", 0.0),
        rows=_rows([(label, "", proportions(lures, name, metric=name)) for label, name in arms.items()]),
        label_name="answer given",
        series_name="model and prompt",
    )
