"""Which sides are compared, and what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.comparing.sides import chosen_sides, contrasts, only_side
from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from run_folders import make_run, record


def run_of(folder: Path, *cells: str) -> Run:
    """A run with these models and variants, each as MODEL/VARIANT."""
    return make_run(folder, [record(model=cell[0], variant=cell[2]) for cell in cells])


def labels(runs: list[Run], *models: str, variants: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(a.label, b.label) for a, b in contrasts(runs, models, variants)]


def test_within_one_run_models_are_compared_or_else_variants(tmp_path: Path) -> None:
    assert labels([run_of(tmp_path / "1", "a/x", "b/x", "c/x")]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert labels([run_of(tmp_path / "2", "a/x", "a/y")]) == [("x", "y")]
    both = [run_of(tmp_path / "3", "a/x", "b/x", "a/y", "b/y")]
    # In several variants that both have, over all of them.
    assert labels(both) == [("a", "b")]
    assert [side.variants for side in contrasts(both, (), ())[0]] == [("x", "y"), ("x", "y")]
    assert [(a.label, b.label) for a, b in contrasts(both, (), (), over_variants=False)] == [
        ("a x", "b x"),
        ("a y", "b y"),
    ]
    assert labels(both, variants=("x", "y")) == [("a x", "a y"), ("b x", "b y")]


def test_named_models_and_variants_limit_each_other(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / "1", "a/x", "b/x", "c/x", "a/y", "b/y", "c/y")]
    assert labels(runs, "a", "b", variants=("y",)) == [("a", "b")]
    assert labels(runs, "c", variants=("x", "y")) == [("x", "y")]
    assert labels(runs, "c") == [("x", "y")]
    assert labels(runs, variants=("x",)) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_the_order_in_which_they_are_named_is_the_order_of_the_difference(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / "1", "a/x", "b/x")]
    assert labels(runs, "a", "b") == [("a", "b")]
    assert labels(runs, "b", "a") == [("b", "a")]
    one, other = run_of(tmp_path / "2", "a/x"), run_of(tmp_path / "3", "a/x")
    assert [a.run for a, _ in contrasts([other, one], (), ())] == [other]


def test_across_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # The same model and variant; what one run alone has is not compared.
    runs = [run_of(Path("1"), "a/x", "b/x"), run_of(Path("2"), "a/x", "c/x")]
    assert labels(runs) == [("1", "2")]
    # The same variant, where each has one model; else what there is, where each has one of both.
    assert labels([run_of(Path("3"), "a/x", "a/y"), run_of(Path("4"), "b/x", "b/z")]) == [("3 a", "4 b")]
    assert labels([run_of(Path("5"), "a/x"), run_of(Path("6"), "b/y")]) == [("5 a x", "6 b y")]
    # Named models may lie in different runs.
    assert labels([run_of(Path("7"), "a/x"), run_of(Path("8"), "b/x", "c/x")], "a", "c") == [("7 a", "8 c")]


def test_the_mean_over_variants_of_each_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Two runs with prompts of their own: all of one against all of the other.
    runs = [run_of(Path("1"), "a/x", "a/y"), run_of(Path("2"), "a/u", "a/v")]
    [(one, other)] = contrasts(runs, (), ())
    assert (one.label, other.label) == ("1 x,y", "2 u,v")
    assert (one.variants, other.variants) == (("x", "y"), ("u", "v"))
    # Model by model, if there are several.
    runs = [run_of(Path("3"), "a/x", "b/x", "a/y", "b/y"), run_of(Path("4"), "a/u", "b/u", "c/u")]
    assert [(a.model, b.model, b.variants) for a, b in contrasts(runs, (), ())] == [
        ("a", "a", ("u",)),
        ("b", "b", ("u",)),
    ]
    # Within a run, where they are named.
    within = [run_of(Path("5"), "a/x", "a/y", "a/u", "a/v")]
    assert labels(within, variants=("u,v", "x,y")) == [("u,v", "x,y")]
    with pytest.raises(UserError, match="There is no variant nix in these runs: there are x, y, u, v"):
        labels(within, variants=("u,nix", "x,y"))


def test_a_run_with_itself(tmp_path: Path) -> None:
    run = run_of(tmp_path / "1", "a/x")
    assert labels([run, run]) == [(str(tmp_path / "1"), str(tmp_path / "1"))]


@pytest.mark.parametrize(
    ("models", "variants", "sentence"),
    [
        (("a", "nix"), (), "There is no model nix in these runs: there are a, b."),
        ((), ("nix", "x"), "There is no variant nix in these runs: there are x."),
        (("a",), (), "There is nothing to compare"),
        (("a", "a"), (), "There is nothing to compare"),
    ],
)
def test_what_is_not_there(tmp_path: Path, models: tuple[str, ...], variants: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        contrasts([run_of(tmp_path / "1", "a/x", "b/x")], models, variants)


def test_two_runs_without_anything_in_common(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / "1", "a/x", "b/x"), run_of(tmp_path / "2", "c/x", "d/x")]
    with pytest.raises(UserError, match="There is nothing to compare"):
        contrasts(runs, (), ())


def test_the_only_side(tmp_path: Path) -> None:
    side = only_side(run_of(tmp_path / "1", "a/x"))
    assert (side.model, side.variants) == ("a", ("x",))


def test_any_two_sides_can_be_named_by_model_and_prompt(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "m/p", "m/q", "n/p", "n/q")
    a, b = chosen_sides([run], ["m", "p"], ["n", "q"])
    assert [(side.model, side.variants, side.label) for side in (a, b)] == [("m", ("p",), "m p"), ("n", ("q",), "n q")]
    # What is named for one side only is the other's as well; without a prompt, all of them together.
    a, b = chosen_sides([run], ["m"], ["n", "q"])
    assert (a.variants, b.variants) == (("q",), ("q",))
    a, b = chosen_sides([run], ["m"], ["n"])
    assert (a.variants, b.variants) == (("p", "q"), ("p", "q"))
    with pytest.raises(UserError, match="There is no model or prompt x in these runs"):
        chosen_sides([run], ["x"], ["n"])
    with pytest.raises(UserError, match="Name the model of side a"):
        chosen_sides([run], ["p"], ["q"])
