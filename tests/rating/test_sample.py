"""The replies that people rate are a sample of the run: each has the same chance, whatever its stratum."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil.rating.store import Study
from counterfoil.rating.study import SAMPLE, draw, new_study
from counterfoil.running.folder import Run

pytestmark = pytest.mark.heavy

SEEDS = 150


@pytest.fixture(scope="module")
def bias_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three models in two prompts, one of them with replies that can't be read: more strata than places in a study."""
    folder = tmp_path_factory.mktemp("bias")
    return cf.run(
        "bias",
        model=["planted/bias", "planted/bias?unknown=0.3&unread=0.1", "planted/bias?aligned=0.6"],
        variant=["1", "2"],
        limit=60,
        ledger=str(folder / "ledger.sqlite"),
        out=str(folder / "run"),
    )


COLUMNS = ["model", "variant", "outcome", "correct", "category", "ambiguous"]


def test_over_seeds_each_kind_of_reply_is_drawn_as_often_as_it_is_in_the_run(bias_run: Run) -> None:
    records = bias_run.records
    assert records.select(COLUMNS).unique().height > SAMPLE, "more strata than places"
    drawn: dict[str, Counter[object]] = {name: Counter() for name in COLUMNS}
    right = []
    for seed in range(SEEDS):
        sample = draw(bias_run, SAMPLE, seed)
        assert len(sample) == SAMPLE
        for name in COLUMNS:
            drawn[name].update(record[name] for record in sample)
        right.append(sum(record["correct"] is True for record in sample) / SAMPLE)
    chance = SAMPLE / records.height
    for name in COLUMNS:
        for value, count in records[name].value_counts().iter_rows():
            expected = SEEDS * count * chance
            # Within four standard errors of independent draws; strata make it narrower.
            assert abs(drawn[name][value] - expected) < 4 * (expected * (1 - chance)) ** 0.5, (name, value)
    share = records["correct"].fill_null(value=False).mean()
    assert isinstance(share, float)
    # Largest remainders drew right answers only. A single sample of 100 at random is within 4 · 0.046 of the share.
    assert max(abs(one - share) for one in right) < 4 * (share * (1 - share) / SAMPLE) ** 0.5


def test_each_reply_has_the_same_chance(bias_run: Run) -> None:
    keys = ["model", "variant", "question_id", "order", "repeat"]
    drawn = Counter(tuple(record[key] for key in keys) for seed in range(SEEDS) for record in draw(bias_run, 200, seed))
    replies = bias_run.records.height
    # The number of times is about binomial: none comes in nearly all samples, and few never.
    chance = 200 / replies
    assert max(drawn.values()) < SEEDS * chance + 6 * (SEEDS * chance * (1 - chance)) ** 0.5
    assert len(drawn) > replies * (1 - 2 * (1 - chance) ** SEEDS)


def test_the_study_keeps_what_it_was_drawn_from(bias_run: Run) -> None:
    with new_study(bias_run, "kept", raters=2, per_question=1, sample=90, seed=5) as study:
        design = study.design()
        tasks = study.tasks()
    assert design is not None
    records = bias_run.records
    assert (design.replies, design.drawn) == (records.height, 90)
    assert list(design.shares) == COLUMNS
    for name, shares in design.shares.items():
        assert {value: share.in_run for value, share in shares.items()} == {
            str(value): count for value, count in records[name].value_counts().iter_rows()
        }
        assert sum(share.in_sample for share in shares.values()) == 90
    drawn = Counter(task.source.model for task in tasks)
    assert {value: share.in_sample for value, share in design.shares["model"].items()} == drawn
    third = records.height // 3
    assert all(share.in_run == third and abs(share.in_sample - 30) <= 6 for share in design.shares["model"].values())
    results = counterfoil("rate", "results", str(bias_run.folder / "kept.study.sqlite"), cwd=bias_run.folder)
    assert f"90 of {records.height:,} replies, each with the same chance" in results.stdout


def test_the_command_says_what_it_drew_from(bias_run: Run) -> None:
    arguments = ("rate", "new", "--run", str(bias_run.folder), "--sample")
    done = counterfoil(*arguments, "50", "--name", "some", cwd=bias_run.folder)
    replies = bias_run.records.height
    assert f"They are a random sample of the {replies:,} replies of the run that have a text." in done.stdout
    done = counterfoil(*arguments, str(replies), "--name", "all", cwd=bias_run.folder)
    assert "They are all replies of the run that have a text." in done.stdout


def test_a_study_of_an_older_version_has_no_design(bias_run: Run) -> None:
    new_study(bias_run, "older", raters=1, per_question=1, sample=3).close()
    path = bias_run.folder / "older.study.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE design")
    with Study(path) as study:
        assert study.design() is None
    assert "same chance" not in counterfoil("rate", "results", str(path), cwd=Path()).stdout
