"""What each model of a run is asked with: the command line over its own table over the experiment over the suite."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.providers import provider_of
from counterfoil.errors import UserError
from counterfoil.suite.options import RUN_OPTIONS, checked, nearest
from counterfoil.suite.suite import AnySuite

# Settings that a model or judge can have in an experiment file.
PARAM_KEYS = ("temperature", "max_tokens", "reasoning_effort")
MODEL_KEYS = ("name", "base_url", *PARAM_KEYS, "param", "concurrency", "timeout")
JUDGE_PARAMS: dict[str, Any] = {"temperature": 0.0, "max_tokens": 4096}
# A second reader gives a line, or a short list.
READER_PARAMS: dict[str, Any] = {"temperature": 0.0, "max_tokens": 1024}
# Parts of an ask that are no settings.
RESERVED = ("model", "messages", "stream", "n")

_OPTIONS = {option.key: option for option in RUN_OPTIONS}


class ModelSettings:
    """Makes the specs of models and judges. `given`: what the command line set; `values`: all options in force."""

    def __init__(
        self,
        suite: AnySuite,
        given: Mapping[str, Any],
        experiment: Mapping[str, Any],
        values: Mapping[str, Any],
        where: str,
        *,
        only_judges: bool = False,
    ) -> None:
        self._where = f"{where}: " if where else ""
        self._values = values
        self._given = given
        self._given_params = {key: given[key] for key in PARAM_KEYS if key in given}
        self._given_params |= _params(given.get("param", []), "--")
        self._params = {**suite.params(values), "temperature": values["temperature"]}
        self._params |= {key: values[key] for key in ("max_tokens", "reasoning_effort") if values[key] is not None}
        self._params |= _params(experiment.get("param", {}), self._where)
        # Where no model is asked, the effort is meant for the judges.
        effort = values["reasoning_effort"] if only_judges else None
        given_effort = {} if effort is None else {"reasoning_effort": effort}
        # What each is asked with, under its own table; what the command line sets goes before that.
        self._usual = {
            "model": self._params,
            "judge": JUDGE_PARAMS | given_effort | _judge_params(values, where),
            "second reader": READER_PARAMS | given_effort,
        }
        self._commanded = {"model": self._given_params, "judge": _judge_params(given, where)}
        entries = [*(values["model"] or []), *(values["judge"] or []), *filter(None, [values["second_reader"]])]
        providers = {provider_of(_name(entry)) for entry in entries}
        self._has_one_provider = len(providers) <= 1
        is_some_server = any(provider.kind == "server" for provider in providers)
        if values["base_url"] and not self._has_one_provider and not is_some_server:
            raise UserError(
                f"--base-url {values['base_url']}: which of the models is behind it? "
                "Give it in that model's table of an experiment file."
            )

    def specs(self, entries: Sequence[Any], role: str = "model") -> list[ModelSpec]:
        """One for each model, by its name or by a table with a name and settings of its own.

        Judges and the second reader are asked at temperature 0 and with room to answer, unless their table, or
        --judge-param, says otherwise: how the tested models are asked is no concern of theirs.
        """
        made = [self._spec(entry, role) for entry in entries]
        names = [spec.name for spec in made]
        if len(set(names)) < len(names):
            raise UserError(f"{max(names, key=names.count)} is named twice: name each model once.")
        return made

    def _spec(self, entry: Any, role: str) -> ModelSpec:
        table = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(table, dict) or not isinstance(table.get("name"), str):
            raise UserError(f"{self._where}a model is a name, or a table with a name; {entry!r} is neither.")
        table = {key.replace("-", "_"): value for key, value in table.items()}
        name = table["name"]
        _check_name(name, self._where)
        where = f"{self._where}{name}: "
        for key, value in table.items():
            if key not in MODEL_KEYS:
                raise UserError(f"{self._where}a model has no {key}{nearest(key, MODEL_KEYS)}.")
            if key not in ("name", "param"):
                table[key] = checked(_OPTIONS[key], value, where)
        own = {key: table[key] for key in PARAM_KEYS if key in table}
        own |= _params(table.get("param", {}), where)
        params = {**self._usual[role], **own, **self._commanded.get(role, {})}
        _check_params(params, where)
        return ModelSpec(
            name=name,
            base_url=self._base_url(name, table.get("base_url")),
            params=params,
            concurrency=self._own("concurrency", table),
            timeout=self._own("timeout", table),
        )

    def _own(self, key: str, table: Mapping[str, Any]) -> Any:
        return self._given[key] if key in self._given else table.get(key, self._values[key])

    def _base_url(self, name: str, own: str | None) -> str | None:
        """A key goes to its provider alone: among several, --base-url is that of those who have no other address."""
        if self._has_one_provider or provider_of(name).kind == "server":
            return self._given.get("base_url") or own or self._values["base_url"]
        return own


def _check_name(name: str, where: str) -> None:
    if name != name.strip():
        raise UserError(f"{where}the model {name!r} begins or ends with a space: leave it out.")
    names = name.split(",")
    if len(names) > 1 and all(provider_of(each.strip()).kind != "other" for each in names):
        raise UserError(f"{where}{name} is more than one model: give each with a --model of its own.")


def _name(entry: Any) -> str:
    return str(entry.get("name", "")) if isinstance(entry, dict) else str(entry)


def _judge_params(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What is set for all judges."""
    limit = values.get("judge_max_tokens")
    return {**({} if limit is None else {"max_tokens": limit}), **_params(values.get("judge_param") or [], where)}


def _params(given: Any, where: str) -> dict[str, Any]:
    """Parameters from a table, or from a list of KEY=VALUE whose values are JSON or else text."""
    if isinstance(given, dict):
        return dict(given)
    if not isinstance(given, list):
        raise UserError(f"{where}param must be a table, and is {given!r}.")
    params = {}
    for text in given:
        key, equals, value = str(text).partition("=")
        if not equals or not key:
            raise UserError(f"{where}param {text} is not KEY=VALUE.")
        try:
            params[key] = json.loads(value)
        except ValueError:
            params[key] = value
    return params


def _check_params(params: Mapping[str, Any], where: str) -> None:
    for name, value in params.items():
        if name in RESERVED:
            raise UserError(f"{where}{name} can't be set as a parameter.")
        if not _is_json(value):
            raise UserError(f"{where}the parameter {name} is {value!r}, which can't be sent.")
    for name, (wanted, is_right) in _CHECKS.items():
        if name in params and not is_right(params[name]):
            raise UserError(f"{where}the parameter {name} must be {wanted}, and is {params[name]!r}.")


def _is_json(value: Any) -> bool:
    """Whether the value can be sent and be part of an ask's key."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(key) and _is_json(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or isinstance(value, bool) or _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and float(value).is_integer()


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(text, str) for text in value)


_FROM_ONE = ("a whole number from 1", lambda value: _is_count(value) and value >= 1)
_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "max_tokens": _FROM_ONE,
    "max_completion_tokens": _FROM_ONE,
    "temperature": ("a number from 0", lambda value: _is_number(value) and value >= 0),
    "seed": ("a whole number", _is_count),
    "logprobs": _FROM_ONE,
    "choices": ("a list of texts", _are_texts),
}
