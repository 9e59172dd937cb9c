"""What a run is asked to do: the command line over the experiment file over the defaults."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.cluster.seats import ClusterSettings
from counterfoil.asking.models.base import ModelSpec
from counterfoil.errors import UserError
from counterfoil.running.settings import ModelSettings
from counterfoil.suite.options import RUN_OPTIONS, Option, checked, nearest, with_defaults
from counterfoil.suite.suite import AnySuite

DEFAULT_MODEL = "smollm2"


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
    model_is_default: bool = False
    # The format of imported replies; None where models are asked.
    format: str | None = None
    # The model of imported replies, where their files do not name it.
    imported_model: str | None = None
    files: tuple[str, ...] = ()
    batch: bool = False
    # None where this process asks.
    cluster: ClusterSettings | None = None

    @property
    def in_waves(self) -> bool:
        """Whether asks are posted and their replies fetched later."""
        return self.batch or self.cluster is not None


def read_experiment(path: Path) -> dict[str, Any]:
    """The experiment file as it is; `suite` and all names with underscores."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"The experiment file {path} can't be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"The experiment file {path} is not valid TOML: {error}.") from error
    return {name.replace("-", "_"): value for name, value in content.items()}


def make_request(
    suite: AnySuite,
    given: Mapping[str, Any],
    experiment: Mapping[str, Any],
    where: str,
    *,
    imported: tuple[str, tuple[str, ...]] | None = None,
    imported_model: str | None = None,
) -> RunRequest:
    """The request from what the command line (or Python) gave, over the experiment; `where` names that file.

    `imported`: the format and files of replies from elsewhere; no model is asked then. `imported_model` is their name.
    """
    options = (*RUN_OPTIONS, *suite.options)
    given = {key: value for key, value in given.items() if value is not None}
    _refuse_odd_texts(given)
    values = with_defaults(options, _from_experiment(options, experiment, where) | given)
    settings = ModelSettings(suite, given, experiment, values, where)
    named = values["model"] or ([] if imported else [DEFAULT_MODEL])
    request = RunRequest(
        suite=suite.name,
        models=settings.specs(named),
        judges=settings.specs(values["judge"] or [], judges=True),
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
        model_is_default=not values["model"] and not imported,
        format=imported[0] if imported else None,
        imported_model=imported_model,
        files=imported[1] if imported else (),
        batch=values["batch"],
        cluster=_cluster(values),
    )
    if len(set(request.variants)) < len(request.variants):
        raise UserError(f"{max(request.variants, key=request.variants.count)} is named twice: name each variant once.")
    if not values["out"]:
        folder = f"{suite.name.replace(':', '-')}-{_letters(request, suite.options, imported)}"
        request = msgspec.structs.replace(request, out=Path("runs") / folder)
    return request


def nothing_sent(request: RunRequest) -> RunRequest:
    """The same for a dry run, which needs no keys."""

    def dry(specs: Sequence[ModelSpec]) -> list[ModelSpec]:
        return [msgspec.structs.replace(spec, dry=True) for spec in specs]

    return msgspec.structs.replace(request, models=dry(request.models), judges=dry(request.judges))


def _cluster(values: Mapping[str, Any]) -> ClusterSettings | None:
    """The settings of the cluster; None where this process asks."""
    given = {key: values[key] for key in ClusterSettings.__struct_fields__}
    if values["engine"] == "ray":
        if values["batch"]:
            raise UserError("--batch and --engine ray are two ways of asking: choose one.")
        return ClusterSettings(**given)
    for key, value in given.items():
        if value is not None:
            raise UserError(f"--{key.replace('_', '-')} is for --engine ray: add that, or leave it out.")
    return None


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
    if request.imported_model is not None:
        content.append(request.imported_model)
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


def _refuse_odd_texts(given: Any) -> None:
    """Refuse texts that can't be written to a file or a database."""
    for text in given.values() if isinstance(given, Mapping) else given:
        if isinstance(text, str) and ("\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)):
            raise UserError(f"{text!r} holds characters that are no text: write it otherwise.")
        if isinstance(text, list):
            _refuse_odd_texts(text)
