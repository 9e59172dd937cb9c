"""From an option as data to an argument of the command line."""

from __future__ import annotations

import argparse
from typing import Any, Protocol

from counterfoil.errors import UserError
from counterfoil.suite.options import Option, checked_one


class _Arguments(Protocol):
    def add_argument(self, *names: str, **settings: Any) -> Any: ...


def add_option(parser: _Arguments, option: Option) -> None:
    """Declare it. Its default is left to the request, so that an experiment file can come in between."""
    settings: dict[str, Any] = {"help": _help(option), "dest": option.key, "default": None}
    if option.kind is bool:
        settings["action"] = argparse.BooleanOptionalAction
    else:
        settings |= {"metavar": option.metavar, "type": _converter(option)}
        if option.several:
            settings |= {"action": "extend", "nargs": "+"}
        elif option.repeatable:
            settings["action"] = "append"
    parser.add_argument(f"--{option.name}", **settings)


def _help(option: Option) -> str:
    text = option.help.replace("%", "%%")
    if option.choices:
        text += f" ({', '.join(option.choices)})"
    if option.repeatable and not option.several:
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
