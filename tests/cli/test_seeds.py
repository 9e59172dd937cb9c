"""A seed is 0 or more, wherever one is given: what draws with it takes no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import SUITE, counterfoil


@pytest.mark.parametrize(
    "command",
    [
        ("run", SUITE, "--seed"),
        ("run", "memorization", "--set-seed"),
        ("data", "perturb", "--from", "bank", "--out", "set.jsonl", "--seed"),
        ("data", "curate", "samples", "--out", "curated", "--seed"),
        ("selftest", "bias", "--seed"),
        ("rate", "new", "--run", "run", "--name", "x", "--seed"),
        ("export", "run", "--to", "sft", "sft", "--seed"),
    ],
)
def test_a_negative_seed_is_refused_at_once(command: tuple[str, ...], tmp_path: Path) -> None:
    done = counterfoil(*command, "-1", cwd=tmp_path)
    assert done.returncode == 2
    assert "seed must be at least 0, and is -1. See counterfoil" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_negative_seed_in_an_experiment_file_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(f'suite = "{SUITE}"\nseed = -1\n')
    done = counterfoil("run", "--experiment", "x.toml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "counterfoil: x.toml: seed must be at least 0, and is -1.\n")
