"""From options as data to arguments of the command line, and back to what a command is to do."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from counterfoil.errors import UserError
from counterfoil.suite.options import LINE, RUN_OPTIONS, Option, checked_one

if TYPE_CHECKING:
    from counterfoil.datasets.judged import JudgeSettings
    from counterfoil.suite.suite import AnySuite

# How a model is asked that is no tested model: a judge of a dataset, or who proposes templates.
JUDGE_OPTION_NAMES = ("base-url", "concurrency", "timeout", "max-cost", "prices", "ledger")


class _Arguments(Protocol):
    def add_argument(self, *names: str, **settings: Any) -> Any: ...


def add_options(parser: _Arguments, options: Iterable[Option]) -> None:
    """Declare them. Their defaults are left to the request, so that an experiment file can come in between."""
    for option in options:
        settings: dict[str, Any] = {"help": _help(option), "dest": option.key, "default": None}
        if option.kind is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            metavar = "N" if option.kind is int and option.metavar is None else option.metavar
            settings |= {"metavar": metavar, "type": _converter(option)}
            if option.several:
                settings |= {"action": "extend", "nargs": "+"}
            elif option.repeatable:
                settings["action"] = "append"
            elif option.lines:
                settings["action"] = _Lines
        parser.add_argument(f"--{option.name}", **settings)


class _Lines(argparse.Action):
    """Values that are given again become lines of one text."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, values if before is None else f"{before}{LINE}{values}")


def _help(option: Option) -> str:
    text = option.help.replace("%", "%%")
    if option.choices:
        text += f" ({', '.join(option.choices)})"
    if (option.repeatable and not option.several) or option.lines:
        text += "; can be given again"
    if option.default is not None and option.default is not False:
        text += f" (default: {option.default:g})" if option.kind is float else f" (default: {option.default})"
    return text


def _converter(option: Option) -> Any:
    def convert(text: str) -> Any:
        try:
            value = option.kind(text)
        except ValueError:
            value = text
        try:
            return checked_one(option, value, "")
        except UserError as error:
            raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error

    return convert


def add_actions(parser: argparse.ArgumentParser) -> Callable[[str, str, str], argparse.ArgumentParser]:
    """A function that declares an action, such as `get` of `data get`: its name, what it does, an example."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str, example: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(
            name, help=text, description=text, epilog=f"example: {example}", allow_abbrev=False
        )
        return made

    return action


def given_options(parsed: argparse.Namespace, suite: AnySuite) -> dict[str, Any]:
    """What was parsed of the options of a run and of its suite."""
    known = {option.key for option in (*RUN_OPTIONS, *suite.options)}
    return {key: value for key, value in vars(parsed).items() if key in known}


def judge_settings(name: str | None, values: Mapping[str, Any]) -> JudgeSettings | None:
    """The model of that name, asked as the options say; None where none is named."""
    from counterfoil.asking.models.base import ModelSpec
    from counterfoil.datasets.judged import JudgeSettings

    if name is None:
        return None
    spec = ModelSpec(
        name=name,
        base_url=values["base_url"],
        params={"temperature": 0.0},
        concurrency=values["concurrency"],
        timeout=values["timeout"],
    )
    prices = Path(values["prices"]) if values["prices"] else None
    return JudgeSettings(spec=spec, ledger=Path(values["ledger"]), max_cost=values["max_cost"], prices=prices)
