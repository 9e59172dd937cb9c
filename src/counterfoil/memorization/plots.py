"""What the report of `memorization` shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.figures.numbers import (
    dots_by_group,
    dots_by_model,
    listed,
    naming,
    overall,
    plural,
    side_of,
    with_interval,
)
from counterfoil.figures.plots import Axis, Dot, Dots, Lines, Plot, not_empty
from counterfoil.figures.sentences import apart, extremes, sides
from counterfoil.files import read_bytes
from counterfoil.memorization import metrics
from counterfoil.memorization.metrics import CONTROLS
from counterfoil.memorization.questions import ITEMS, sentences_about
from counterfoil.running.asked import questions_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

# As many models and prompts get a sentence each; more are told of together.
SENTENCES = 6
CHANGED, OTHER, SAME = "numbers changed", "another unknown", "numbers kept"
ALL_TOPICS = "all topics"
# What the four kinds of questions are called, and how many suspects are named.
WRONG = "robust-incorrect"
KINDS = {"robust": "robust", "memorized": "memorized (suspect)", "improved": "improved", WRONG: "wrong in all"}
NAMED = 10


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


def headline(run: Run) -> list[str]:
    """The gap with its noise floor, the old answers that were kept, and what these numbers can't say."""
    estimates = run.estimates
    gaps = overall(estimates, metrics.MEMORIZATION_GAP.name)
    again = {(one.model, one.variant): one for one in _of_control(estimates, "again")}
    names = naming(gaps)
    sentences: list[str] = []
    if len(gaps) <= SENTENCES:
        for gap in gaps:
            pair = gap.model, gap.variant
            sentences.append(f"For {names[pair]}: {_gap_sentence(gap, again.get(pair))}")
    else:
        sentences += sides(
            "the gap",
            gaps,
            "originals are easier than what they were changed to",
            "originals are harder than what they were changed to",
        )
        sentences += extremes("The gap", gaps)
    for metric, above, below in (
        (
            metrics.EXCESS_GAP,
            "changed numbers cost more than changed options",
            "changed numbers cost less than changed options",
        ),
        (
            metrics.KEPT_OLD_EXCESS,
            "the old answer is kept more often than chance has it",
            "the old answer is given less often than a sham",
        ),
    ):
        sentences += sides(metric.name, overall(estimates, metric.name), above, below)
    for what, metric in (
        ("The excess of old answers over shams", metrics.KEPT_OLD_EXCESS),
        ("The share of questions right in the original and wrong in a draw", metrics.MEMORIZATION_SUSPECT),
        ("The share of replies without a readable answer", metrics.OUT_OF_CHOICE),
    ):
        sentences += extremes(what, overall(estimates, metric.name))
    sentences += _suspects(run)
    sentences += sentences_about(str(run.manifest["data"]["name"]), run.manifest["data"])
    if _is_from_bank(run):
        sentences.append(
            "The bank's originals are drawn like their variants, and nobody can have memorized them: a gap there is no "
            "memory. Claims about memory need public questions."
        )
    if any("status" in one.group for one in estimates):
        sentences.append(
            "Variants whose answers a model wrote and nothing confirms are apart, under their status: their gaps "
            "measure wrong gold answers, too."
        )
    found = [one.note for one in estimates if one.group.get("basis") == "finding" and one.note]
    return [*sentences, *dict.fromkeys(found)]


def _items(run: Run) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The rows of the item table, by model and variant; none where the run has no such table."""
    try:
        rows = msgspec.json.decode(read_bytes(run.folder / ITEMS), type=list[dict[str, Any]])
    except (UserError, msgspec.MsgspecError):
        return {}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((str(row.get("model")), str(row.get("variant"))), []).append(row)
    return found


def _suspects(run: Run) -> list[str]:
    """How many questions are robust, memorized, improved or wrong both ways, and which are the suspects."""
    items = _items(run)
    names = naming(overall(run.estimates, metrics.MEMORIZATION_GAP.name))
    sentences = []
    for pair, rows in list(items.items())[:SENTENCES]:
        counts = {kind: sum(row["kind"] == kind for row in rows) for kind in KINDS}
        told = listed(f"{number:,} {KINDS[kind]}" for kind, number in counts.items())
        text = f"Of the {plural(len(rows), 'question')} with all draws, {names.get(pair, ', '.join(pair))} has {told}."
        suspects = [str(row.get("source_id") or row["question_id"]) for row in rows if row["kind"] == "memorized"]
        if suspects:
            more = f" and {len(suspects) - NAMED:,} more" if len(suspects) > NAMED else ""
            text += f" The suspects are {', '.join(suspects[:NAMED])}{more}; all of them are in {ITEMS}."
        sentences.append(text)
    return sentences


def _kinds(run: Run) -> Plot:
    """The CFA study's four kinds of questions, by model and prompt."""
    shares = {
        "robust": metrics.ROBUST_ACCURACY,
        "memorized": metrics.MEMORIZATION_SUSPECT,
        "improved": metrics.IMPROVED,
    }
    estimates = {kind: overall(run.estimates, metric.name) for kind, metric in shares.items()}
    items = _items(run)
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


def _is_from_bank(run: Run) -> bool:
    """Whether any of its questions is; not where they can't be loaded any more."""
    try:
        return any(question.source == "bank" for question in questions_of(run))
    except UserError:
        return False


def _gap_sentence(gap: Estimate, again: Estimate | None) -> str:
    words = {
        1: "the originals are easier than what they were changed to",
        -1: "the originals are harder than what they were changed to",
        0: "no gap can be told",
        None: "whether there is a gap can't be told",
    }
    text = f"{words[side_of(gap)]} (gap {with_interval(gap)})"
    if again is None:
        return f"{text}; without the control “again” there is no noise floor to set it against."
    return f"{text}; merely asking again gives {with_interval(again)}: {apart(gap, again)}."


def _of_control(estimates: Sequence[Estimate], control: str) -> list[Estimate]:
    gap = metrics.CONTROL_GAP.name
    return [one for one in estimates if one.metric == gap and one.group == {"control": control}]


def _accuracies(estimates: Sequence[Estimate], scores: pl.DataFrame) -> Plot:
    """Originals, levels and controls, each over the questions that have all its draws."""
    perturbed = [one for one in estimates if one.metric == metrics.ACCURACY_PERTURBED.name]
    places = [("original", CHANGED, overall(estimates, metrics.ACCURACY_ORIGINAL.name))]
    for level in (*metrics.GAP_LEVELS, metrics.OTHER_LEVEL):
        some = [one for one in perturbed if one.group == {"level": level}]
        places.append((f"level {level}", CHANGED if level in metrics.GAP_LEVELS else OTHER, some))
    places += [(control, SAME, some) for control, some in _controls(scores).items()]
    return Lines(
        title="Accuracy by level, beside the controls",
        description="The share of right answers with its interval. A fall from the original to levels 1 and 2 that is "
        "not there in the controls speaks for memory. Level 3 asks for another unknown, which is another skill.",
        x="what was asked",
        y=Axis("share right", 0.0, 1.0),
        rows=_rows(places),
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
        *((f"control: {control}", "", _of_control(estimates, control)) for control in CONTROLS),
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
    import polars as pl

    from counterfoil.memorization.items import lures_of
    from counterfoil.stats import proportions

    lures = lures_of(scores).drop_nulls("excess").with_columns(sham=pl.col("took_sham").cast(pl.Float64))
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
