"""The command line. A command's own module is loaded when the command is called, and not before."""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

from counterfoil import __version__
from counterfoil.console import printable, shown_name
from counterfoil.errors import UserError

COMMANDS = {
    "run": "ask models, read and score their replies, estimate; writes a run folder",
    "score": "read, judge and score replies that were made elsewhere",
    "show": "the summary of a run, in the terminal",
    "report": "one HTML page on one or more runs: results in words, tables, plots, records",
    "compare": "two runs, models or variants against each other: paired, with tests",
    "plan": "how many questions a difference takes, and what they cost",
    "selftest": "plant a truth, run the whole pipeline, report bias and coverage of every estimate",
    "rate": "human rating studies: draw a sample of a run's replies for people to rate; what they found",
    "judge": "a judge held against people: has it drifted?",
    "serve": "the local web site: look at runs and records, compare, rate, review",
    "export": "a run as tables, for other tools, or as training data",
    "models": "which model names can be used, and what each still needs",
    "ledger": "look into the ledger, check, export, import or prune it",
    "data": "list, fetch, check and curate datasets",
    "lm-eval-path": "the folder with the task files for lm-eval's --include_path",
}

# Objects that are made before the collector looks at the new ones; then how often at older ones.
COLLECTED_AFTER = 20_000, 20, 20

# Where a command's module is, if not by its name.
PLACES = {"rate": "people.rate", "judge": "people.judge"}
EXAMPLE = "counterfoil run explain --model openai/gpt-4o --limit 100"
_WRONG_CHOICE = re.compile(r"argument (\w+): invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence. Every command takes --verbose, which `main` looks for by itself."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.add_argument(
            "--verbose",
            action="store_true",
            default=argparse.SUPPRESS,
            help="show requests, retries, waits, files and tracebacks on standard error; keys are masked",
        )

    def error(self, message: str) -> NoReturn:
        if wrong := _WRONG_CHOICE.fullmatch(message):
            what, name, there = wrong.group(1).lower(), wrong.group(2), re.findall(r"[\w-]+", wrong.group(3))
            raise UserError(f"There is no {what} {name}{_nearest(name, there)}: there are {', '.join(there)}.")
        raise UserError(f"{message[:1].upper()}{message[1:].rstrip('.')}. See {self.prog} --help.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; gives the exit code: 0 done, 1 finished with questions left out, 2 wrong use or bad input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # What a command makes mostly stays until its end: to look through it as often as usual takes 3 % of the time.
    gc.set_threshold(*COLLECTED_AFTER)
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows no Korean gets it spelled out
    try:
        _refuse_odd_names(arguments)
        code = _logged(arguments)
        sys.stdout.flush()
    except UserError as error:
        print(f"counterfoil: {printable(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Who reads our output has seen enough; keep Python from complaining when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # What is printed goes to no file of a name.
        what = "the output can't be written" if error.filename is None else f"{error.filename} can't be used"
        print(f"counterfoil: {printable(f'{what}: {error.strerror or error}')}.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        return 130
    return code


def _refuse_odd_names(arguments: Sequence[str]) -> None:
    """Refuse names in bytes that are no text here: nothing that writes them to a file could."""
    for argument in arguments:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise UserError(
                f"{shown_name(argument)} is a name in other bytes than UTF-8: rename the file or folder, as with "
                "convmv -f cp949 -t utf8 --notest, or write the text in UTF-8."
            )


def _replace_closed_streams() -> None:
    """Where the shell has closed one (>&-), what goes there is dropped, and no other file takes its number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8", closefd=False))


def _logged(arguments: list[str]) -> int:
    """The command, with what it does shown line by line where the user wants that."""
    if "--verbose" not in arguments and not os.environ.get("COUNTERFOIL_LOG"):
        return _main(arguments)
    from counterfoil.log import shown

    with shown():
        return _main(arguments[1:] if arguments[0] == "--verbose" else arguments)


def _main(arguments: list[str]) -> int:
    parser = Parser(
        prog="counterfoil",
        description="Tests language models' question answering against counterfactuals.",
        epilog=f"{_suites(arguments)}example: {EXAMPLE}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"counterfoil {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if arguments[:1] == [name]:
            module = importlib.import_module(f"counterfoil.cli.commands.{PLACES.get(name, name.replace('-', '_'))}")
            command.epilog = f"example: {module.EXAMPLE}"
            module.configure(command, arguments[1:])
            command.set_defaults(call=module.call)
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = sorted(set(_option_names(commands.choices[parsed.command])))
        meant = "".join(_nearest(name, known) for name in unknown[:1] if name.startswith("-"))
        raise UserError(f"Unrecognized arguments: {' '.join(unknown)}{meant}. See counterfoil {parsed.command} --help.")
    code: int = parsed.call(parsed)
    return code


def _suites(arguments: Sequence[str]) -> str:
    """What can be tested, for who asks for help."""
    if arguments[:1] not in ([], ["-h"], ["--help"]):
        return ""
    from counterfoil.suite.options import BUILT_IN

    return (
        f"suites: {', '.join(BUILT_IN)}\n"
        "counterfoil run SUITE --help shows its options and variants, counterfoil models the names of models,\n"
        "counterfoil data list the datasets.\n\n"
    )


def _option_names(parser: argparse.ArgumentParser) -> Iterator[str]:
    """All options of a command and of its actions."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _option_names(inner)


def _nearest(name: str, known: Iterable[str]) -> str:
    from counterfoil.suite.options import nearest

    return nearest(name.partition("=")[0], known)
