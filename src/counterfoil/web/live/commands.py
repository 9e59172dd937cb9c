"""Command lines of runs: how they are shown, and which of them the site carries out itself.

What somebody sends, or what lies in a folder, must not make this machine run code, read files from elsewhere, or send a
key to another server. So only options with harmless values are carried out; all else is for the terminal.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.suite.options import RUN_OPTIONS, Option
from counterfoil.suite.suite import AnySuite

# Models behind their makers' own addresses or a server on this machine, the small one in this process, and simulated
# ones. Others read files, which may hold code.
PROVIDERS = ("openai", "anthropic", "azure", "openrouter", "together", "clova", "ollama", "vllm")
_MODEL = re.compile(rf"smollm2|(?:{'|'.join(PROVIDERS)})/[\w.:/@+-]+|planted/\w+(?:\?[\w.=&-]*)?")
# A dataset's name: no path, and nothing that begins like an option.
_NAME = re.compile(r"\w[\w.-]*")
_PLACES = ("DIR", "FILE", "DATA", "URL", "ADDRESS", "KEY=VALUE")
NOT_HERE = (
    *("base-url", "param", "judge-param", "prices", "engine", "address", "workers", "worker-cores", "shards"),
    *("overwrite", "encoding", "batch"),
)
_MODELS = ("model", "judge", "second-reader")


class Words(NamedTuple):
    """A command in parts: its suite, and the options with their values, None for those that have none."""

    suite: str
    options: list[tuple[str, str | None]]

    def line(self, **more: str) -> list[str]:
        """The words behind `counterfoil`."""
        given = [f"--{name}" if value is None else f"--{name}={value}" for name, value in self.options]
        return ["run", self.suite, *given, *(f"--{name}={value}" for name, value in more.items())]

    def without(self, *names: str) -> Words:
        return Words(self.suite, [pair for pair in self.options if pair[0] not in names])

    def value(self, name: str) -> str | None:
        return next((value for key, value in self.options if key == name), None)


def command_line(words: Sequence[str] | None) -> str | None:
    """The command as one would type it; None where there was none."""
    return None if words is None else shlex.join(["counterfoil", *words])


def options_of(suite: AnySuite) -> dict[str, Option]:
    """The options that a run of the suite may be given here, by their names."""
    own = [option for option in suite.options if not option.is_target and option.metavar not in _PLACES]
    return {option.name: option for option in (*RUN_OPTIONS, *own) if option.name not in NOT_HERE}


def words_of(command: Sequence[str], suites: Mapping[str, AnySuite]) -> Words:
    """The parts of a command line that began a run; UserError where it is not one that the site carries out."""
    rest = list(command[1:])
    name = next((word for word in rest if word in suites), None)
    if not command or command[0] != "run" or name is None:
        raise UserError("Only the runs of installed suites are gone on with here: copy the command into a terminal.")
    rest.remove(name)
    words = Words(name, list(_pairs(rest, options_of(suites[name]))))
    check(words, suites)
    return words


def _pairs(words: list[str], options: Mapping[str, Option]) -> Iterator[tuple[str, str | None]]:
    while words:
        word = words.pop(0)
        name, has_value, value = word.removeprefix("--").partition("=")
        option = options.get(name) or options.get(name.removeprefix("no-"))
        if not word.startswith("--") or option is None:
            raise UserError(f"{word[:80]} is nothing that the site does itself: copy the command into a terminal.")
        if option.kind is bool:
            yield name, None
        elif has_value:
            yield name, value
        else:
            values = [words.pop(0)] if words else []
            while option.several and words and not words[0].startswith("--"):
                values.append(words.pop(0))
            if not values:
                raise UserError(f"--{name} has no value.")
            yield from ((name, each) for each in values)


def check(words: Words, suites: Mapping[str, AnySuite]) -> None:
    """Refuse what the site does not carry out."""
    suite = suites[words.suite]
    known = options_of(suite)
    for name, value in words.options:
        option = known.get(name) or known.get(name.removeprefix("no-"))
        if option is None:
            raise UserError(f"--{name} can't be given here: run the command in a terminal.")
        if value is None:
            continue
        if name in _MODELS and not _may_be_asked(value, suites):
            raise UserError(
                f"{value[:80]!r} can't be asked from here: name a model of {', '.join(PROVIDERS)}, smollm2 or planted, "
                "or run the command in a terminal."
            )
        if name == "variant" and value not in suite.variant_names:
            raise UserError(f"{suite.name} has no prompt {value[:80]!r}: it has {', '.join(suite.variant_names)}.")
        if name == "data" and not _NAME.fullmatch(value):
            raise UserError(f"{value[:80]!r} is no dataset's name: files are named in a terminal.")
        if option.kind in (int, float):
            _number(option, value)


def _may_be_asked(name: str, suites: Mapping[str, AnySuite]) -> bool:
    if not _MODEL.fullmatch(name):
        return False
    provider, _, rest = name.partition("/")
    return provider != "planted" or rest.partition("?")[0] in suites


def _number(option: Option, value: str) -> None:
    try:
        option.kind(value)
    except ValueError as error:
        raise UserError(f"--{option.name} is a number, and {value[:40]!r} is none.") from error
