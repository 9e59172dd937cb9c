"""The settings of a task of lm-eval, from its YAML file and from `--metadata`; mistakes in them as one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from counterfoil.errors import UserError
from counterfoil.suite.finding import load_suite
from counterfoil.suite.options import BUILT_IN, RUN_OPTIONS, checked, nearest

# The name in the metadata of settings for the tasks of all suites.
FOR_ALL = "counterfoil"
# The options of `counterfoil run` that say what is asked. How models are asked, lm-eval says.
_RUN_OPTIONS = ("variant", "data", "limit", "seed", "repeats")


class Settings(NamedTuple):
    """A suite, its options by key, and the groups whose estimates are metrics as well."""

    suite: str
    options: dict[str, Any]
    groups: tuple[str, ...]


class WrongUse(SystemExit, UserError):
    """A mistake in the settings of a task. lm-eval has no error of its own for that and catches none: one that asks
    Python to exit is printed as it is, with exit code 1. Programs that call lm-eval catch it as a UserError.
    """


@contextmanager
def naming(task: str) -> Iterator[None]:
    """Turn a UserError into a sentence that names the task, without a traceback around it."""
    try:
        yield
    except UserError as error:
        raise WrongUse(f"counterfoil: {task}: {str(error).removeprefix(f'{task}: ')}") from error


def settings_of(file: Mapping[str, Any], metadata: Mapping[str, Any]) -> Settings:
    """The settings of a task. `--metadata` for this suite (`counterfoil_SUITE`) goes before that for all suites
    (`counterfoil`), and both go before the file. The rest of the metadata belongs to others.
    """
    values = dict(file)
    suite = str(values.pop("suite", ""))
    if not suite:
        raise UserError("its file names no suite: write dataset_kwargs: {suite: explain}, or another.")
    known = {option.key: option for option in RUN_OPTIONS if option.name in _RUN_OPTIONS}
    loaded = load_suite(suite)
    known |= {option.key: option for option in loaded.options}
    for name in (FOR_ALL, f"{FOR_ALL}_{loaded.name}"):
        given = metadata.get(name) or {}
        if not isinstance(given, Mapping):
            raise UserError(f'{name} in the metadata must be settings by name, as {{"limit": 100}}.')
        if "variant" in file and "variant" in given and _names(given["variant"]) != _names(file["variant"]):
            raise UserError(
                f"it asks in {_names(file['variant'])}, and {name} in the metadata says {_names(given['variant'])}: "
                "leave variant out there, and name the task of the variant with --tasks."
            )
        values |= given
    groups = values.pop("groups", loaded.harness_groups)
    if not isinstance(groups, list | tuple) or not all(isinstance(group, str) for group in groups):
        raise UserError(f'groups must be a list of names, as ["category"], and is {groups!r}.')
    options = {}
    for name, value in values.items():
        key = str(name).replace("-", "_")
        if key not in known:
            raise UserError(f"there is no setting {name}{_meant(key, suite, [*known, 'groups'])}.")
        options[key] = checked(known[key], value, "")
    return Settings(suite, options, tuple(groups))


def _names(variant: Any) -> str:
    return ", ".join(map(str, variant)) if isinstance(variant, list | tuple) else str(variant)


def _meant(key: str, suite: str, known: Sequence[str]) -> str:
    """A hint for a name that the suite does not know: the suite that has it, or the nearest name that is known."""
    for other in BUILT_IN:
        if other != suite and key in {option.key for option in load_suite(other).options}:
            return f" in {suite}: it is one of {other}, so put it under {FOR_ALL}_{other} in the metadata"
    return nearest(key, known)
