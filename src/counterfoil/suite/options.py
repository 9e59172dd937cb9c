"""Options as data: declared once, for the command line, the experiment file and the manifest."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option. `part_of_run`: two runs that differ in it are different runs, and go to different folders."""

    name: str
    help: str
    kind: type = str
    default: Any = None
    repeatable: bool = False
    # Of those that can be given again: the values may also stand behind one name, as in --levels 1 2.
    several: bool = False
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    part_of_run: bool = True

    @property
    def key(self) -> str:
        """The name as Python and the manifest write it."""
        return self.name.replace("-", "_")


DEFAULT_LEDGER = ".counterfoil/ledger.sqlite"

RUN_OPTIONS = (
    Option(name="model", repeatable=True, metavar="NAME", help="a model to ask (`counterfoil models` lists the names)"),
    Option(name="judge", repeatable=True, metavar="NAME", help="a model that judges the replies"),
    Option(name="variant", repeatable=True, metavar="NAME", help="a wording to ask in: a name or a file"),
    Option(name="data", metavar="DATA", help="a dataset's name or a file"),
    Option(name="limit", kind=int, least=1, metavar="N", help="ask a stratified, seeded sample of N questions"),
    Option(name="repeats", kind=int, least=1, default=1, metavar="N", help="ask each question N times"),
    Option(name="temperature", kind=float, least=0, default=0.0, metavar="T", help="sampling temperature"),
    Option(name="max-tokens", kind=int, least=1, metavar="N", help="tokens a reply may have"),
    Option(
        name="param", repeatable=True, metavar="KEY=VALUE", help="another parameter of the model; VALUE is JSON or text"
    ),
    Option(name="base-url", metavar="URL", help="address of an OpenAI-compatible server, as http://localhost:8000/v1"),
    Option(name="seed", kind=int, least=0, default=0, metavar="N", help="seed of the sample of questions"),
    Option(
        name="concurrency",
        kind=int,
        least=1,
        metavar="N",
        part_of_run=False,
        help="asks in flight per model (default: as many as it takes)",
    ),
    Option(
        name="timeout",
        kind=float,
        least=0.001,
        default=120.0,
        metavar="SECONDS",
        part_of_run=False,
        help="time limit of one attempt",
    ),
    Option(
        name="max-cost",
        kind=float,
        least=0,
        metavar="DOLLARS",
        part_of_run=False,
        help="stop asking when the run has cost this much",
    ),
    Option(
        name="max-tokens-total",
        kind=int,
        least=0,
        metavar="N",
        part_of_run=False,
        help="stop asking when the run has used so many tokens",
    ),
    Option(
        name="prices", metavar="FILE", part_of_run=False, help="a TOML file of prices that go before the known ones"
    ),
    Option(
        name="out", metavar="DIR", part_of_run=False, help="the run folder (default: runs/SUITE-… by what is asked)"
    ),
    Option(
        name="ledger",
        default=DEFAULT_LEDGER,
        metavar="FILE",
        part_of_run=False,
        help="where every reply is kept",
    ),
    Option(
        name="batch",
        kind=bool,
        default=False,
        part_of_run=False,
        help="ask through the batch interface of OpenAI or Anthropic: half the price, up to a day",
    ),
    Option(
        name="engine",
        default="local",
        choices=("local", "ray"),
        part_of_run=False,
        help="who asks: this process, or the workers of a Ray cluster",
    ),
    Option(
        name="address",
        metavar="ADDRESS",
        part_of_run=False,
        help="with --engine ray: the cluster (default: the one this machine is part of, or a new one on it)",
    ),
    Option(
        name="workers",
        kind=int,
        least=1,
        metavar="N",
        part_of_run=False,
        help="with --engine ray: workers for each model (default: one per node, or GPU, or --worker-cores)",
    ),
    Option(
        name="worker-cores",
        kind=int,
        least=1,
        metavar="N",
        part_of_run=False,
        help="with --engine ray: cores of each worker that runs a model itself",
    ),
    Option(
        name="shards",
        metavar="DIR",
        part_of_run=False,
        help="with --engine ray: workers keep replies as Parquet there (a path that all see, or an fsspec address)",
    ),
)


def checked(option: Option, value: Any, where: str) -> Any:
    """A value from a file or from Python, as the option wants it; `where` begins the sentence if it is wrong."""
    if option.repeatable and isinstance(value, list):
        return [checked_one(option, inner, where) for inner in value]
    if option.repeatable:
        return [checked_one(option, value, where)]
    return checked_one(option, value, where)


def checked_one(option: Option, value: Any, where: str) -> Any:
    """The same for one value of an option that can be given again."""
    if option.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    right_kind: bool = isinstance(value, option.kind) and (option.kind is bool or not isinstance(value, bool))
    if not right_kind:
        words = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
        raise UserError(f"{where}{option.name} must be {words[option.kind]}, and is {value!r}.")
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{where}{option.name} must be a number, and is {value}.")
    if option.least is not None and not value >= option.least:
        raise UserError(f"{where}{option.name} must be at least {option.least:g}, and is {value}.")
    if option.most is not None and not value <= option.most:
        raise UserError(f"{where}{option.name} must be at most {option.most:g}, and is {value}.")
    if option.choices and value not in option.choices:
        raise UserError(f"{where}{option.name} must be one of {', '.join(option.choices)}, and is {value!r}.")
    return value


def with_defaults(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options by key: what was given, else the default."""
    return {
        option.key: given[option.key] if given.get(option.key) is not None else option.default for option in options
    }


def nearest(name: str, known: Iterable[str]) -> str:
    """ ", did you mean …" for a name that is not known, or nothing if none is near."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
