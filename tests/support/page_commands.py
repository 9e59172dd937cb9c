"""Runs what a page shows behind a `$`, as far as a test can.

`counterfoil` runs in this process. What is here takes the place of datasets that would have to be fetched, and without
`--limit` a run asks six questions. What would not end, fetch something, take minutes or need other machines is only
parsed. Of other programs, those that are part of every system or of the extras run, and the rest is looked up: `make`
in the Makefile, extras of `pip install` in pyproject.toml, modules of `python -m` and examples among the files.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from counterfoil.cli.main import main
from pages import ROOT

TEMPLATES = ROOT / "tests" / "memorization" / "annuity.toml"
# Datasets that a reader has fetched, and what is here in their place.
FETCHED = {"plausibleqa": "english", "kobbq": "korean", "bbq": "english", "cfa-easy": str(TEMPLATES)}
NAMES_DATA = ("--data", "curate", "check explain", "perturb --from")
QUESTIONS = 6
# Commands that are parsed and not run, by how they begin, with the reason.
PARSED_ONLY = {
    "counterfoil serve": "it would not end",
    "counterfoil selftest": "it takes minutes",
    "counterfoil models get": "it fetches weights",
    "counterfoil data get": "it fetches data",
    "counterfoil data perturb --from cfa_challenge.json": "the questions are the reader's",
    "counterfoil data perturb --from cfa-easy --data": "the questions are the reader's",
    "counterfoil data curate --out curated --freeze": "people decide before",
    "counterfoil run explain --data curated/": "people decide what is in it",
    "counterfoil run bias --model hf/weights.Q4_1.gguf": "unpacking takes half a minute; test_hf.py has it",
    "inspect view": "it would not end",
    "pip install": "it fetches packages",
    "python examples/": "it needs TRL",
    "ray start": "it is for machines of a cluster",
}
SHELL = ("cat", "inspect", sys.executable)


class CommandFailed(AssertionError):
    """A command of a page does not do what the page says."""


def run_command(text: str) -> None:
    """Run it here, or see whether it could be."""
    program, *arguments = shlex.split(text, comments=True)
    only_parse = any(text.startswith(begin) for begin in PARSED_ONLY)
    ways: dict[str, Callable[[list[str]], None]] = {
        "make": _make,
        "pip": _pip,
        "python": _python,
        "export": _export,
        "sqlite3": _sqlite,
    }
    if program == "counterfoil":
        _counterfoil(arguments, only_parse)
    elif program in ways:
        ways[program](arguments)
    elif program in SHELL:
        _shell(text, only_parse)
    elif not only_parse:
        raise CommandFailed(f"{program} is no program that a page can name")


def _counterfoil(arguments: list[str], only_parse: bool) -> None:
    module = importlib.import_module(f"counterfoil.cli.{arguments[0].replace('-', '_')}")
    if only_parse:
        with patch.object(module, "call", lambda parsed: 0):
            code = main(arguments)
    else:
        code = main(_with_what_ships(arguments))
    if code:
        raise CommandFailed(f"counterfoil {shlex.join(arguments)} ends with exit code {code}")


def _with_what_ships(arguments: list[str]) -> list[str]:
    line = arguments[:1]
    for argument in arguments[1:]:
        names_data = " ".join(line).endswith(NAMES_DATA)
        line.append(FETCHED.get(argument, argument) if names_data else argument)
    is_planted = any(it.startswith("planted/") for it in line)
    is_long = line[0] == "run" and not is_planted and not {"--limit", "--experiment", "--dry-run"} & set(line)
    return [*line, "--limit", str(QUESTIONS)] if is_long else line


def _make(arguments: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in arguments:
        if not re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE):
            raise CommandFailed(f"the Makefile has no {target}")


def _pip(arguments: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for argument in arguments:
        own = re.fullmatch(r"(?:\.|counterfoil)\[([\w,-]+)\]", argument)
        for extra in own[1].split(",") if own else ():
            if extra not in project["optional-dependencies"]:
                raise CommandFailed(f"there is no extra {extra}")


def _python(arguments: list[str]) -> None:
    if arguments[0].startswith("examples/"):
        _found(ROOT / arguments[0])
    elif arguments[:1] == ["-m"] and arguments[1].startswith("benchmarks"):
        path = ROOT / arguments[1].replace(".", "/")
        _found(path / "__main__.py" if path.is_dir() else path.with_suffix(".py"))
    else:
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def _found(path: Path) -> None:
    if not path.is_file():
        raise CommandFailed(f"there is no {path.relative_to(ROOT)}")
    compile(path.read_text(encoding="utf-8"), path, "exec")


def _shell(text: str, only_parse: bool) -> None:
    """With the programs of this environment."""
    if only_parse:
        return
    programs = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(text, shell=True, env=os.environ | {"PATH": programs}, capture_output=True, text=True)
    print(done.stdout, end="")
    if done.returncode:
        raise CommandFailed(f"{text} ends with exit code {done.returncode}: {done.stdout[-999:]}{done.stderr[-999:]}")


def _export(arguments: list[str]) -> None:
    name, _, value = arguments[0].partition("=")
    os.environ[name] = value


def _sqlite(arguments: list[str]) -> None:
    path, statement = arguments
    if not Path(path).is_file():
        raise CommandFailed(f"there is no {path}")
    connection = sqlite3.connect(path)
    connection.execute(statement).fetchall()
    connection.close()
