"""counterfoil lm-eval-path: the folder with the task files, whether lm-eval is installed or not."""

from __future__ import annotations

import re
from pathlib import Path

from commands import counterfoil
from counterfoil.bias.prompts import shipped_variants
from counterfoil.explain.prompts import VARIANTS as EXPLAIN
from counterfoil.memorization.prompts import VARIANTS as MEMORIZATION

_ASKS = re.compile(r'^dataset_kwargs: \{suite: (\w+), variant: "([^"]+)"(?:, data: \w+)?\}$', re.MULTILINE)


def test_it_prints_a_folder_with_a_file_for_every_variant_of_the_shipped_questions(tmp_path: Path) -> None:
    done = counterfoil("lm-eval-path", cwd=tmp_path)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])
    [line] = done.stdout.splitlines()
    texts = {path.stem: path.read_text(encoding="utf-8") for path in Path(line).rglob("*.yaml")}
    asked = [match.groups() for text in texts.values() for match in _ASKS.finditer(text)]
    korean = [name for number in "12345" for name in (number, f"{number}-debiased")]
    bias = [*korean, "en", "en-debiased"]
    assert set(bias) <= shipped_variants().keys()
    suites = {"explain": EXPLAIN, "bias": bias, "memorization": MEMORIZATION}
    assert sorted(asked) == sorted((suite, name) for suite, names in suites.items() for name in names)
    for name, text in texts.items():
        assert text.startswith(f"task: counterfoil_{name}\n")


def test_it_takes_nothing(tmp_path: Path) -> None:
    done = counterfoil("lm-eval-path", "nix", cwd=tmp_path)
    assert done.returncode == 2
    assert "Unrecognized arguments: nix" in done.stderr
