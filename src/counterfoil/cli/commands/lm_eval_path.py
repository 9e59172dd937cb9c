"""counterfoil lm-eval-path: where the task files for lm-eval are."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

EXAMPLE = "counterfoil lm-eval-path"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """It takes nothing."""


def call(parsed: argparse.Namespace) -> int:
    import counterfoil.adapters

    print(Path(counterfoil.adapters.__file__).parent / "lm_eval")
    return 0
