"""Of whom intervals speak: about these questions alone they hold too, narrower by what was asked of them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

import counterfoil as cf
from counterfoil.cli.main import main
from counterfoil.errors import UserError
from counterfoil.figures.population import narrowed_p, of_these, population_sentence
from counterfoil.running.folder import Run
from counterfoil.stats import Estimate, proportion, signed_mean

MODEL = "planted/bias?unknown=0.6"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.heavy
@pytest.mark.parametrize(("share", "truth"), [(0.5, 0.6), (0.5, 0.95), (0.8, 0.7), (0.25, 0.9)])
def test_intervals_hold_for_a_dataset_of_which_a_part_was_asked(share: float, truth: float) -> None:
    # A dataset of 120 clusters of six questions; whole clusters are drawn without replacement, and replies don't vary.
    rng = np.random.default_rng(5)
    held, held_signed, trials = 0, 0, 300
    for _ in range(trials):
        chances = rng.beta(truth / 0.5, (1 - truth) / 0.5, 120)
        right = (rng.random((120, 6)) < chances[:, None]).astype(float)
        signs = right - (rng.random((120, 6)) < 0.5)
        asked = rng.permutation(120)[: round(120 * share)]
        clusters = np.repeat(asked, 6)
        names = {"metric": "x", "model": "m", "variant": "v"}
        for values, make, full in ((right, proportion, right.mean()), (signs, signed_mean, signs.mean())):
            [one] = of_these([make(values[asked].ravel(), clusters, **names)], {"m": share})
            assert one.low is not None
            assert one.high is not None
            inside = one.low <= full <= one.high
            held, held_signed = held + (inside and values is right), held_signed + (inside and values is not right)
    # 95 % nominal: 285 of 300. Fewer than 270 come by chance in less than one of 1,000 such tests.
    assert held >= 270
    assert held_signed >= 270


def test_by_hand() -> None:
    # Half of the questions: bounds lie √½ as far from the value. z of p = 0.05 is 1.96, and 1.96·√2 has p = 0.0056.
    estimate = Estimate(
        metric="x", model="m", variant="v", value=0.5, low=0.3, high=0.6, n=9, clusters=9, method="", p=0.05
    )
    [half] = of_these([estimate], {"m": 0.5})
    assert (half.low, half.high) == pytest.approx((0.5 - 0.2 / 2**0.5, 0.5 + 0.1 / 2**0.5))
    assert half.p == pytest.approx(0.00557, abs=1e-4)
    [whole] = of_these([estimate], {"m": 1.0})
    assert (whole.low, whole.high, whole.p) == (0.5, 0.5, 0.0)
    assert narrowed_p(0.4, 0.0, 1.0) == 1.0
    # What people said of some replies is uncertain for another reason.
    corrected = msgspec.structs.replace(estimate, group={"basis": "corrected"})
    assert of_these([corrected], {"m": 1.0}) == [corrected]


def test_a_run_says_of_whom_it_speaks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = cf.run("bias", model=MODEL, data="english", limit=12, out="new")
    assert run.whole_summary.population == "new"
    assert json.loads(Path("new/summary.json").read_bytes())["population"] == "new"
    assert main(["show", "new"]) == 0
    assert "Intervals are about new questions of this kind." in " ".join(capsys.readouterr().out.split())
    assert "Intervals are about new questions of this kind." in cf.report(run, out="page.html").read_text()
    share = run.manifest["data"]["answered"] / run.manifest["data"]["questions"]
    assert 0 < share < 1
    these = cf.run("bias", model=MODEL, data="english", limit=12, population="these", out="these")
    assert these.whole_summary.population == "these"
    for one, other in zip(run.estimates, these.estimates, strict=True):
        assert one.value == other.value
        if one.value is not None and one.low is not None and other.low is not None:
            assert other.low == pytest.approx(one.value + (1 - share) ** 0.5 * (one.low - one.value))
    # Shown of a run that was written otherwise, it is the same; back again it can't be had.
    assert Run("new").speaking_of("these").estimates == these.estimates
    assert main(["show", "new", "--population", "these"]) == 0
    assert f"alone, not about new ones: {share:.0%} of them were asked." in " ".join(capsys.readouterr().out.split())
    with pytest.raises(UserError, match="--population new"):
        Run("these").speaking_of("new")


def test_where_all_was_asked_there_is_nothing_between_the_bounds(here: Path) -> None:
    models = [MODEL, "planted/bias?unknown=0.9"]
    run = cf.run("bias", model=models, data="english", population="these", out="all")
    assert all(
        one.low == one.value == one.high for one in run.estimates if one.low is not None and one.value is not None
    )
    compared = cf.compare(run, population="these")
    assert "all were asked" in compared.of_whom
    rows = [row for row in compared.rows if row.low is not None]
    assert rows
    assert all(row.low == row.difference == row.high for row in rows if row.told_apart)
    assert all(row.told_apart == (row.difference != 0) for row in rows if row.same_as is None and row.p is not None)
    usual = cf.compare(run)
    assert usual.of_whom == "Intervals are about new questions of this kind."


def test_replies_that_are_drawn_are_no_surer(here: Path) -> None:
    said = population_sentence("these", {"m": 0.0})
    assert "drawn by chance" in said
    drawn = cf.run("bias", model=MODEL, data="english", limit=8, temperature=0.7, population="these", out="drawn")
    fixed = cf.run("bias", model=MODEL, data="english", limit=8, temperature=0.7, out="as-new")
    assert drawn.estimates == fixed.estimates
