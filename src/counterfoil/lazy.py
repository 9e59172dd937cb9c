"""Names that a package exports and loads when they are first used."""

from __future__ import annotations

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
