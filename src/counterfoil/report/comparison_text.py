"""A comparison as plain text."""

from __future__ import annotations

from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.compared import ComparedFigure
from counterfoil.console import table
from counterfoil.suite.suite import AnySuite


def comparison_text(comparison: Comparison, suite: AnySuite) -> str:
    """Overall figures first, then groups that differ, what could not be aligned, ties, and the source's own table."""
    beside = set(suite.beside_overall)
    # Ties in the other metrics are in the JSON.
    headlines = {metric.name for metric in suite.metrics if metric.headline}
    sections = []
    for aligned in comparison.alignment:
        overall = [row for row in comparison.rows if (row.a, row.b) == (aligned.a, aligned.b)]
        lines = [f"{aligned.b} against {aligned.a}: {aligned.both:,} items in both."]
        if aligned.only_a or aligned.only_b:
            lines.append(
                f"{aligned.only_a:,} are only in {aligned.a}, {aligned.only_b:,} only in {aligned.b}, "
                f"among them {', '.join(aligned.unpaired[:3])}."
            )
        for label, number in aligned.left_out.items():
            if number:
                lines.append(f"{number:,} failed or were not asked in {label}: left out on both sides.")
        if aligned.compared < aligned.both:
            lines.append(f"{aligned.compared:,} are compared.")
        lines += aligned.caveats
        lines += [
            f"{label}: {_outcomes(of)}."
            for label, of in ((aligned.a, aligned.outcomes_a), (aligned.b, aligned.outcomes_b))
        ]
        whole = [row for row in overall if set(row.group) <= beside]
        heading = ["metric", aligned.a, aligned.b, "difference", "p", "could show", ""]
        lines += ["", table([heading, *map(_cells, whole)])]
        apart = [row for row in overall if row not in whole and row.verdict in ("higher", "lower")]
        tested = sum(1 for row in overall if row not in whole and row.p is not None)
        if tested:
            differ = "differs" if len(apart) == 1 else "differ"
            lines += ["", f"{len(apart)} of {tested} group figures {differ} after correction (Holm)."]
        if apart:
            lines += ["", table([heading, *map(_cells, apart)])]
        notes = list(dict.fromkeys(f"{row.metric}: {row.note}." for row in whole if row.note))
        sections.append("\n".join([*lines, *([""] if notes else []), *notes[:6]]))
    for metric, groups in comparison.tied.items():
        if metric in headlines:
            sections.append(f"{metric}: can't be told apart: {'; '.join(' = '.join(group) for group in groups)}.")
    if comparison.not_compared:
        sections.append(f"Not on all sides, and so not compared: {', '.join(comparison.not_compared)}.")
    if comparison.seed_table:
        sections.append(_seed_table(comparison))
    sections.append(
        "Differences are the second side minus the first, with 95 % intervals; `could show` is the smallest true "
        "difference that would be found in 4 of 5 such comparisons. Not told apart is not equal."
    )
    return "\n\n".join(sections)


def _cells(row: ComparedFigure) -> list[str]:
    name = row.metric + (f" ({', '.join(map(str, row.group.values()))})" if row.group else "")
    interval = "" if row.low is None or row.high is None else f" [{row.low:+z.3f}, {row.high:+z.3f}]"
    return [
        name,
        _number(row.value_a),
        _number(row.value_b),
        "" if row.difference is None else f"{row.difference:+z.3f}{interval}",
        "" if row.p_adjusted is None else f"{row.p_adjusted:.4f}",
        "" if row.detectable is None else f"{row.detectable:z.3f}",
        row.verdict,
    ]


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:z.3f}"


def _outcomes(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in outcomes.items()) or "no records"


def _seed_table(comparison: Comparison) -> str:
    lines = []
    for row in comparison.seed_table:
        if "accuracy_diff" in row:
            lines.append(f"diff_bias_diff: {row['diff_bias_diff']:.2f}%, accuracy_diff: {row['accuracy_diff']:.2f}%")
        else:
            lines.append(f"{row['side']}, mean over all rows of the result table")
            lines += [f"  {name:<38}{value:.6f}" for name, value in row.items() if name != "side"]
    return "\n".join(lines)
