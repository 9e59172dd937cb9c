"""What the report of `bias` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.bias.metrics import (
    ACCURACY_AMBIGUOUS,
    ACCURACY_DISAMBIGUATED,
    DIFF_BIAS_AMBIGUOUS,
    DIFF_BIAS_DISAMBIGUATED,
    OUT_OF_CHOICE,
    POSITION_BIAS,
)
from counterfoil.bias.questions import LETTERS
from counterfoil.figures.numbers import naming, overall, side_of, with_interval
from counterfoil.figures.plots import Axis, Dot, Dots, Plot, Point, Scatter
from counterfoil.figures.sentences import apart, extremes, sides
from counterfoil.reading.mentions import find_letters
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import Estimate

DEBIASED = "debiased"
# As many models and prompts get a sentence each; more are told of together.
SENTENCES = 6
ALL_CATEGORIES = "all categories"
CONTEXTS = {"ambiguous": DIFF_BIAS_AMBIGUOUS.name, "disambiguated": DIFF_BIAS_DISAMBIGUATED.name}
COMPARED = (
    DIFF_BIAS_AMBIGUOUS.name,
    DIFF_BIAS_DISAMBIGUATED.name,
    ACCURACY_AMBIGUOUS.name,
    ACCURACY_DISAMBIGUATED.name,
    OUT_OF_CHOICE.name,
)


def plots(run: Run) -> list[Plot]:
    """Bias by category, accuracy of both kinds, original against debiased, replies without a choice."""
    estimates = run.estimates
    found = [_by_category(estimates, context, metric) for context, metric in CONTEXTS.items()]
    found += [_accuracies(estimates), _debiased(estimates), _out_of_choice(estimates)]
    return [plot for plot in found if plot is not None]


def headline(run: Run) -> list[str]:
    """Which way each model leans, how much the instructions against that change, how much order and form matter."""
    estimates = run.estimates
    bias = {context: overall(estimates, metric) for context, metric in CONTEXTS.items()}
    names = naming(bias["ambiguous"])
    sentences: list[str] = []
    if len(names) <= SENTENCES:
        by_pair = {(it.model, it.variant): it for it in bias["disambiguated"]}
        for it in bias["ambiguous"]:
            pair = it.model, it.variant
            other = f"; in disambiguated contexts {_lean(by_pair[pair])}" if pair in by_pair else ""
            sentences.append(f"For {names[pair]}: in ambiguous contexts {_lean(it)}{other}.")
    else:
        for context, some in bias.items():
            what = f"diff-bias in {context} contexts"
            sentences += sides(what, some, "towards the stereotype", "against it")
            sentences += extremes(what[0].upper() + what[1:], some)
    changes = _changes(bias["ambiguous"])
    sentences += [
        f"With the debiasing words ({names[old.model, old.variant]}), diff-bias in ambiguous contexts is "
        f"{with_interval(new)} instead of {with_interval(old)}: {apart(old, new)}."
        for old, new in changes[:SENTENCES]
    ]
    sentences += extremes(
        "The share of answers that change with the order of the choices", _of(run, POSITION_BIAS.name)
    )
    sentences += extremes("The share of replies without a readable choice", _of(run, OUT_OF_CHOICE.name))
    return sentences


def marks(record: Mapping[str, Any], shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Where the reply names the choice that was read: by its letter, else by its text."""
    reply, choice = record.get("reply") or "", record.get("choice")
    if not isinstance(choice, str) or choice not in LETTERS:
        return []
    # Letters are looked for in a text that is as long in lower case as it is.
    lower = reply.lower()
    found = find_letters(reply, lower, tuple(LETTERS)) if len(lower) == len(reply) else []
    spans = [(start, end, "choice") for start, end, place, *_ in found if place == LETTERS.index(choice)]
    text = shown.get(choice) or ""
    at = reply.find(text) if text else -1
    if at >= 0:
        spans.append((at, at + len(text), "choice"))
    return sorted(spans)


def _of(run: Run, metric: str) -> list[Estimate]:
    return overall(run.estimates, metric)


def _lean(estimate: Estimate) -> str:
    words = {1: "it leans towards the stereotype", -1: "it leans against the stereotype", 0: "no lean can be told"}
    side = side_of(estimate)
    value = f"diff-bias {with_interval(estimate)}"
    return f"{words[side]} ({value})" if side is not None else f"{value} tells of no lean"


def _by_category(estimates: Sequence[Estimate], context: str, metric: str) -> Plot | None:
    some = [it for it in estimates if it.metric == metric and set(it.group) <= {"category"}]
    names = naming(some)
    rows = [_dot(str(it.group.get("category", ALL_CATEGORIES)), names[it.model, it.variant], it) for it in some]
    if not any(it.group for it in some):
        return None
    return Dots(
        title=f"Bias by category, {context} contexts",
        description=f"Diff-bias in {context} contexts with its interval: right of 0 answers lean towards the "
        "stereotype, left of it against. An interval that holds 0 tells of no lean.",
        x=Axis("diff-bias"),
        rows=tuple(rows),
        label_name="category",
        series_name="model and prompt",
        reference=0.0,
    )


def _accuracies(estimates: Sequence[Estimate]) -> Plot | None:
    clear = {(it.model, it.variant): it for it in overall(estimates, ACCURACY_DISAMBIGUATED.name)}
    points = [
        Point(
            f"prompt {it.variant}",
            it.model,
            *(it.value, other.value),
            *(it.low, it.high, other.low, other.high),
            "; ".join(filter(None, (it.note, other.note))),
        )
        for it in overall(estimates, ACCURACY_AMBIGUOUS.name)
        if (other := clear.get((it.model, it.variant))) is not None
    ]
    if not points:
        return None
    return Scatter(
        title="Ambiguous against disambiguated accuracy",
        description="Each point is a model with a prompt. Right: it says “unknown” where the context leaves the answer "
        "open. Up: it answers right where the context gives the answer.",
        x=Axis("accuracy in ambiguous contexts"),
        y=Axis("accuracy in disambiguated contexts"),
        points=tuple(points),
        label_name="prompt",
        series_name="model",
    )


def _changes(estimates: Sequence[Estimate]) -> list[tuple[Estimate, Estimate]]:
    """The same prompt without and with the words against bias, by its name: 1 and 1-debiased."""
    plain = {(it.model, it.variant): it for it in estimates if DEBIASED not in it.variant}
    pairs = []
    for it in estimates:
        for joint in "-_":
            old = plain.get((it.model, it.variant.replace(f"{joint}{DEBIASED}", "", 1)))
            if old is not None and DEBIASED in it.variant:
                pairs.append((old, it))
                break
    return pairs


def _debiased(estimates: Sequence[Estimate]) -> Plot | None:
    by_metric = {metric: _changes(overall(estimates, metric)) for metric in COMPARED}
    names = naming([old for pairs in by_metric.values() for old, _ in pairs])
    rows = [
        _dot(metric, series, it, names[it.model, old.variant])
        for metric, pairs in by_metric.items()
        for old, new in pairs
        for series, it in (("original", old), (DEBIASED, new))
    ]
    if not rows:
        return None
    order = list(names.values())
    return Dots(
        title="Original against debiased prompt",
        description="The same questions in the original words and with words against bias. Better is: bias nearer to "
        "0, accuracy nearer to 1, fewer replies without a choice.",
        x=Axis("value"),
        rows=tuple(sorted(rows, key=lambda row: order.index(row.group))),
        label_name="metric",
        series_name="words",
        reference=0.0,
    )


def _out_of_choice(estimates: Sequence[Estimate]) -> Plot | None:
    rows = [_dot(f"prompt {it.variant}", it.model, it) for it in overall(estimates, OUT_OF_CHOICE.name)]
    if not rows:
        return None
    return Dots(
        title="Replies without a choice",
        description="The share of replies from which no choice could be read. They are dropped from bias and accuracy, "
        "or kept as wrong, as the run's options say.",
        x=Axis("share of replies", 0.0),
        rows=tuple(rows),
        label_name="prompt",
        series_name="model",
    )


def _dot(label: str, series: str, it: Estimate, group: str = "") -> Dot:
    return Dot(label, series, it.value, it.low, it.high, it.note or "", group)
