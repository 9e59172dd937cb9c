"""What is done with finished runs: a comparison of ten models in two prompts, and of any two of these; of 34,200
records all intervals, a comparison of two runs, a report.

    python -m benchmarks.comparing

The large runs are two planted respondents over KoBBQ's test set, in five prompts and three orders. Comparison and
report are processes from their start to their end, the intervals a call. These need ../shared/data/kobbq, and are left
out where it is missing. Prints one line for each thing that must hold, and exits with 1 if one does not.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.asking import HERE, Report, measured
from benchmarks.bias import ASKS, SAMPLES

from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.records import read_scores
from counterfoil.suite.finding import load_suite

MODELS = {"a": "planted/bias?unknown=0.6", "b": "planted/bias?unknown=0.65&biased=0.6"}
ROUNDS = 3
MANY = [f"planted/bias?unknown={tenth / 10}" for tenth in range(10)]
MOST_OF_MANY = 2.0
MOST_INTERVALS, MOST_COMPARISON, MOST_REPORT, MOST_MEGABYTES = 2.0, 5.0, 10.0, 8.0
REPORT_MODULE = "counterfoil.report.page.page"


def counterfoil(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "counterfoil", *arguments]


def intervals(report: Report, run: Run) -> None:
    """From the records without their texts to the estimates of all groups: the best of a few."""
    rows = read_scores(run.folder / RECORDS)
    assert rows.height == ASKS, rows.height
    suite = load_suite("bias")
    facts = suite.prepare([])
    seconds, processor = [], []
    for _ in range(ROUNDS):
        started_at, used = time.perf_counter(), time.process_time()
        estimates = suite.summarize(rows, facts)
        seconds.append(time.perf_counter() - started_at)
        processor.append(time.process_time() - used)
    note = f"{len(estimates):,} estimates, {min(processor):.2f} s of processor time"
    report.line(f"{rows.height:,} records: all intervals", min(seconds), MOST_INTERVALS, " s", note)


def comparison(report: Report, folder: Path) -> None:
    costs = [measured(counterfoil("compare", *MODELS, "--json"), folder) for _ in range(ROUNDS)]
    seconds = min(cost.seconds for cost in costs)
    note = f"{min(cost.processor for cost in costs):.2f} s of processor time"
    report.line(f"2 x {ASKS:,} records: compare", seconds, MOST_COMPARISON, " s", note)


def many(report: Report, folder: Path) -> None:
    """Ten models in two prompts: all 45 pairs, and any two of the models."""
    models = [part for model in MANY for part in ("--model", model)]
    variants = ("--variant", "1", "--variant", "1-debiased")
    asked = ("run", "bias", "--data", "english", "--limit", "352", *models, *variants, "--out", "many")
    measured(counterfoil(*asked), folder)
    for what, chosen in (("all pairs", ()), ("any two", ("--a", MANY[0], "--b", MANY[9]))):
        costs = [measured(counterfoil("compare", "many", *chosen, "--json"), folder) for _ in range(ROUNDS)]
        note = f"{min(cost.processor for cost in costs):.2f} s of processor time"
        seconds = min(cost.seconds for cost in costs)
        report.line(f"10 models x 2 prompts: compare {what}", seconds, MOST_OF_MANY, " s", note)


def page(report: Report, folder: Path) -> None:
    if importlib.util.find_spec(REPORT_MODULE) is None:
        print("report: nothing measured, there is no report yet")
        return
    out = folder / "report.html"
    costs = [measured(counterfoil("report", "a", "--out", str(out)), folder) for _ in range(ROUNDS)]
    seconds = min(cost.seconds for cost in costs)
    note = f"{min(cost.processor for cost in costs):.2f} s of processor time"
    report.line(f"{ASKS:,} records: report", seconds, MOST_REPORT, " s", note)
    report.line(f"{ASKS:,} records: size of the report", out.stat().st_size / 1e6, MOST_MEGABYTES, " MB")


def main() -> int:
    report = Report()
    with tempfile.TemporaryDirectory(dir=HERE) as name:
        folder = Path(name)
        many(report, folder)
        if not SAMPLES.is_file():
            print(f"comparing: no large run was compared, KoBBQ's samples are not there: {SAMPLES}")
            return 1 if report.failed else 0
        for out, model in MODELS.items():
            measured(counterfoil("run", "bias", "--model", model, "--data", str(SAMPLES), "--out", out), folder)
        intervals(report, Run(folder / "a"))
        comparison(report, folder)
        page(report, folder)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
