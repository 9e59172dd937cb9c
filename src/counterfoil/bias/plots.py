"""What the report of `bias` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfoil.bias import metrics
from counterfoil.bias.habits import GUESSING, NO_READING
from counterfoil.bias.relatives.plots import plots as by_language
from counterfoil.comparing.best import told_apart
from counterfoil.comparing.standing import Figure
from counterfoil.figures.numbers import (
    cell,
    dot,
    dots_by_group,
    listed,
    naming,
    overall,
    records_of,
    side_of,
    with_interval,
)
from counterfoil.figures.plots import Axis, Dot, Dots, Plot, Point, Scatter, narrowed, not_empty
from counterfoil.figures.sentences import extremes, sides
from counterfoil.running.folder import Run
from counterfoil.stats.estimate import Estimate

DEBIASED = "debiased"
# As many models and prompts get a sentence each, or a name; more are told of together.
SENTENCES = 2
ALL_CATEGORIES = "all categories"
ALL_STEREOTYPES = "all stereotypes"
CONTEXTS = {"ambiguous": metrics.DIFF_BIAS_AMBIGUOUS.name, "disambiguated": metrics.DIFF_BIAS_DISAMBIGUATED.name}
ACCURACIES = (metrics.ACCURACY_AMBIGUOUS.name, metrics.ACCURACY_DISAMBIGUATED.name)
# Of what kind of contexts a metric tells, as the records say it.
AMBIGUOUS = dict.fromkeys((CONTEXTS["ambiguous"], ACCURACIES[0]), "true")
AMBIGUOUS |= dict.fromkeys((CONTEXTS["disambiguated"], ACCURACIES[1]), "false")
NO_CHOICE = metrics.OUT_OF_CHOICE.name


def plots(run: Run) -> list[Plot]:
    """Bias by category, language and what people say, accuracy of both kinds, original against debiased, unread
    replies.
    """
    estimates = run.estimates
    by_category = [_by_category(estimates, context) for context in CONTEXTS]
    surveyed = [_by_survey(estimates, context) for context in CONTEXTS]
    languages = by_language(estimates, CONTEXTS)
    others = [_accuracies(estimates), _debiased(estimates), _out_of_choice(estimates)]
    return not_empty([*by_category, *languages, *surveyed, *others])


def headline(run: Run) -> list[str]:
    """Which way each model leans, how much the instructions against that change, how much order and form matter."""
    estimates = run.estimates
    bias = {context: overall(estimates, metric) for context, metric in CONTEXTS.items()}
    names = naming(bias["ambiguous"])
    sentences: list[str] = []
    if len(names) <= SENTENCES:
        clear = {(one.model, one.variant): one for one in bias["disambiguated"]}
        for one in bias["ambiguous"]:
            pair = one.model, one.variant
            other = f"; in disambiguated contexts {_lean(clear[pair])}" if pair in clear else ""
            sentences.append(f"For {names[pair]}: in ambiguous contexts {_lean(one)}{other}.")
    else:
        for context, some in bias.items():
            sentences += sides(f"diff-bias in {context} contexts", some, "towards the stereotype", "against it")
    guesses = _guesses(overall(estimates, metrics.ACCURACY_DISAMBIGUATED.name), names)
    changing = overall(estimates, metrics.POSITION_BIAS.name)
    return [
        *guesses,
        *sentences,
        *_instructed(run, bias["ambiguous"], names),
        *extremes("The share of answers that change with the order of the choices", changing),
        *extremes("The share of replies without a readable choice", overall(estimates, NO_CHOICE)),
    ]


def _instructed(run: Run, estimates: Sequence[Estimate], names: Mapping[tuple[str, str], str]) -> list[str]:
    """What the words against bias do to diff-bias, of all models and prompts in a sentence."""
    changes = [(old, new) for old, new in _changes(estimates) if old.value is not None and new.value is not None]
    pairs = [((old.model, old.variant), (new.model, new.variant)) for old, new in changes]
    told: dict[str, list[str]] = {}
    for (old, new), apart in zip(changes, told_apart(run, Figure(CONTEXTS["ambiguous"]), pairs), strict=True):
        values = f"{names[old.model, old.variant]} ({cell(old.value)} to {cell(new.value)})"
        told.setdefault(_change(old.value or 0.0, new.value or 0.0, apart=apart), []).append(values)
    parts = [f"{words} for {listed(some, SENTENCES)}" for words, some in told.items()]
    return [f"With the debiasing words, diff-bias in ambiguous contexts {'; it '.join(parts)}."] if parts else []


def _change(old: float, new: float, *, apart: bool | None) -> str:
    """What the paired test says of two values. Where they lie on both sides of 0, it does not tell which is nearer."""
    if not apart:
        return "can't be compared" if apart is None else "changes by less than the paired test can tell"
    if old * new < 0:
        return "changes its side"
    return "comes nearer to 0" if abs(new) < abs(old) else "goes farther from 0"


def _guesses(accuracies: Sequence[Estimate], names: Mapping[tuple[str, str], str]) -> list[str]:
    """Who does not read can't lean: a sentence for each that is not right more often than guesses would be."""
    return [
        f"{names[one.model, one.variant]} is right in {with_interval(one)} of the contexts that give the answer; "
        f"{NO_READING} {cell(GUESSING)}. It is not seen to read, and who does not read can't lean."
        for one in accuracies
        if one.low is not None and one.low <= GUESSING
    ]


def _lean(estimate: Estimate) -> str:
    words = {
        1: "it leans towards the stereotype",
        -1: "it leans against the stereotype",
        0: "no lean can be told",
        None: "which way it leans can't be told",
    }
    return f"{words[side_of(estimate)]} (diff-bias {with_interval(estimate)})"


def _by_group(estimates: Sequence[Estimate], metric: str, group: str, overall: str) -> tuple[Dot, ...]:
    rows = dots_by_group(estimates, metric, group, overall)
    return tuple(narrowed(row, ambiguous=AMBIGUOUS[metric]) for row in rows)


def _by_category(estimates: Sequence[Estimate], context: str) -> Plot:
    rows = _by_group(estimates, CONTEXTS[context], "category", ALL_CATEGORIES)
    return Dots(
        title=f"Bias by category, {context} contexts",
        description=f"Diff-bias in {context} contexts with its interval: right of 0 answers lean towards the "
        "stereotype, left of it against. An interval that holds 0 tells of no lean.",
        x=Axis("diff-bias"),
        rows=rows if any(row.label != ALL_CATEGORIES for row in rows) else (),
        label_name="category",
        series_name="model and prompt",
        reference=0.0,
    )


def _by_survey(estimates: Sequence[Estimate], context: str) -> Plot:
    rows = _by_group(estimates, CONTEXTS[context], metrics.SURVEYED, ALL_STEREOTYPES)
    return Dots(
        title=f"Bias by how many people hold the stereotype, {context} contexts",
        description=f"Diff-bias in {context} contexts with its interval, for stereotypes that so many of the people in "
        "KoBBQ's survey named for this group. Where it grows from band to band, the model leans more where people do.",
        x=Axis("diff-bias"),
        rows=rows if any(row.label != ALL_STEREOTYPES for row in rows) else (),
        label_name="people who hold it",
        series_name="model and prompt",
        reference=0.0,
    )


def _accuracies(estimates: Sequence[Estimate]) -> Plot:
    ambiguous, clear = (overall(estimates, metric) for metric in ACCURACIES)
    by_pair = {(one.model, one.variant): one for one in clear}
    points = [
        Point(
            f"prompt {x.variant}",
            x.model,
            *(x.value, y.value),
            *(x.low, x.high, y.low, y.high),
            "; ".join(filter(None, (x.note, y.note))),
            prompt=x.variant,
            of=records_of(x),
        )
        for x in ambiguous
        if (y := by_pair.get((x.model, x.variant))) is not None
    ]
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
    plain = {(one.model, one.variant): one for one in estimates if DEBIASED not in one.variant}
    pairs = []
    for new in estimates:
        names = [new.variant.replace(f"{joint}{DEBIASED}", "", 1) for joint in "-_"]
        old = next((plain[new.model, name] for name in names if (new.model, name) in plain), None)
        if old is not None and DEBIASED in new.variant:
            pairs.append((old, new))
    return pairs


def _kind(metric: str) -> dict[str, str]:
    return {"ambiguous": AMBIGUOUS[metric]} if metric in AMBIGUOUS else {}


def _debiased(estimates: Sequence[Estimate]) -> Plot:
    by_metric = {
        metric: _changes(overall(estimates, metric)) for metric in (*CONTEXTS.values(), *ACCURACIES, NO_CHOICE)
    }
    names = naming([old for pairs in by_metric.values() for old, _ in pairs])
    rows = [
        narrowed(dot(metric, series, one, names[one.model, old.variant]), **_kind(metric))
        for metric, pairs in by_metric.items()
        for old, new in pairs
        for series, one in (("original", old), (DEBIASED, new))
    ]
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


def _out_of_choice(estimates: Sequence[Estimate]) -> Plot:
    return Dots(
        title="Replies without a choice",
        description="The share of replies from which no choice could be read. They are dropped from bias and accuracy, "
        "or kept as wrong, as the run's options say.",
        x=Axis("share of replies", 0.0),
        rows=tuple(dot(f"prompt {one.variant}", one.model, one) for one in overall(estimates, NO_CHOICE)),
        label_name="prompt",
        series_name="model",
    )
