"""What is loaded with a suite: `show` and `--help` load one, and read no reply."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("asyncio", "sqlite3", "numpy", "polars", "aiohttp", "counterfoil.reading.cues", "counterfoil.explain.mentions")


@pytest.mark.parametrize("suite", ["bias", "explain", "memorization"])
def test_a_suite_loads_what_reads_replies_when_it_reads_one(suite: str) -> None:
    code = f"""
import sys
from counterfoil.suite.finding import load_suite
import counterfoil.report.summary
load_suite({suite!r})
print([name for name in {HEAVY} if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
