"""What a task of lm-eval is told: by its YAML file, and by the user in `--metadata`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from counterfoil.errors import UserError
from counterfoil.suite.finding import BUILT_IN, load_suite
from counterfoil.suite.options import RUN_OPTIONS, checked, nearest

# In the metadata: what is said to the tasks of all suites.
FOR_ALL = "counterfoil"
# How models are asked is lm-eval's to say; what is asked is ours.
_RUN_OPTIONS = ("variant", "data", "limit", "seed", "repeats")


class Settings(NamedTuple):
    """A suite, its options by key, and the groups whose estimates are metrics, too."""

    suite: str
    options: dict[str, Any]
    groups: tuple[str, ...]


def settings_of(file: Mapping[str, Any], metadata: Mapping[str, Any]) -> Settings:
    """The settings of a task: what its file says, under what `--metadata` says to all suites (`counterfoil`), under
    what it says to this one (`counterfoil_SUITE`). The rest of the metadata is others'.
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
    groups = values.pop("groups", load_suite(suite).harness_groups)
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
    """Where a name that the suite does not know is at home: in another suite, or near one that it knows."""
    for other in BUILT_IN:
        if other != suite and key in {option.key for option in load_suite(other).options}:
            return f" in {suite}: it is one of {other}, so put it under {FOR_ALL}_{other} in the metadata"
    return nearest(key, known)
