"""From a suite's name to the suite."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from counterfoil.errors import UserError
from counterfoil.suite.options import BUILT_IN, nearest
from counterfoil.suite.suite import AnySuite, Suite

ENTRY_POINTS = "counterfoil.suites"


def load_suite(name: str) -> AnySuite:
    """The suite of that name: built in, installed with an entry point, or given as MODULE:ATTRIBUTE."""
    known = {name: BUILT_IN[name]} if name in BUILT_IN else {name: name} if ":" in name else named_suites()
    if name in known:
        return _load(known[name], name)
    raise UserError(
        f"There is no suite {name}{nearest(name, known)}. There are: {', '.join(known)}. "
        "One of your own can be given as MODULE:ATTRIBUTE."
    )


def named_suites() -> dict[str, str]:
    """Where each suite is that can be named: those of this package, and those that were installed."""
    from importlib.metadata import entry_points  # takes 30 ms, so only where it is needed

    return BUILT_IN | {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def suite_of_run(name: str, place: str | None) -> AnySuite:
    """The suite of a run: by its name, else by the place that the run's manifest names."""
    if name in BUILT_IN or place is None or name in named_suites():
        return load_suite(name)
    return load_suite(place)


def _load(place: str, name: str) -> AnySuite:
    module, _, attribute = place.partition(":")
    if not all(part.isidentifier() for part in module.split(".")):
        raise UserError(f"The suite {name} can't be loaded: {module or 'nothing'} is no module's name.")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise _failed(name, module, error) from error
        raise UserError(f"The suite {name} can't be loaded: there is no module {error.name}.") from error
    except Exception as error:
        raise _failed(name, module, error) from error
    suite = getattr(loaded, attribute, None)
    if not isinstance(suite, Suite):
        raise UserError(f"The suite {name} can't be loaded: {module} has no suite called {attribute!r}.")
    suite.place = place
    return suite


def _failed(name: str, module: str, error: Exception) -> UserError:
    return UserError(
        f"The suite {name} can't be loaded: {module} raises {type(error).__name__} ({error}); --verbose shows where."
    )
