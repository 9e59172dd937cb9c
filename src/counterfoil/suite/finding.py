"""From a suite's name to the suite."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any, cast

from counterfoil.errors import UserError
from counterfoil.suite.options import nearest
from counterfoil.suite.suite import Suite

# The suites of this package, found without a look at what else is installed.
BUILT_IN: dict[str, str] = {
    "explain": "counterfoil.explain.suite:suite",
    "bias": "counterfoil.bias.suite:suite",
    "memorization": "counterfoil.memorization.suite:suite",
}
ENTRY_POINTS = "counterfoil.suites"


def load_suite(name: str) -> Suite:
    """The suite of that name: built in, installed with an entry point, or given as MODULE:ATTRIBUTE."""
    if name in BUILT_IN:
        return _load(BUILT_IN[name], name)
    if ":" in name:
        return _load(name, name)
    from importlib.metadata import entry_points  # takes 30 ms, so only where it is needed

    installed = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    if name in installed:
        return _load(installed[name], name)
    known = [*BUILT_IN, *installed]
    choice = f"There are: {', '.join(known)}. " if known else ""
    raise UserError(
        f"There is no suite {name}{nearest(name, known)}. {choice}One of your own can be given as MODULE:ATTRIBUTE."
    )


def module_beside(suite: Suite, name: str) -> Any | None:
    """The module of that name in the suite's folder; None where there is none."""
    folder = type(suite).__module__.rpartition(".")[0]
    full = f"{folder}.{name}" if folder else name
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise
        return None


def _load(place: str, name: str) -> Suite:
    module, _, attribute = place.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise UserError(f"The suite {name} can't be loaded: there is no module {error.name}.") from error
    except (ValueError, TypeError) as error:
        raise UserError(f"The suite {name} can't be loaded: {module or 'nothing'} is no module's name.") from error
    suite = getattr(loaded, attribute, None)
    if not all(hasattr(suite, member) for member in ("name", "options", "columns", "read", "score", "summarize")):
        raise UserError(f"The suite {name} can't be loaded: {module} has no suite called {attribute!r}.")
    return cast("Suite", suite)
