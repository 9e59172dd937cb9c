"""Runs what a page shows behind a `$`.

`counterfoil` runs in this process; of other programs, those that are part of every system or of this environment run.
What would not end is started, looked at and stopped (`page_servers.py`). So that it ends soon, a run asks six questions
where it does not say how many, and a self-test has few trials. What only the reader has is here in a small form:
files (`page_files.py`), datasets, what people decide. `pip install` must find everything in this environment, since no
test needs a network. `make test` is what runs this, so make only says what it would do.
"""

from __future__ import annotations

import csv
import os
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from counterfoil.cli.main import main
from counterfoil.datasets.registry import registered
from page_servers import look_at_site, look_at_viewer, start_node
from pages import ROOT

TEMPLATES = ROOT / "tests" / "perturbing" / "annuity.toml"
# Datasets that the reader has fetched, where the page does not: their names in the registry, and what is here instead.
FETCHED = {
    "plausibleqa": ("plausibleqa", "english"),
    "kobbq": ("kobbq", "korean"),
    "bbq": ("bbq", "english"),
    "cfa-easy": ("cfa", str(TEMPLATES)),
}
NAMES_DATA = ("--data", "curate", "check explain", "perturb --from")
QUESTIONS = 6
TRIALS = "20"
SHELL = ("cat", "inspect", sys.executable)


class CommandFailed(AssertionError):
    """A command of a page does not do what the page says."""


def run_command(text: str, until: ExitStack) -> None:
    """Run it here. `until`: the end of the page, which ends what it has started."""
    program, *arguments = shlex.split(text, comments=True)
    ways: dict[str, Callable[[list[str]], None]] = {
        "counterfoil": _counterfoil,
        "make": _make,
        "pip": _pip,
        "python": _python,
        "export": _export,
        "sqlite3": _sqlite,
    }
    if program in ways:
        ways[program](arguments)
    elif [program, *arguments[:1]] == ["inspect", "view"]:
        look_at_viewer([_here("inspect"), *arguments], os.environ)
    elif [program, *arguments[:1]] == ["ray", "start"]:
        start_node([_here("ray"), *arguments], os.environ, until)
    elif program in SHELL:
        _shell(text)
    else:
        raise CommandFailed(f"{program} is no program that a page can name")


def _counterfoil(arguments: list[str]) -> None:
    if arguments[0] == "serve":
        look_at_site(arguments[1:])
        return
    if "--freeze" in arguments:
        _keep_all(Path(arguments[arguments.index("--out") + 1]) / "4-review.csv")
    code = main(_shorter(_with_what_is_here(arguments)))
    if code:
        raise CommandFailed(f"counterfoil {shlex.join(arguments)} ends with exit code {code}")


def _with_what_is_here(arguments: list[str]) -> list[str]:
    line = arguments[:1]
    for argument in arguments[1:]:
        name, instead = FETCHED.get(argument, ("", argument))
        is_missing = name and " ".join(line).endswith(NAMES_DATA) and not registered(name).folder.exists()
        line.append(instead if is_missing else argument)
    return line


def _shorter(line: list[str]) -> list[str]:
    # With --placebos trials are sets, and the pages ask for few.
    if "--trials" in line and "--placebos" not in line:
        place = line.index("--trials") + 1
        return [*line[:place], TRIALS, *line[place + 1 :]]
    is_planted = any(it.startswith("planted/") for it in line)
    is_long = line[0] == "run" and not is_planted and not {"--limit", "--experiment", "--dry-run"} & set(line)
    return [*line, "--limit", str(QUESTIONS)] if is_long else line


def _keep_all(review: Path) -> None:
    """What people do in a spreadsheet."""
    with review.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with review.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "keep": "yes"} for row in rows)


def _make(arguments: list[str]) -> None:
    """What make would do; the commands of the demo are run."""
    for line in _done(["make", "--dry-run", "--directory", str(ROOT), *arguments]).stdout.splitlines():
        program, _, rest = line.partition(" ")
        if arguments == ["demo"] and program.endswith("/counterfoil"):
            _counterfoil(shlex.split(rest))


def _pip(arguments: list[str]) -> None:
    here = [argument.replace(".", str(ROOT), 1) if argument.startswith(".") else argument for argument in arguments]
    done = _done([sys.executable, "-m", "pip", *here, "--dry-run", "--no-index", "--no-build-isolation"])
    if "does not provide the extra" in done.stderr:
        raise CommandFailed(done.stderr)


def _python(arguments: list[str]) -> None:
    if arguments[0].startswith("examples/"):
        arguments = [str(ROOT / arguments[0]), *arguments[1:]]
    print(_done([sys.executable, *arguments]).stdout, end="")


def _shell(text: str) -> None:
    print(_done(["sh", "-c", text]).stdout, end="")


def _done(line: list[str]) -> subprocess.CompletedProcess[str]:
    """Of a program that is found in this environment first."""
    programs = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(line, env=os.environ | {"PATH": programs}, capture_output=True, text=True)
    if done.returncode:
        raise CommandFailed(f"{line} ends with exit code {done.returncode}: {done.stdout[-999:]}{done.stderr[-999:]}")
    return done


def _here(program: str) -> str:
    return str(Path(sys.executable).with_name(program))


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
