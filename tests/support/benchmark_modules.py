"""The benchmarks' simulations, for tests on a reduced grid."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = str(Path(__file__).parents[2])


def benchmark(name: str) -> Any:
    with patch.object(sys, "path", [ROOT, *sys.path]):
        return importlib.import_module(f"benchmarks.{name}")
