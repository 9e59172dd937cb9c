"""What a task of lm-eval is told: by its YAML file, and by the user in `--metadata`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from counterfoil.errors import UserError
from counterfoil.runs.options import RUN_OPTIONS, checked, nearest
from counterfoil.runs.suites import load_suite

# How models are asked is lm-eval's to say; what is asked is ours.
_RUN_OPTIONS = ("variant", "data", "limit", "seed", "repeats")
# Groups that are shown without being asked for: what a suite's headline is read against.
_GROUPS = {"explain": ("replies", "label"), "memorization": ("control",)}


class Settings(NamedTuple):
    """A suite, its options by key, and the groups whose estimates are metrics, too."""

    suite: str
    options: dict[str, Any]
    groups: tuple[str, ...]


def settings_of(file: Mapping[str, Any], metadata: Mapping[str, Any], task: str) -> Settings:
    """The settings of a task: what its file says, under what `--metadata` says to all suites (`counterfoil`), under
    what it says to this one (`counterfoil_SUITE`). The rest of the metadata is others'.
    """
    values = dict(file)
    suite = str(values.pop("suite", ""))
    if not suite:
        raise UserError(f"{task}: its file names no suite: write dataset_kwargs: {{suite: explain}}, or another.")
    own = f"counterfoil_{suite}"
    for name in ("counterfoil", own):
        given = metadata.get(name) or {}
        if not isinstance(given, Mapping):
            raise UserError(f'{task}: {name} in the metadata must be settings by name, as {{"limit": 100}}.')
        values |= given
    groups = values.pop("groups", _GROUPS.get(suite, ()))
    if isinstance(groups, str) or not all(isinstance(group, str) for group in groups):
        raise UserError(f'{task}: groups must be a list of names, as ["category"], and is {groups!r}.')
    known = {option.key: option for option in RUN_OPTIONS if option.name in _RUN_OPTIONS}
    known |= {option.key: option for option in load_suite(suite).options}
    options = {}
    for name, value in values.items():
        key = name.replace("-", "_")
        if key not in known:
            raise UserError(f"{task}: there is no setting {name}{nearest(key, ['groups', *known])}.")
        options[key] = checked(known[key], value, f"{task}: ")
    return Settings(suite, options, tuple(groups))
