"""numpy is loaded with one thread, and nobody else is told so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.heavy

TASKS = Path("/proc/self/task")
LOADS_NUMPY = f"""
import os
from pathlib import Path
from counterfoil.lazy import load_numpy

load_numpy()
print(len(list(Path("{TASKS}").iterdir())), os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.skipif(not TASKS.is_dir(), reason="this system does not list a process's threads")
@pytest.mark.parametrize(("given", "expected"), [({}, "1 None"), ({"OPENBLAS_NUM_THREADS": "1"}, "1 1")])
def test_numpy_starts_no_threads(given: dict[str, str], expected: str) -> None:
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", LOADS_NUMPY]
    done = subprocess.run(command, env=others | given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
