"""What a run of `memorization` says in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.figures.numbers import cell, listed, naming, overall, plural, side_of, with_interval
from counterfoil.figures.sentences import apart, extremes, sides
from counterfoil.files import read_bytes
from counterfoil.memorization import metrics
from counterfoil.memorization.questions import ITEMS, sentences_about
from counterfoil.running.asked import questions_of
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import Estimate

# As many models and prompts get a sentence each; more are told of together.
SENTENCES = 6
# What the four kinds of questions are called, and how many suspects are named.
WRONG = "robust-incorrect"
SUSPECT = "suspect"
KINDS = {"robust": "robust", SUSPECT: "suspect", "improved": "improved", WRONG: "wrong in all"}
# A suspect too, with more than chance against it.
MEMORIZED = "memorized"
NAMED = 10
# Figures that can speak of memory, the plainest first.
_Bands = Mapping[tuple[str, str, str], Estimate]
CLAIMS = (metrics.KEPT_OLD_EXCESS.name, metrics.EXCESS_GAP.name)


def headline(run: Run) -> list[str]:
    """The gap with its noise floor, the old answers that were kept, and what these numbers can't say."""
    estimates = run.estimates
    gaps = overall(estimates, metrics.MEMORIZATION_GAP.name)
    again = {(one.model, one.variant): one for one in of_control(estimates, "again")}
    names = naming(gaps)
    bands = _bands(estimates)
    sentences: list[str] = []
    if len(gaps) <= SENTENCES:
        for gap in gaps:
            pair = gap.model, gap.variant
            told = _gap_sentence(gap, again.get(pair), bands.get((*pair, gap.metric)))
            sentences.append(f"For {names[pair]}: {told}")
    else:
        sentences += sides(
            "the gap",
            gaps,
            "originals are easier than what they were changed to",
            "originals are harder than what they were changed to",
        )
        sentences += extremes("The gap", gaps)
    from_bank = _is_from_bank(run)
    sentences += [] if from_bank else _memory(estimates, bands, names)
    with_band = set() if from_bank else {(model, variant) for model, variant, _ in bands}
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
        others = [one for one in overall(estimates, metric.name) if (one.model, one.variant) not in with_band]
        sentences += sides(metric.name, others, above, below)
    sentences += _suspects(run)
    for what, metric in (
        ("The excess of old answers over shams", metrics.KEPT_OLD_EXCESS),
        ("The share of questions right in the original and wrong in a draw", metrics.MEMORIZATION_SUSPECT),
        ("The share of replies without a readable answer", metrics.OUT_OF_CHOICE),
    ):
        sentences += extremes(what, overall(estimates, metric.name))
    sentences += sentences_about(str(run.manifest["data"]["name"]), run.manifest["data"])
    if from_bank:
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


def _bands(estimates: Sequence[Estimate]) -> _Bands:
    """The placebo bands, by model, variant and figure."""
    found = [one for one in estimates if one.metric == metrics.PLACEBO_BAND.name]
    return {(one.model, one.variant, str(one.group["figure"])): one for one in found}


def _memory(estimates: Sequence[Estimate], bands: _Bands, names: Mapping[tuple[str, str], str]) -> list[str]:
    """Of each model and prompt that has a band whether it remembers; of many, which do, and how many do not."""
    told: dict[tuple[str, str], tuple[bool, str]] = {}
    for pair in dict.fromkeys((model, variant) for model, variant, _ in bands):
        figures = [
            (one, bands[*pair, one.metric])
            for name in CLAIMS
            for one in overall(estimates, name)
            if (one.model, one.variant) == pair and (*pair, name) in bands and one.value is not None
        ]
        if figures:
            told[pair] = _memory_sentence(names.get(pair, ", ".join(pair)), figures, _stand_in(estimates, pair))
    if len(told) <= SENTENCES:
        return [sentence for _, sentence in told.values()]
    remember = [names.get(pair, ", ".join(pair)) for pair, (remembers, _) in told.items() if remembers]
    others = f"for {len(told) - len(remember):,} of {plural(len(told), 'combination')} no memory can be told"
    who = f"{listed(remember)} remember published answers, and " if remember else ""
    return [f"{who}{others}: their intervals reach into what responders without memory show on this set."]


def _memory_sentence(
    name: str, figures: Sequence[tuple[Estimate, Estimate]], stand_in: Estimate | None
) -> tuple[bool, str]:
    """Whether a figure lies above its band, and what is to be said of it."""
    same = "responders without memory of the same accuracy show on this very set"
    for one, band in figures:
        if one.low is None or band.high is None or one.low <= band.high:
            continue
        text = f"{one.metric} is {with_interval(one)}, above what {same} ({_from_to(band)})"
        is_excess = one.metric == metrics.EXCESS_GAP.name
        if is_excess and stand_in is not None and side_of(stand_in) not in (0, None):
            return False, (
                f"For {name} {text}. But stand-ins, which nobody has seen, differ from the changed questions, too "
                f"({with_interval(stand_in)}): that may be the questions, and memory can't be told from it."
            )
        return True, f"{name} remembers published answers: {text}."
    values = listed(f"{one.metric} {with_interval(one)} beside {_from_to(band)}" for one, band in figures)
    return False, f"For {name} no memory can be told: {values}, which is what {same}."


def _from_to(band: Estimate) -> str:
    return f"{cell(band.low)} to {cell(band.high)}"


def _stand_in(estimates: Sequence[Estimate], pair: tuple[str, str]) -> Estimate | None:
    return next((one for one in of_control(estimates, metrics.STAND_IN) if (one.model, one.variant) == pair), None)


def item_rows(run: Run) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The rows of the item table, by model and variant; none where the run has no such table."""
    try:
        rows = msgspec.json.decode(read_bytes(run.folder / ITEMS), type=list[dict[str, Any]])
    except (UserError, msgspec.MsgspecError):
        return {}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((str(row.get("model")), str(row.get("variant"))), []).append(row)
    return found


def counted(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many questions are of each kind."""
    counts = Counter(SUSPECT if row["kind"] == MEMORIZED else row["kind"] for row in rows)
    return {kind: counts[kind] for kind in KINDS}


def _suspects(run: Run) -> list[str]:
    """How many questions are robust, suspect, improved or wrong both ways, and which suspects are no chance."""
    names = naming(overall(run.estimates, metrics.MEMORIZATION_GAP.name))
    sentences = []
    for pair, rows in list(item_rows(run).items())[:SENTENCES]:
        told = listed(f"{number:,} {KINDS[kind]}" for kind, number in counted(rows).items())
        text = f"Of the {plural(len(rows), 'question')} with all draws, {names.get(pair, ', '.join(pair))} has {told}."
        if found := [_name(row) for row in rows if row["kind"] == MEMORIZED]:
            text += f" Chance does not explain these suspects: {_some(found)}."
        if suspects := [_name(row) for row in rows if row["kind"] == SUSPECT]:
            text += f" Chance alone may make any of these: {_some(suspects)}; all of them are in {ITEMS}."
        sentences.append(text)
    return sentences


def _name(row: Mapping[str, Any]) -> str:
    return str(row.get("source_id") or row["question_id"])


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _is_from_bank(run: Run) -> bool:
    """Whether any of its questions is; not where they can't be loaded any more."""
    try:
        return any(getattr(question, "source", None) == "bank" for question in questions_of(run))
    except UserError:
        return False


def _gap_sentence(gap: Estimate, again: Estimate | None, band: Estimate | None) -> str:
    words = {
        1: "the originals are easier than what they were changed to",
        -1: "the originals are harder than what they were changed to",
        0: "no gap can be told",
        None: "whether there is a gap can't be told",
    }
    text = f"{words[side_of(gap)]} (gap {with_interval(gap)})"
    if band is not None and band.value is not None:
        text += f"; responders without memory show {_from_to(band)} by habits alone"
    if again is None:
        return f"{text}; without the control “again” there is no noise floor to set it against."
    return f"{text}; merely asking again gives {with_interval(again)}: {apart(gap, again)}."


def of_control(estimates: Sequence[Estimate], control: str) -> list[Estimate]:
    gap = metrics.CONTROL_GAP.name
    return [one for one in estimates if one.metric == gap and one.group == {"control": control}]
