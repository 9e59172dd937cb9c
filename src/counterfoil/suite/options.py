"""Options as data: declared once, for the command line, the experiment file and the manifest."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from counterfoil.errors import UserError


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `part_of_run` is for a suite's own: two runs that differ in it are different runs, and go to
    different folders.
    """

    name: str
    help: str
    _: KW_ONLY
    kind: type = str
    default: Any = None
    repeatable: bool = False
    # Of those that can be given again: the values may also stand behind one name, as in --levels 1 2.
    several: bool = False
    # Of those that hold one text: given again, their values are lines of it.
    lines: bool = False
    # How the help names the value. A number is N where nothing else is said.
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    part_of_run: bool = True
    # It names a file or folder that is written, and not one that is read.
    is_target: bool = False

    @property
    def key(self) -> str:
        """The name as Python and the manifest write it."""
        return self.name.replace("-", "_")


# The suites of this package, found without a look at what else is installed.
BUILT_IN: dict[str, str] = {
    "explain": "counterfoil.explain.suite:suite",
    "bias": "counterfoil.bias.suite:suite",
    "memorization": "counterfoil.memorization.suite:suite",
}
# What stands between the values of an option that is given again and holds one text.
LINE = "\n"
DEFAULT_LEDGER = ".counterfoil/ledger.sqlite"
OVERWRITE = Option(
    "overwrite",
    "write over files that counterfoil did not write there for the same purpose; never over one that is read",
    kind=bool,
    default=False,
)

RUN_OPTIONS = (
    Option("model", "a model to ask (`counterfoil models` lists the names)", repeatable=True, metavar="NAME"),
    Option("judge", "a model that judges the replies", repeatable=True, metavar="NAME"),
    Option("judge-max-tokens", "tokens a judge's reply may have (default: 4096)", kind=int, least=1),
    Option(
        "judge-param", "another parameter of the judges; VALUE is JSON or text", repeatable=True, metavar="KEY=VALUE"
    ),
    Option(
        "second-reader",
        "a model that reads a sample of the replies anew, blind to what the rules have read",
        metavar="NAME",
    ),
    Option(
        "second-reader-sample",
        "about how many replies the second reader reads",
        kind=int,
        least=1,
        default=200,
    ),
    Option("variant", "a wording to ask in: a name or a file", repeatable=True, metavar="NAME"),
    Option("data", "a dataset's name, a file or a folder", lines=True, metavar="DATA"),
    Option("encoding", "the encoding of text files that are neither UTF-8 nor UTF-16, as cp949", metavar="NAME"),
    Option(
        "strict",
        "refuse a file with a bad row; without it, such rows are left out, counted and named",
        kind=bool,
        default=False,
    ),
    Option(
        "population",
        "of whom intervals speak: of new questions of this kind, or of these questions alone, of which more is known",
        choices=("new", "these"),
        default="new",
    ),
    Option("limit", "ask a stratified, seeded sample of N questions", kind=int, least=1),
    Option(
        "until",
        "ask until it is decided, and no more: 'METRIC ± 0.03', 'METRIC > 0.9', or 'compare METRIC'",
        repeatable=True,
        metavar="CONDITION",
    ),
    Option(
        "looks",
        "with --until: the fractions of the clusters at which it is looked (default: 1/16 1/8 1/4 1/2 3/4 1)",
        repeatable=True,
        several=True,
        metavar="FRACTION",
    ),
    Option(
        "margin",
        "with --until 'compare METRIC': models that differ by less are equal",
        kind=float,
        least=1e-9,
        metavar="M",
    ),
    Option(
        "futility",
        "with --until: give up what all clusters would decide with a smaller chance; 0: never (default: 0.1)",
        kind=float,
        least=0,
        most=0.5,
        metavar="P",
    ),
    Option(
        "prompts-are",
        "whether intervals over several prompts are about these prompts, or about all that could have been written",
        choices=("fixed", "sample"),
        default="fixed",
    ),
    Option("repeats", "ask each question N times", kind=int, least=1, default=1),
    Option("temperature", "sampling temperature", kind=float, least=0, default=0.0, metavar="T"),
    Option("max-tokens", "tokens a reply may have", kind=int, least=1),
    Option(
        "reasoning-effort",
        "how much a model that thinks is to think",
        choices=("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    ),
    Option("param", "another parameter of the model; VALUE is JSON or text", repeatable=True, metavar="KEY=VALUE"),
    Option("base-url", "address of an OpenAI-compatible server, as http://localhost:8000/v1", metavar="URL"),
    Option("seed", "seed of the sample of questions", kind=int, least=0, default=0),
    Option("concurrency", "asks in flight per model (default: as many as it takes)", kind=int, least=1),
    Option("timeout", "time limit of one attempt", kind=float, least=0.001, default=120.0, metavar="SECONDS"),
    Option("max-cost", "stop asking when the run has cost this much", kind=float, least=0, metavar="DOLLARS"),
    Option("max-tokens-total", "stop asking when the run has used so many tokens", kind=int, least=0),
    Option("prices", "a TOML file of prices that go before the known ones", metavar="FILE"),
    Option("out", "the run folder (default: runs/SUITE-… by what is asked)", metavar="DIR", is_target=True),
    OVERWRITE,
    Option("ledger", "where every reply is kept", default=DEFAULT_LEDGER, metavar="FILE"),
    Option(
        "fresh",
        "ask everything again, as if the ledger held no reply; the new replies are kept beside the old ones",
        kind=bool,
        default=False,
    ),
    Option(
        "batch",
        "ask through the batch interface of OpenAI or Anthropic: half the price, up to a day",
        kind=bool,
        default=False,
    ),
    Option(
        "engine", "who asks: this process, or the workers of a Ray cluster", default="local", choices=("local", "ray")
    ),
    Option(
        "address",
        "with --engine ray: the cluster (default: the one this machine is part of, or a new one on it)",
        metavar="ADDRESS",
    ),
    Option(
        "workers",
        "with --engine ray: workers for each model (default: one per node, or GPU, or --worker-cores)",
        kind=int,
        least=1,
    ),
    Option("worker-cores", "with --engine ray: cores of each worker that runs a model itself", kind=int, least=1),
    Option(
        "shards",
        "with --engine ray: workers keep replies as Parquet there (a path that all see, or an fsspec address)",
        metavar="DIR",
    ),
)


# Nobody is asked but judges where replies come from elsewhere, so what says whom to ask what, and how, has no place.
NOT_TO_SCORE = (
    *("model", "limit", "repeats", "temperature", "max-tokens", "param", "seed"),
    *("until", "looks", "margin", "futility"),
)


def run_options(*names: str) -> tuple[Option, ...]:
    """The options of these names, for commands that take some of those of a run."""
    return tuple(option for option in RUN_OPTIONS if option.name in names)


def checked(option: Option, value: Any, where: str) -> Any:
    """A value from a file or from Python, as the option wants it; `where` begins the sentence if it is wrong."""
    if option.lines and isinstance(value, list | tuple):
        return LINE.join(checked_one(option, inner, where) for inner in value)
    if not option.repeatable:
        return checked_one(option, value, where)
    if isinstance(value, Mapping) and option.metavar == "KEY=VALUE":
        value = [f"{key}={json.dumps(inner)}" for key, inner in value.items()]
    values = list(value) if isinstance(value, list | tuple) else [value]
    if not values:
        raise UserError(f"{where}{option.name} is empty: name at least one, or leave it out.")
    return [checked_one(option, inner, where) for inner in values]


def checked_one(option: Option, value: Any, where: str) -> Any:
    """The same for one value of an option that can be given again."""
    if option.kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    wanted = _unmet(option, value)
    if wanted is not None:
        raise UserError(f"{where}{option.name} must be {wanted}, and is {value!r}.")
    return value


def _unmet(option: Option, value: Any) -> str | None:
    """What the value must be and is not."""
    is_right_kind = isinstance(value, option.kind) and (option.kind is bool or not isinstance(value, bool))
    if not is_right_kind or (isinstance(value, float) and not math.isfinite(value)):
        return {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}[option.kind]
    if option.least is not None and not value >= option.least:
        return f"at least {option.least:g}"
    if option.most is not None and not value <= option.most:
        return f"at most {option.most:g}"
    return f"one of {', '.join(option.choices)}" if option.choices and value not in option.choices else None


def with_defaults(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options by key: what was given, else the default."""
    return {
        option.key: given[option.key] if given.get(option.key) is not None else option.default for option in options
    }


def nearest(name: str, known: Iterable[str]) -> str:
    """ ", did you mean …" for a name that is not known, or nothing if none is near."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
