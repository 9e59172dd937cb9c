"""The self-test with responders without memory: green where nothing leans, and loud where something does."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.cli.main import main
from counterfoil.errors import UserError
from counterfoil.memorization.placebos.zoo import placebo_sets
from counterfoil.perturbing.placebos import ZOO
from counterfoil.selftest.placebos import placebo_test, placebo_text
from counterfoil.suite.habits import PlaceboSets
from leaning import LEANING

DATA = Path(__file__).parents[4] / "shared" / "data"


def placebos_on(*data: str, sets: int = 1) -> PlaceboSets:
    return placebo_sets(data, sets, 0, None)


@pytest.mark.heavy
def test_on_the_bank_responders_without_memory_show_none() -> None:
    found = placebos_on("bank")
    assert found.failures == []
    [table] = found.tables
    assert (table.data, table.originals) == ("bank", 111)
    assert list(table.means) == [placebo.name for placebo in ZOO]
    assert set(table.covered) == set(found.claimed) == {"kept_old_excess", "excess_gap", "control_gap stand_in"}


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["cfa/cfa_easy.json", "gsm/gsm8k_test.jsonl"])
def test_nor_on_public_questions(name: str) -> None:
    if not (DATA / name).is_file():
        pytest.skip(f"there is no {DATA / name}")
    found = placebos_on(str(DATA / name))
    assert found.failures == []
    [table] = found.tables
    # The draws are mirrored in pairs: what goes by the order, the letters or the text is exactly 0.
    for placebo in ("always B", "middle", "largest", "nearest to a number of the text"):
        assert table.means[placebo]["kept_old_excess"] == pytest.approx(0, abs=1e-9)


def test_a_rule_that_shows_memory_is_named_and_the_exit_code_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "leaning.toml"
    path.write_text("".join(LEANING.format(number=number) for number in range(10)), encoding="utf-8")
    assert main(["selftest", "memorization", "--placebos", "--trials", "1", "--data", str(path)]) == 1
    out, err = capsys.readouterr()
    # At 10 apples the right answer is the middle one, and with any other number the largest.
    assert "leaning.toml, middle: excess_gap is +1.000" in err
    assert "This does not hold:" in out
    assert "(memorization_gap)" in out


def test_the_data_is_for_suites_with_sets_of_questions(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="--data is for placebos on many sets of questions, and bias has none"):
        placebo_test("bias", data=["bank"])
    assert main(["selftest", "memorization", "--data", "bank"]) == 2
    assert "add --placebos" in capsys.readouterr().err
    with pytest.raises(UserError, match="--trials 0"):
        placebos_on(sets=0)


def test_the_text_tells_claims_from_what_is_only_shown(tmp_path: Path) -> None:
    path = tmp_path / "few.toml"
    path.write_text(LEANING.format(number=1), encoding="utf-8")
    text = placebo_text(placebos_on(str(path)))
    assert "memorization: responders without memory, 1 set of each dataset." in text
    assert "few.toml: 1 original" in text
