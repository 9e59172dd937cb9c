"""What is loaded when it is first used: names that a package exports, and numpy."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any


def exports(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package: each name comes from its home, a module that is loaded only then, or is it."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        home = import_module(homes[name])
        return home if homes[name] == f"{package}.{name}" else getattr(home, name)

    return load


def load_numpy() -> None:
    """numpy's BLAS starts a thread for each core when it is loaded, and each spins for a while. Nothing here is large
    enough for that, so there is one. Other packages and processes read the variable, too, so it stays no longer than it
    must.
    """
    variable = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(variable)
    os.environ[variable] = before or "1"
    try:
        import numpy  # noqa: F401
    finally:
        if before is None:
            del os.environ[variable]
