"""A run's estimates and records as files for other tools: CSV, parquet and LaTeX."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from counterfoil import targets
from counterfoil.errors import UserError
from counterfoil.figures.tables import Table
from counterfoil.files import explained, replacing
from counterfoil.running.folder import RECORDS, Run, readable
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import polars as pl

# Columns of the group come between what an estimate is of and what it is.
_OF = ("metric", "model", "variant")
_IS = ("value", "low", "high", "confidence", "n", "clusters", "method", "note")
# Spreadsheets take a cell for a formula that begins so, perhaps behind blanks, in either width.
_FORMULA = r"^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])"
_NUMBER = r"^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def tables_of(run: Run, suite: AnySuite) -> list[Table]:
    """The suite's own tables; none where records of an older run lack what they are made from."""
    try:
        with readable(run.folder / RECORDS):
            return list(suite.tables(run))
    except UserError:
        return []


def write_csv(run: Run, folder: Path) -> list[Path]:
    """summary.csv, one row for each estimate, and records.csv. No cell is a formula: what begins like one has an
    apostrophe before it, unless it is a plain number. Lists are JSON. Undefined is an empty cell. A mark tells
    spreadsheets that it is UTF-8.
    """
    import polars as pl

    frames = {"summary.csv": summary_frame(run.estimates).lazy(), "records.csv": _records(run)}
    paths = _within(folder, frames)
    for path, frame in zip(paths, frames.values(), strict=True):
        with replacing(path) as temporary:
            frame.with_columns(pl.col(pl.String).pipe(neutral)).sink_csv(temporary, include_bom=True)
    return paths


def write_parquet(run: Run, folder: Path) -> list[Path]:
    """summary.parquet, with the columns of summary.csv, and records.parquet as it is."""
    summary, records = _within(folder, ("summary.parquet", RECORDS))
    with replacing(summary) as temporary:
        summary_frame(run.estimates).write_parquet(temporary)
    with replacing(records) as temporary:
        shutil.copyfile(run.folder / RECORDS, temporary)
    return [summary, records]


def write_latex(run: Run, folder: Path) -> list[Path]:
    """summary.tex with the overall estimates, and summary_by_….tex for each kind of group."""
    by_kind = by_keys(run.estimates)
    # Keys of groups are names in code; a suite of somebody else's may have others, and no name is a path.
    names = ("_".join(("summary", *(("by", *kind) if kind else ()))) for kind in by_kind)
    paths = _within(folder, (re.sub(r"\W", "_", name) + ".tex" for name in names))
    for path, estimates in zip(paths, by_kind.values(), strict=True):
        with replacing(path) as temporary:
            temporary.write_text(latex_table(estimates, run.whole_summary.suite), encoding="utf-8")
    return paths


def summary_frame(estimates: Iterable[Estimate]) -> pl.DataFrame:
    """The estimates as a tidy table: a row each, a column `group_KEY` for each key of any group."""
    import polars as pl

    rows = [
        {**msgspec.to_builtins(estimate), **{f"group_{key}": str(value) for key, value in estimate.group.items()}}
        for estimate in estimates
    ]
    groups = dict.fromkeys(name for row in rows for name in row if name.startswith("group_"))
    numbers = {"n": pl.Int64, "clusters": pl.Int64, **dict.fromkeys(("value", "low", "high", "confidence"), pl.Float64)}
    return pl.DataFrame(rows, schema={name: numbers.get(name, pl.String) for name in (*_OF, *groups, *_IS)})


def by_keys(estimates: Iterable[Estimate]) -> dict[tuple[str, ...], list[Estimate]]:
    """The estimates of each kind of group."""
    found: dict[tuple[str, ...], list[Estimate]] = {}
    for estimate in estimates:
        found.setdefault(tuple(estimate.group), []).append(estimate)
    return found


def notes_of(estimates: Iterable[Estimate]) -> dict[str, str]:
    """Each note, with the metrics that it goes with."""
    notes: dict[str, dict[str, None]] = {}
    for estimate in estimates:
        if estimate.note:
            notes.setdefault(estimate.note, {})[estimate.metric] = None
    return {note: ", ".join(metrics) for note, metrics in notes.items()}


def latex_table(estimates: Sequence[Estimate], suite: str) -> str:
    """A table in the manner of booktabs, one row for each estimate, with its interval, n and clusters; it goes on over
    pages. All estimates are in the same kind of group.
    """
    keys = list(estimates[0].group) if estimates else []
    heading = ["metric", *keys, "model", "variant", "estimate", "interval", "n", "clusters"]
    levels = ", ".join(f"{level:.4g}" for level in sorted({100 * estimate.confidence for estimate in estimates}))
    caption = f"{suite}{' by ' + ', '.join(keys) if keys else ''}: estimates with intervals at {levels} % confidence"
    head = [r"\toprule", " & ".join(map(escaped, heading)) + r" \\", r"\midrule"]
    return "\n".join(
        [
            r"% \usepackage{booktabs, longtable}",
            rf"\begin{{longtable}}{{{'l' * (len(keys) + 3)}rlrr}}",
            rf"\caption{{{escaped(caption)}}} \\",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *(" & ".join(_cells(estimate)) + r" \\" for estimate in estimates),
            r"\end{longtable}",
            *(
                rf"\noindent{{\footnotesize {escaped(metrics)}: {escaped(note)}.\par}}"
                for note, metrics in notes_of(estimates).items()
            ),
            "",
        ]
    )


_LATEX: dict[str, str | int | None] = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "−": r"\ensuremath{-}",
    "≥": r"\ensuremath{\ge}",
    "÷": r"\ensuremath{\div}",
    # Else read as an argument of the line's end before it.
    "[": "{[}",
    "*": "{*}",
    **{chr(code): " " for code in (*range(32), *range(127, 160))},
}


def escaped(text: str) -> str:
    """The text so that LaTeX prints it, whatever is in it."""
    # Two hyphens would become a dash.
    return re.sub("-(?=-)", "-{}", text.translate(str.maketrans(_LATEX)))


def _cells(estimate: Estimate) -> list[str]:
    low, high = _number(estimate.low, "?"), _number(estimate.high, "?")
    interval = "" if estimate.low is None and estimate.high is None else f"[{low}, {high}]"
    names = [estimate.metric, *map(str, estimate.group.values()), estimate.model, estimate.variant]
    value = _number(estimate.value, "not defined")
    return [*map(escaped, names), value, interval, str(estimate.n), str(estimate.clusters)]


def _number(value: float | None, otherwise: str) -> str:
    """Three decimals, with a minus that is one, and none before zero."""
    return otherwise if value is None else f"${round(value, 3) + 0.0:.3f}$"


def _records(run: Run) -> pl.LazyFrame:
    import polars as pl

    with readable(run.folder / RECORDS):
        return without_lists(pl.scan_parquet(run.folder / RECORDS))


def without_lists(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Records with their lists as JSON."""
    import polars as pl

    lists = [name for name, kind in frame.collect_schema().items() if isinstance(kind, pl.List)]
    # {"list":[…]} without what is around the list.
    as_json = [
        pl.when(pl.col(name).is_not_null())
        .then(pl.struct(list=name).struct.json_encode().str.strip_prefix('{"list":').str.strip_suffix("}"))
        .alias(name)
        for name in lists
    ]
    return frame.with_columns(as_json)


def neutral(text: pl.Expr) -> pl.Expr:
    """Texts of which no spreadsheet makes a formula."""
    import polars as pl

    risky = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return pl.when(risky).then("'" + text).otherwise(text).name.keep()


def _within(folder: Path, names: Iterable[str]) -> list[Path]:
    """Where the files of these names go, in a folder that is there, once it is clear that they may."""
    paths = [folder / name for name in names]
    targets.refuse(*paths)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return paths
