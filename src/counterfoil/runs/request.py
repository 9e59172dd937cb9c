"""What a run is asked to do: the command line over the experiment file over the defaults."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.models.base import ModelSpec
from counterfoil.errors import UserError
from counterfoil.runs.options import RUN_OPTIONS, Option, checked, nearest, with_defaults
from counterfoil.runs.suite import Suite

DEFAULT_MODEL = "smollm2"
# What a model or judge in an experiment file can have of its own.
MODEL_KEYS = ("name", "base_url", "temperature", "max_tokens", "param", "concurrency", "timeout")


class RunRequest(msgspec.Struct, kw_only=True, frozen=True):
    """Everything that is in force, after defaults."""

    suite: str
    models: list[ModelSpec]
    judges: list[ModelSpec]
    variants: list[str]
    data: str | None
    limit: int | None
    repeats: int
    seed: int
    settings: dict[str, Any]
    max_cost: float | None
    max_tokens_total: int | None
    prices: Path | None
    ledger: Path
    out: Path

    @property
    def model_is_default(self) -> bool:
        return [model.name for model in self.models] == [DEFAULT_MODEL]


def read_experiment(path: Path) -> dict[str, Any]:
    """The experiment file as it is; `suite` and all names with underscores."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"The experiment file {path} can't be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"The experiment file {path} is not valid TOML: {error}.") from error
    return {name.replace("-", "_"): value for name, value in content.items()}


def make_request(
    suite: Suite,
    given: Mapping[str, Any],
    experiment: Mapping[str, Any],
    where: str,
    *,
    imported: tuple[str, tuple[str, ...]] | None = None,
) -> RunRequest:
    """The request from what the command line (or Python) gave, over the experiment; `where` names that file.

    `imported`: the format and files of replies from elsewhere; no model is asked then.
    """
    options = (*RUN_OPTIONS, *suite.options)
    values = with_defaults(options, _from_experiment(options, experiment, where) | _set(given))
    params = _params(experiment.get("param", {}), f"{where}: ") | _params(values["param"] or [], "--")
    common = {**suite.params, "temperature": values["temperature"]}
    if values["max_tokens"] is not None:
        common["max_tokens"] = values["max_tokens"]
    common |= params

    def specs(entries: Sequence[Any]) -> list[ModelSpec]:
        made = [_spec(entry, common, values, where) for entry in entries]
        names = [spec.name for spec in made]
        if len(set(names)) < len(names):
            raise UserError(f"{max(names, key=names.count)} is named twice: name each model once.")
        return made

    request = RunRequest(
        suite=suite.name,
        models=[] if imported else specs(values["model"] or [DEFAULT_MODEL]),
        judges=specs(values["judge"] or []),
        variants=values["variant"] or [],
        data=values["data"],
        limit=values["limit"],
        repeats=values["repeats"],
        seed=values["seed"],
        settings={option.key: values[option.key] for option in suite.options},
        max_cost=values["max_cost"],
        max_tokens_total=values["max_tokens_total"],
        prices=Path(values["prices"]) if values["prices"] else None,
        ledger=Path(values["ledger"]),
        out=Path(values["out"] or ""),
    )
    if values["out"] is None:
        folder = f"{suite.name.replace(':', '-')}-{_letters(request, suite.options, imported)}"
        request = msgspec.structs.replace(request, out=Path("runs") / folder)
    return request


def _letters(request: RunRequest, suite_options: Sequence[Option], imported: Any) -> str:
    """Eight letters that stand for what is asked for: the same for the same command, whatever its pace or budget."""
    part_of_run = {option.key for option in suite_options if option.part_of_run}

    def identity(spec: ModelSpec) -> list[Any]:
        return [spec.name, spec.base_url, spec.params]

    content = [
        request.suite,
        [identity(spec) for spec in request.models],
        [identity(spec) for spec in request.judges],
        request.variants,
        request.data,
        request.limit,
        request.repeats,
        request.seed,
        {key: value for key, value in request.settings.items() if key in part_of_run},
        imported,
    ]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:8])


def _from_experiment(options: Sequence[Option], experiment: Mapping[str, Any], where: str) -> dict[str, Any]:
    known = {option.key: option for option in options}
    values = {}
    for key, value in experiment.items():
        if key == "suite" or key == "param":
            continue
        if key not in known:
            raise UserError(f"{where}: there is no option {key}{nearest(key, ['suite', *known])}.")
        if key in ("model", "judge"):
            values[key] = value if isinstance(value, list) else [value]
        else:
            values[key] = checked(known[key], value, f"{where}: ")
    return values


def _spec(entry: Any, common: Mapping[str, Any], values: Mapping[str, Any], where: str) -> ModelSpec:
    """A model by its name, or by a table with a name and settings of its own."""
    table = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(table, dict) or not isinstance(table.get("name"), str):
        raise UserError(f"{where}: a model is a name, or a table with a name; {entry!r} is neither.")
    table = {key.replace("-", "_"): value for key, value in table.items()}
    known = {option.key: option for option in RUN_OPTIONS}
    params = dict(common)
    for key, value in table.items():
        if key not in MODEL_KEYS:
            raise UserError(f"{where}: a model has no {key}{nearest(key, MODEL_KEYS)}.")
        if key in ("temperature", "max_tokens"):
            params[key] = checked(known[key], value, f"{where}: {table['name']}: ")
        elif key in ("base_url", "concurrency", "timeout"):
            checked(known[key], value, f"{where}: {table['name']}: ")
    return ModelSpec(
        name=table["name"],
        base_url=table.get("base_url", values["base_url"]),
        params=params | _params(table.get("param", {}), f"{where}: {table['name']}: "),
        concurrency=table.get("concurrency", values["concurrency"]),
        timeout=float(table.get("timeout", values["timeout"])),
    )


def _params(given: Any, where: str) -> dict[str, Any]:
    """Parameters from a table, or from a list of KEY=VALUE whose values are JSON or else text."""
    if isinstance(given, dict):
        return dict(given)
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


def _set(given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value is not None}
