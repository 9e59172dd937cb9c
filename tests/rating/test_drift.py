"""A judge held against an anchor: the same again has not drifted, a worse one has; exit codes, and wrong use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from counterfoil.cli.main import main
from counterfoil.errors import UserError
from counterfoil.rating.drift import Drift, check_judge
from counterfoil.rating.store import Study
from counterfoil.rating.study import new_study
from planted_raters import rate_all

JUDGE = "planted/explain?judge=a&sensitivity=0.95&specificity=0.95"
WORSE = "planted/explain?judge=a&sensitivity=0.95&specificity=0.05"
STUDY = Path("run/pilot.study.sqlite")

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def anchored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of 132 replies of which 40 % are right; people have rated 100 of them."""
    monkeypatch.chdir(tmp_path)
    cf.run(
        "explain",
        model="planted/explain?right=0.4",
        variant=["baseline", "cfe"],
        judge=JUDGE,
        judge_answer=True,
        out="run",
    )
    with new_study(cf.Run("run"), "pilot", raters=1, per_question=1):
        pass
    rate_all(STUDY)


def checked(judge: str, **options: Any) -> Drift:
    with Study(STUDY) as study:
        return check_judge(judge, study, say=lambda text: None, **options)


def test_the_same_judge_has_not_drifted_and_a_worse_one_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "check", JUDGE, "--anchor", str(STUDY)]) == 0
    assert "No drift can be told." in capsys.readouterr().out
    assert main(["judge", "check", WORSE, "--anchor", str(STUDY)]) == 1
    out = capsys.readouterr().out
    # Of the wrong answers, 60 of 100, it calls 0.95 right instead of 0.05: about 0.54 more over all, all of it error.
    assert f"On correct, {WORSE} gives more than {JUDGE}: 0.5" in out
    assert "is further from people than" in out


def test_what_is_within_the_margin_is_no_drift() -> None:
    found = checked(WORSE, margin=0.9)
    assert found.drifted == []
    level = {str(one.group["of"]): one for one in found.estimates if one.group["question"] == "correct"}
    assert level["level"].value == pytest.approx(0.54, abs=0.12)
    assert level["error"].p is not None
    assert level["error"].p < 0.05
    assert (found.replies, found.left_out) == (100, 0)


def test_wrong_use_is_one_sentence() -> None:
    with pytest.raises(UserError, match=f"no planted/other among its judges: name one of {JUDGE[:15]}"):
        checked(JUDGE, against="planted/other")
    cf.run("explain", model="planted/explain", variant="baseline", out="unjudged")
    with new_study(cf.Run("unjudged"), "plain", raters=1, per_question=1, sample=5):
        pass
    with (
        Study("unjudged/plain.study.sqlite") as study,
        pytest.raises(UserError, match="can't be an anchor: no judge has judged"),
    ):
        check_judge(JUDGE, study, say=lambda text: None)
