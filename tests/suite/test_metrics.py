"""Every metric is declared once, whole, and under a name that stands nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import counterfoil
from counterfoil.bias.metrics import metrics as bias_metrics
from counterfoil.stats.metric import Metric, by_name
from counterfoil.suite.finding import load_suite
from counterfoil.suite.options import BUILT_IN
from counterfoil.suite.outcome import OUTCOMES
from counterfoil.suite.people import JUDGE_BIAS

PEOPLE = list(dict.fromkeys(metric for name in BUILT_IN for metric in load_suite(name).people_metrics))
SOURCE = Path(counterfoil.__file__).parent
# Where names are declared, and where files have them that others read: results.json of the CFA study.
DECLARED = {
    "bias/metrics.py",
    "bias/relatives/scores.py",
    "explain/metrics.py",
    "memorization/metrics.py",
    "suite/people.py",
}
OTHERS_FORMATS = {"memorization/files.py"}
# Words that mean other things as well: an option, a criterion of a judge, what became of a question.
WORDS = {"accuracy", "mentions", "improved"}


def declared() -> dict[str, list[Metric]]:
    suites = {name: list(load_suite(name).metrics) for name in BUILT_IN}
    for keep in (True, False):
        suites["bias"] += bias_metrics(keep=keep, withhold=keep, by_template=keep)
    return suites | {"people": PEOPLE}


@pytest.mark.parametrize("name", [*BUILT_IN, "people"])
def test_every_metric_has_words_and_a_range(name: str) -> None:
    for metric in declared()[name]:
        assert metric.name.isidentifier(), metric
        assert metric.formula.endswith("."), metric.name
        assert metric.says.endswith("."), metric.name
        assert metric.says != metric.formula, metric.name
        assert metric.range[0] < metric.range[1], metric.name
        assert metric.better != "zero" or metric.range[0] < 0 < metric.range[1], metric.name


@pytest.mark.parametrize("name", [*BUILT_IN, "people"])
def test_a_name_stands_for_one_metric(name: str) -> None:
    some = declared()[name]
    known = by_name(some)
    for metric in some:
        words = ("formula", "says", "better", "range", "headline", "agreement")
        assert all(getattr(metric, word) == getattr(known[metric.name], word) for word in words), metric.name
    for word in ("formula", "says"):
        texts = [getattr(metric, word) for metric in known.values()]
        assert len(set(texts)) == len(texts), word


def test_figures_of_one_suite_can_be_told_apart() -> None:
    for name in BUILT_IN:
        figures = [
            (metric.name, metric.label, by)
            for metric in load_suite(name).metrics
            if metric.mean
            for by in metric.groups
        ]
        # Level 3 is no part of the gap: its accuracy is over items of its own, which have no other level.
        of_levels = [figure for figure in figures if figure[2] == ("level",)]
        rest = [figure for figure in figures if figure not in of_levels]
        assert len(set(rest)) == len(rest), name


def test_people_and_suites_have_different_names() -> None:
    people = {metric.name for metric in PEOPLE}
    # Of judges, as people see them.
    assert {name for name in people if not name.startswith("human_")} == {JUDGE_BIAS.name}
    assert not [metric.name for name in BUILT_IN for metric in load_suite(name).metrics if metric.name in people]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_suite_has_a_headline_with_an_overall_figure(name: str) -> None:
    headlines = [metric for metric in load_suite(name).metrics if metric.headline and metric.is_overall]
    assert headlines


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_no_other_file_writes_the_name_of_a_metric() -> None:
    suites = [load_suite(name) for name in BUILT_IN]
    names = {metric.name for some in declared().values() for metric in some}
    # Columns of records, options and outcomes have names of their own, and some are called as the metric is.
    names -= {column for suite in suites for column in suite.columns} | set(OUTCOMES) | WORDS
    names -= {option.key for suite in suites for option in suite.options}
    assert len(names) > 40
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        if str(path.relative_to(SOURCE)) not in DECLARED | OTHERS_FORMATS
        for line, text in texts_of(path)
        if text in names
    ]
    assert not found, "import the metric, and take its name"
