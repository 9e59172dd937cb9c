"""What the report of `memorization` shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from counterfoil.errors import UserError
from counterfoil.figures.numbers import naming, overall, side_of, with_interval
from counterfoil.figures.plots import Axis, Dot, Dots, Lines, Plot
from counterfoil.figures.sentences import apart, extremes, sides
from counterfoil.memorization.metrics import (
    ACCURACY_ORIGINAL,
    ACCURACY_PERTURBED,
    CONTROL_GAP,
    EXCESS_GAP,
    KEPT_OLD_EXCESS,
    MEMORIZATION_GAP,
    MEMORIZATION_SUSPECT,
    OUT_OF_CHOICE,
)
from counterfoil.perturbing.questions import LETTERS, Question
from counterfoil.running.asked import questions_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

# As many models and prompts get a sentence each; more are told of together.
SENTENCES = 6
CONTROLS = ("again", "reshuffled", "renamed")
CHANGED, OTHER, SAME = "numbers changed", "another unknown", "numbers kept"
ALL_TOPICS = "all topics"


def plots(run: Run) -> list[Plot]:
    """Accuracy by level beside the controls, the gap beside its noise floor and by topic, the old answers."""
    estimates = run.estimates
    found = [_accuracies(run), _noise_floor(estimates), _topics(estimates), _old_answers(run)]
    return [plot for plot in found if plot is not None]


def headline(run: Run) -> list[str]:
    """The gap with its noise floor, the old answers that were kept, and what these numbers can't say."""
    estimates = run.estimates
    gaps = overall(estimates, MEMORIZATION_GAP.name)
    again = {(it.model, it.variant): it for it in _of_group(estimates, CONTROL_GAP.name, {"control": "again"})}
    names = naming(gaps)
    sentences: list[str] = []
    if len(gaps) <= SENTENCES:
        for it in gaps:
            pair = it.model, it.variant
            sentences.append(f"For {names[pair]}: {_gap_sentence(it, again.get(pair))}")
    else:
        sentences += sides("the gap", gaps, "originals are easier than what they were changed to", "they are harder")
        sentences += extremes("The gap", gaps)
    sentences += sides(
        EXCESS_GAP.name,
        overall(estimates, EXCESS_GAP.name),
        "changed numbers cost more than reshuffled options",
        "they cost less",
    )
    excess = overall(estimates, KEPT_OLD_EXCESS.name)
    sentences += sides(
        KEPT_OLD_EXCESS.name, excess, "the old answer is kept more often than chance has it", "less often than a sham"
    )
    sentences += extremes("The excess of old answers over shams", excess)
    sentences += extremes("The share of questions right in the original and wrong in a draw", _suspects(estimates))
    sentences += extremes("The share of replies without a readable answer", overall(estimates, OUT_OF_CHOICE.name))
    if any(question.source == "bank" for question in _set_of(run).values()):
        sentences.append(
            "The bank's originals are drawn like their variants, and nobody can have memorized them: a gap there is no "
            "memory. Claims about memory need public questions."
        )
    if any("status" in it.group for it in estimates):
        sentences.append(
            "Variants whose answers a model wrote and nothing confirms are apart, under their status: their gaps "
            "measure wrong gold answers, too."
        )
    sentences += [it.note for it in estimates if it.group.get("basis") == "finding" and it.note]
    return sentences


def marks(record: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    """Where the reply last gives the answer that was read: its letter, or its number."""
    reply, answer = record.get("reply") or "", record.get("answer")
    if not isinstance(answer, str) or not answer:
        return []
    if answer in LETTERS:
        found = [match.span(1) for match in re.finditer(rf"(?<![\w'])({answer})(?![\w'])", reply)]
    else:
        found = [match.span() for match in re.finditer(r"\d[\d,]*(?:\.\d+)?", reply) if _is_number(match[0], answer)]
    return [(*found[-1], "choice")] if found else []


def _set_of(run: Run) -> dict[str, Question]:
    try:
        return {question.id: question for question in questions_of(run)}
    except UserError:
        return {}


def _is_number(text: str, answer: str) -> bool:
    try:
        return Decimal(text.replace(",", "")) == abs(Decimal(answer))
    except InvalidOperation:
        return False


def _gap_sentence(gap: Estimate, again: Estimate | None) -> str:
    side = side_of(gap)
    words = {
        1: "the originals are easier than what they were changed to",
        -1: "the originals are harder than what they were changed to",
        0: "no gap can be told",
        None: "whether there is a gap can't be told",
    }
    text = f"{words[side]} (gap {with_interval(gap)})"
    if again is None:
        return f"{text}; without the control “again” there is no noise floor to set it against."
    return f"{text}; merely asking again gives {with_interval(again)}: {apart(gap, again)}."


def _suspects(estimates: Sequence[Estimate]) -> list[Estimate]:
    return overall(estimates, MEMORIZATION_SUSPECT.name)


def _of_group(estimates: Sequence[Estimate], metric: str, group: Mapping[str, Any]) -> list[Estimate]:
    return [it for it in estimates if it.metric == metric and it.group == group]


def _accuracies(run: Run) -> Plot | None:
    """Originals, levels and controls, each over the questions that have all its draws."""
    estimates = run.estimates
    places = [("original", CHANGED, overall(estimates, ACCURACY_ORIGINAL.name))]
    for level in (1, 2, 3):
        some = _of_group(estimates, ACCURACY_PERTURBED.name, {"level": level})
        places.append((f"level {level}", CHANGED if level < 3 else OTHER, some))
    places += [(control, SAME, some) for control, some in _controls(run).items()]
    names = naming([it for *_, some in places for it in some])
    rows = [_dot(label, names[it.model, it.variant], it, group) for label, group, some in places for it in some]
    if not any(row.value is not None for row in rows):
        return None
    return Lines(
        title="Accuracy by level, beside the controls",
        description="The share of right answers with its interval. A fall from the original to levels 1 and 2 that is "
        "not there in the controls speaks for memory. Level 3 asks for another unknown, which is another skill.",
        x="what was asked",
        y=Axis("share right", 0.0, 1.0),
        rows=tuple(rows),
        series_name="model and prompt",
        unlinked=(SAME,),
    )


def _controls(run: Run) -> dict[str, list[Estimate]]:
    """How often the original is right where it is asked in another way."""
    import polars as pl

    from counterfoil.memorization.items import questions_of
    from counterfoil.stats import proportions

    questions = questions_of(_scores(run)).filter(pl.col("o").is_not_null())
    found = {name: proportions(questions, name, metric=name) for name in CONTROLS}
    return {name: [it for it in some if it.n] for name, some in found.items()}


def _noise_floor(estimates: Sequence[Estimate]) -> Plot | None:
    labels = [("gap: numbers changed", overall(estimates, MEMORIZATION_GAP.name))]
    labels += [(f"control: {it}", _of_group(estimates, CONTROL_GAP.name, {"control": it})) for it in CONTROLS]
    labels.append(("excess over reshuffled", overall(estimates, EXCESS_GAP.name)))
    names = naming([it for _, some in labels for it in some])
    rows = [_dot(label, names[it.model, it.variant], it) for label, some in labels for it in some]
    if not any(row.value is not None for row in rows):
        return None
    return Dots(
        title="The gap beside its noise floor",
        description="How much less often the changed question is right than the original, and how much less often the "
        "original itself is right when it is asked again, with its options reshuffled, or with its names changed.",
        x=Axis("difference of accuracy"),
        rows=tuple(rows),
        label_name="compared with the original",
        series_name="model and prompt",
        reference=0.0,
    )


def _topics(estimates: Sequence[Estimate]) -> Plot | None:
    some = [it for it in estimates if it.metric == MEMORIZATION_GAP.name and set(it.group) <= {"topic"}]
    if len({it.group.get("topic") for it in some}) < 3:  # all of them together, and at least two
        return None
    names = naming(some)
    rows = [_dot(str(it.group.get("topic", ALL_TOPICS)), names[it.model, it.variant], it) for it in some]
    return Dots(
        title="The gap by topic",
        description="Right of 0 the originals are easier than what they were changed to. An interval that holds 0 "
        "tells of no gap.",
        x=Axis("gap"),
        rows=tuple(rows),
        label_name="topic",
        series_name="model and prompt",
        reference=0.0,
    )


def _old_answers(run: Run) -> Plot | None:
    """How often the old answer was given, and how often the sham, where both are among the options."""
    import polars as pl

    from counterfoil.memorization.items import lures_of
    from counterfoil.stats import proportions

    lures = lures_of(_scores(run)).with_columns(sham=pl.col("took_sham").cast(pl.Float64))
    if not lures.height:
        return None
    arms = [(label, proportions(lures, name, metric=name)) for label, name in (("old answer", "old"), ("sham", "sham"))]
    names = naming(arms[0][1])
    rows = [_dot(label, names[it.model, it.variant], it) for label, some in arms for it in some]
    return Dots(
        title="Old answers and shams",
        description="Replies that give the original's answer to a changed question, and replies that give the sham, "
        "the answer of yet another draw. Without memory both are as often, however hard the questions.",
        x=Axis("share of replies", 0.0),
        rows=tuple(rows),
        label_name="answer given",
        series_name="model and prompt",
    )


def _scores(run: Run) -> pl.DataFrame:
    from counterfoil.running.records import read_scores

    return read_scores(run.folder / RECORDS)


def _dot(label: str, series: str, it: Estimate, group: str = "") -> Dot:
    return Dot(label, series, it.value, it.low, it.high, it.note or "", group)
