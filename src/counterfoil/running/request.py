"""What a run is asked to do: the command line over the experiment file over the defaults."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.cluster.seats import ClusterSettings
from counterfoil.asking.models.base import ModelSpec
from counterfoil.errors import UserError
from counterfoil.running.looks.design import Design, design_of
from counterfoil.running.settings import ModelSettings
from counterfoil.stats.estimate import Population
from counterfoil.suite.options import LINE, RUN_OPTIONS, Option, checked, nearest, run_options, with_defaults
from counterfoil.suite.suite import AnySuite, Context

DEFAULT_MODEL = "smollm2"
[_DATA] = run_options("data")


class RunRequest(msgspec.Struct, kw_only=True, frozen=True):
    """What a run is to do, after defaults. The fields that have the name of an option have its value, too."""

    models: list[ModelSpec]
    judges: list[ModelSpec]
    # None or one.
    second_reader: list[ModelSpec]
    second_reader_sample: int
    # What the suite knows of it: the names of judges and variants, and replies from elsewhere.
    context: Context
    # The suite's own options.
    settings: dict[str, Any]
    data: str | None
    encoding: str | None
    strict: bool
    # Whether intervals over prompts are about these (fixed) or about prompts like them (sample).
    prompts_are: str
    population: Population
    limit: int | None
    repeats: int
    seed: int
    max_cost: float | None
    max_tokens_total: int | None
    fresh: bool
    batch: bool
    prices: Path | None
    ledger: Path
    out: Path
    overwrite: bool
    # Eight letters that stand for what is asked for.
    letters: str
    # Whatever of the options may name a file that is read.
    inputs: tuple[str, ...]
    model_is_default: bool
    # None where this process asks.
    cluster: ClusterSettings | None
    # What is to be decided, where not all is to be asked.
    until: Design | None = None

    @property
    def asked(self) -> list[ModelSpec]:
        """All who are asked something."""
        return [*self.models, *self.judges, *self.second_reader]

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
    imported: Context | None = None,
) -> RunRequest:
    """The request from what the command line (or Python) gave, over the experiment; `where` names that file.

    `imported` tells of replies from elsewhere; no model is asked then.
    """
    options = (*RUN_OPTIONS, *suite.options)
    given = {key: value for key, value in given.items() if value is not None}
    _refuse_odd_texts(given)
    for option in options:
        if given.get(option.key) == "" and option.metavar in ("DIR", "FILE", "DATA", "URL"):
            raise UserError(f"--{option.name} is empty: give a value, or leave it out.")
    values = with_defaults(options, _from_experiment(options, experiment, where) | given)
    values["data"] = checked(_DATA, values["data"], "") if values["data"] is not None else None
    if LINE in (values["data"] or "") and not suite.takes_several_files:
        raise UserError(f"{suite.name} takes one dataset: name --data once.")
    settings = ModelSettings(suite, given, experiment, values, where, only_judges=imported is not None)
    models = settings.specs(values["model"] or ([] if imported else [DEFAULT_MODEL]))
    judges = settings.specs(values["judge"] or [], "judge")
    if not values["second_reader"] and "second_reader_sample" in {**experiment, **given}:
        raise UserError("--second-reader-sample is for --second-reader MODEL: name one, or leave it out.")
    second_reader = settings.specs([values["second_reader"]] if values["second_reader"] else [], "second reader")
    variants = values["variant"] or []
    if len(set(variants)) < len(variants):
        raise UserError(f"{max(variants, key=variants.count)} is named twice: name each variant once.")
    context = msgspec.structs.replace(imported or Context(), judges=[judge.name for judge in judges], variants=variants)
    until = design_of(values)
    letters = _letters(suite, models, judges, second_reader, context, values, until)
    folder = f"{suite.name.replace(':', '-')}-{letters}"
    as_given = (
        "data",
        "encoding",
        "strict",
        "prompts_are",
        "second_reader_sample",
        "population",
        "limit",
        "repeats",
        "seed",
        "max_cost",
        "max_tokens_total",
        "fresh",
        "batch",
        "overwrite",
    )
    return RunRequest(
        models=models,
        judges=judges,
        second_reader=second_reader,
        context=context,
        settings={option.key: values[option.key] for option in suite.options},
        **{key: values[key] for key in as_given},
        prices=Path(values["prices"]) if values["prices"] else None,
        ledger=Path(values["ledger"]),
        out=Path(values["out"]) if values["out"] else Path("runs") / folder,
        letters=letters,
        inputs=tuple(_inputs(options, values, [where, *context.files])),
        model_is_default=not values["model"] and not imported,
        cluster=_cluster(values),
        until=until,
    )


def _inputs(options: Sequence[Option], values: Mapping[str, Any], further: Sequence[str]) -> Iterator[str]:
    """Every text that may name a file to read: models have it behind their provider, or among their settings."""
    given = [values[option.key] for option in options if not option.is_target]
    texts = [text for value in given for text in (value if isinstance(value, list) else [value])]
    for text in (*further, *texts):
        name = text.get("name") if isinstance(text, Mapping) else text
        if isinstance(name, str):
            yield from (*name.split(LINE), name.partition("/")[2])
            yield from (part.partition("=")[2] for part in re.split("[?&]", name))


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


def _letters(
    suite: AnySuite,
    models: Sequence[ModelSpec],
    judges: Sequence[ModelSpec],
    second_reader: Sequence[ModelSpec],
    context: Context,
    values: Mapping[str, Any],
    until: Design | None,
) -> str:
    """Eight letters that stand for what is asked for: the same for the same command, whatever its pace or budget."""
    content = [
        suite.name,
        [[spec.name, spec.base_url, spec.params] for spec in models],
        [[spec.name, spec.base_url, spec.params] for spec in judges],
        context.variants,
        *(values[key] for key in ("data", "limit", "repeats", "seed")),
        {option.key: values[option.key] for option in suite.options if option.part_of_run},
        [context.format, context.files] if context.format else None,
    ]
    if context.imported_model is not None:
        content.append(context.imported_model)
    if values["fresh"]:
        content.append("fresh")
    if until is not None:
        content.append(["until", *until.declared])
    size = values["second_reader_sample"]
    content += [["second reader", spec.name, spec.base_url, spec.params, size] for spec in second_reader]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:8])


def _from_experiment(options: Sequence[Option], experiment: Mapping[str, Any], where: str) -> dict[str, Any]:
    known = {option.key: option for option in options}
    values: dict[str, Any] = {}
    for key, value in experiment.items():
        if key in ("suite", "param"):
            continue
        if key not in known:
            raise UserError(f"{where}: there is no option {key}{nearest(key, ['suite', *known])}.")
        if key in ("model", "judge"):
            values[key] = value if isinstance(value, list) else [value]
        elif key == "second_reader":
            values[key] = value  # a name or a table, as a judge
        else:
            values[key] = checked(known[key], value, f"{where}: ")
        if key in ("data", "prices"):
            values[key] = LINE.join(_found(name, Path(where).parent) for name in values[key].split(LINE))
    return values


def _found(name: str, folder: Path) -> str:
    """A file that the experiment names: from the working folder, as on the command line, or beside the experiment."""
    return str(folder / name) if not Path(name).exists() and (folder / name).exists() else name


def _refuse_odd_texts(given: Any) -> None:
    """Refuse texts that can't be written to a file or a database."""
    for text in (*given, *given.values()) if isinstance(given, Mapping) else given:
        if isinstance(text, str) and ("\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)):
            raise UserError(f"{text!r} holds characters that are no text: write it otherwise.")
        if isinstance(text, list | Mapping):
            _refuse_odd_texts(text)
