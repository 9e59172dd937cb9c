"""The tables of a run of `memorization`: what became of the questions, which are suspects, and what was printed."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.errors import UserError
from counterfoil.figures.numbers import cell, naming, overall, with_interval
from counterfoil.figures.tables import Table
from counterfoil.memorization import metrics
from counterfoil.memorization.report.headline import KINDS, MEMORIZED, SUSPECT, counted, item_rows
from counterfoil.perturbing.content import CONTENT_HEAD, content_rows, contents
from counterfoil.perturbing.questions import PerturbedSet
from counterfoil.running.asked import questions_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.stats.estimate import Estimate

_ORIGINAL, _PERTURBED = metrics.ACCURACY_ORIGINAL.name, metrics.ACCURACY_PERTURBED.name
_GAP = metrics.MEMORIZATION_GAP.name


def tables(run: Run) -> list[Table]:
    """Those that the run has what it takes for."""
    return [one for one in (_kinds(run), _distracted(run), _suspects(run), _printed(run)) if one.rows]


def _names(run: Run) -> dict[tuple[str, str], str]:
    return naming(overall(run.estimates, metrics.MEMORIZATION_GAP.name))


def _kinds(run: Run) -> Table:
    """The CFA study's four kinds of questions, by model and prompt."""
    names = _names(run)
    rows = []
    for pair, items in item_rows(run).items():
        shares = [f"{count:,} ({cell(count / len(items))})" for count in counted(items).values()]
        rows.append((names.get(pair, ", ".join(pair)), *shares, f"{len(items):,}"))
    return Table(
        title="What became of the questions",
        description="robust: right in the original and in all draws; suspect: right in the original and wrong in a "
        "draw, whatever the reason; improved: right in a draw only; wrong: right in neither.",
        head=("model", *(kind.replace(" in all", "") for kind in KINDS.values()), "questions"),
        rows=tuple(rows),
        brief=True,
    )


def _distracted(run: Run) -> Table:
    """Memory and distraction, two by two: accuracies by numbers and noise, and the gaps between them."""
    names = _names(run)
    found = {
        (one.model, one.variant, one.metric, *one.group.values()): one
        for one in run.estimates
        if one.metric in (metrics.NOISE_GAP.name, metrics.ACCURACY_NOISE.name, metrics.GAP_WITH_NOISE.name)
    }
    plain = {
        (one.model, one.variant, one.metric): one
        for metric in (metrics.ACCURACY_ORIGINAL, metrics.ACCURACY_PERTURBED, metrics.MEMORIZATION_GAP)
        for one in overall(run.estimates, metric.name)
    }
    noise, gap = metrics.ACCURACY_NOISE.name, metrics.NOISE_GAP.name
    rows: list[tuple[str, ...]] = []
    for pair, name in names.items():
        if (*pair, gap) not in found:
            continue

        def told(one: Estimate | None) -> str:
            return "" if one is None else with_interval(one)

        rows += [
            (name, "plain", *(told(plain.get((*pair, one))) for one in (_ORIGINAL, _PERTURBED, _GAP))),
            (
                name,
                "with noise",
                *(told(found.get((*pair, noise, numbers))) for numbers in ("original", "changed")),
                told(found.get((*pair, metrics.GAP_WITH_NOISE.name))),
            ),
            (name, "difference", told(found.get((*pair, gap))), told(found.get((*pair, gap, "changed"))), ""),
        ]
    return Table(
        title="Memory and distraction",
        description="Accuracies with the published numbers and with others, and among sentences that do not matter. "
        "The last column is what published numbers add, the last row what noise takes. With several levels, noise is "
        "in the lowest of them.",
        head=("", "", "published numbers", "other numbers", "gap"),
        rows=tuple(rows),
        brief=True,
    )


def _suspects(run: Run) -> Table:
    """Questions that are right as they were published and wrong in a draw, those with the fewest right draws first."""
    names = _names(run)
    found = [
        (
            row["draws_right"] / max(1, row["draws"]),
            (
                str(row.get("source_id") or row["question_id"]),
                names.get(pair, ", ".join(pair)),
                f"{row['draws_right']:,} of {row['draws']:,}",
                f"{row['old_answers_kept']:,} of {row['lures']:,}" if row["lures"] else "",
                cell(row["chance"]) if "chance" in row else "",
            ),
        )
        for pair, items in item_rows(run).items()
        for row in items
        if row["kind"] in (SUSPECT, MEMORIZED)
    ]
    return Table(
        title="Suspects",
        description="Right as they were published and wrong with other numbers, the most doubtful first. Chance makes "
        "suspects, too: only the figures above say whether a model remembers. The last column: how likely "
        "chance alone makes a question look as memorized.",
        head=("question", "model", "draws right", "old answer kept", "by chance"),
        rows=tuple(row for _, row in sorted(found)),
    )


def _printed(run: Run) -> Table:
    """What is printed in each arm that was asked."""
    return Table(
        title="What was printed",
        description="Whether changed questions are as hard to look at as their originals: how far the nearest wrong "
        "option is from the right one (the median, and what a tenth is below), significant digits of the text's "
        "numbers, answers that need no rounding, and the best rule without reading (chance is 0.333).",
        head=CONTENT_HEAD,
        rows=tuple(map(tuple, _content_rows(run))),
    )


def _content_rows(run: Run) -> Sequence[Sequence[str]]:
    import polars as pl

    try:
        questions = questions_of(run)
    except UserError:
        return []
    # Files from elsewhere tell of questions without their texts.
    if not isinstance(questions, PerturbedSet):
        return []
    asked = set(pl.read_parquet(run.folder / RECORDS, columns=["question_id"])["question_id"].unique())
    return content_rows(contents(question for question in questions if question.id in asked))
