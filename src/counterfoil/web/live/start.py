"""Runs that are started from the site: a form, the dry run with its cost, the word to go, and going on with one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from counterfoil.errors import UserError
from counterfoil.suite.finding import load_suite
from counterfoil.suite.options import BUILT_IN
from counterfoil.suite.suite import AnySuite
from counterfoil.web.live.commands import Words, check, command_line, options_of, words_of
from counterfoil.web.pages import form, page, served
from counterfoil.web.served import NotHere, Served

# At a time; and how long a dry run may take.
MOST_RUNS, DRY_SECONDS = 4, 300
LONGEST_SAID = 20_000
# Options that have a field of their own on the page, before those of the suite.
FIRST = ("model", "variant", "data", "limit", "repeats", "temperature", "max-tokens", "max-cost", "until", "judge")
_NAME = re.compile(r"\w[\w.-]{0,99}")


class Started(NamedTuple):
    """A run that this site has started, and the file with what it says."""

    process: subprocess.Popen[bytes]
    log: Path


class Starter:
    """Starts runs as processes of their own; they go on when the site ends. `is_on` says whether it may."""

    def __init__(self, site: Served, ledgers: Sequence[Path], suites: Mapping[str, str], *, is_on: bool) -> None:
        self.is_on = is_on
        self._site = site
        self._ledgers = [path.resolve() for path in ledgers]
        self._places = suites
        self._lock = threading.Lock()
        self._started: dict[str, Started] = {}

    def suites(self) -> dict[str, AnySuite]:
        """Those that may be run: what ships, and what the site was started with."""
        return {name: load_suite(place) for name, place in {**BUILT_IN, **self._places}.items()}

    def dry_run(self, words: Words) -> str:
        """What the run would ask and cost, as the command prints it."""
        command = [*self._python, *self._placed(words).line(ledger=str(self._ledger)), "--dry-run"]
        try:
            done = subprocess.run(  # noqa: S603 (checked words, no shell)
                command, cwd=self._site.root, env=_environment(), capture_output=True, timeout=DRY_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise UserError(f"The dry run took over {DRY_SECONDS} seconds: make it in a terminal.") from error
        said = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode:
            raise UserError(said.removeprefix("counterfoil: ")[:2_000] or "The dry run failed.")
        return done.stdout.decode("utf-8", "replace")

    def start(self, name: str, words: Words) -> None:
        """Begin the run in the folder of that name, which lies in the directory."""
        folder = self._site.root / name
        log = self._site.root / ".counterfoil" / "started" / f"{quote(name, safe='')}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        line = self._placed(words).line(out=str(folder), ledger=str(self._ledger))
        with self._lock:
            if sum(each.process.poll() is None for each in self._started.values()) >= MOST_RUNS:
                raise UserError(f"{MOST_RUNS} runs are under way that were started here: wait for one of them.")
            if name in self._started and self._started[name].process.poll() is None:
                raise UserError(f"{name} is under way.")
            with log.open("wb") as said:
                process = subprocess.Popen(  # noqa: S603 (checked words, no shell)
                    [*self._python, *line],
                    cwd=self._site.root,
                    env=_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            self._started[name] = Started(process, log)

    def stop(self, name: str) -> None:
        """As Ctrl-C does: what is in flight is waited for, and what is there is kept."""
        with self._lock:
            started = self._started.get(name)
            if started is not None and started.process.poll() is None:
                started.process.send_signal(signal.SIGINT)

    def can_stop(self, name: str) -> bool:
        with self._lock:
            started = self._started.get(name)
            return started is not None and started.process.poll() is None

    def said(self, name: str) -> tuple[bool, str] | None:
        """Whether a run that was started here goes on, and what it has said; None of others."""
        with self._lock:
            started = self._started.get(name)
        if started is None:
            return None
        text = started.log.read_bytes()[-LONGEST_SAID:].decode("utf-8", "replace")
        return started.process.poll() is None, text

    def earlier(self, command: Sequence[str], cwd: str) -> Words:
        """The words of a run that was stopped, if the site may go on with it."""
        words = words_of(command, self.suites())
        ledger = (Path(cwd) / (words.value("ledger") or ".counterfoil/ledger.sqlite")).resolve()
        if ledger not in self._ledgers:
            raise UserError(f"Its replies are in {ledger}, which this site does not use: go on in a terminal.")
        return words.without("out", "ledger")

    def _placed(self, words: Words) -> Words:
        """With the place of a suite that is no installed one."""
        return words._replace(suite=self._places.get(words.suite, words.suite))

    @property
    def _ledger(self) -> Path:
        return next((path for path in self._ledgers if path.is_file()), self._ledgers[0])

    @property
    def _python(self) -> list[str]:
        # -P: nothing that lies in the directory is taken for a module.
        return [sys.executable, "-P", "-m", "counterfoil"]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "COUNTERFOIL_TOKEN"}


def starter_of(request: Request) -> Starter:
    """The starter, where this site starts runs."""
    starter: Starter = request.app.state.starter
    if not starter.is_on:
        raise UserError(
            "This site starts no runs: it was started with --read-only, or others reach it without a token. Use "
            "`counterfoil run` in a terminal."
        )
    return starter


def start_page(request: Request) -> Response:
    """The form: the suite first, then what it can be asked."""
    starter = starter_of(request)
    return _form_page(request, starter, dict(request.query_params), "")


def dry_page(request: Request) -> Response:
    """What the run would ask and cost; a second form says go."""
    starter, sent = starter_of(request), dict(form(request))
    try:
        words, name = _words(starter, sent), _name(served(request), sent)
        said = starter.dry_run(words)
    except UserError as error:
        return _form_page(request, starter, sent, str(error), 400)
    return page(
        request,
        "live/dry.html",
        name=name,
        said=said,
        sent={key: value for key, value in sent.items() if key != "csrf" and value} | {"name": name},
        command=command_line(words.line(out=name)),
    )


def go(request: Request) -> Response:
    """Begin the run that the dry run was of."""
    starter, sent = starter_of(request), dict(form(request))
    words, name = _words(starter, sent), _name(served(request), sent)
    starter.start(name, words)
    return RedirectResponse(f"/starting/{quote(name)}", 303)


def go_on(request: Request) -> Response:
    """Go on with a run that was stopped, by the command that began it."""
    starter, name = starter_of(request), request.path_params["run"]
    there = served(request).live(name)
    if there is None or there[1].is_running or there[1].command is None:
        raise NotHere(name)
    words = starter.earlier(there[1].command, there[1].cwd)
    starter.start(name, words)
    return RedirectResponse(f"/starting/{quote(name)}", 303)


def stop(request: Request) -> Response:
    """Stop a run that was started here."""
    starter, name = starter_of(request), request.path_params["run"]
    starter.stop(name)
    return RedirectResponse(f"/run/{quote(name)}", 303)


def starting_page(request: Request) -> Response:
    """Until the run tells of itself; if it ended before, why."""
    starter, name = starter_of(request), request.path_params["run"]
    told = starter.said(name)
    if told is None:
        raise NotHere(name)
    goes_on, said = told
    try:
        there = served(request).live(name)
        is_there = there is not None and there[1].is_running
        is_done = not goes_on and bool(served(request).run(name))
    except (NotHere, UserError):
        is_there = is_done = False
    if is_there or is_done:
        return RedirectResponse(f"/run/{quote(name)}", 303)
    return page(request, "live/starting.html", name=name, goes_on=goes_on, said=said)


def _form_page(
    request: Request, starter: Starter, sent: Mapping[str, str], trouble: str, status: int = 200
) -> Response:
    suites = starter.suites()
    chosen = sent.get("suite", "")
    suite = suites.get(chosen)
    options = {} if suite is None else options_of(suite)
    if suite is not None and not suite.asks_judges:
        options.pop("judge", None)
    own = [] if suite is None else [option for option in suite.options if option.name in options]
    return page(
        request,
        "live/start.html",
        status,
        suites=list(suites),
        chosen=chosen if suite is not None else "",
        first=[options[name] for name in FIRST if name in options],
        own=own,
        variants=[] if suite is None else list(suite.variant_names),
        sent=sent,
        trouble=trouble,
    )


def _words(starter: Starter, sent: Mapping[str, str]) -> Words:
    """The command that the form stands for."""
    suites = starter.suites()
    name = sent.get("suite", "")
    if name not in suites:
        raise UserError(f"Choose a suite: {', '.join(suites)}.")
    pairs: list[tuple[str, str | None]] = []
    for option in options_of(suites[name]).values():
        if option.name in ("out", "ledger"):
            continue
        for value in _values(option, sent.get(option.name, "").strip()):
            is_flag = option.kind is bool
            pairs.append((f"{'' if value else 'no-'}{option.name}", None) if is_flag else (option.name, value))
    words = Words(name, pairs)
    if not any(key == "model" for key, _ in pairs):
        raise UserError("Name a model, as openai/gpt-4o, or smollm2 for the small one on this machine.")
    check(words, suites)
    return words


def _values(option: Any, text: str) -> list[str]:
    if option.kind is bool:
        return {"yes": ["yes"], "no": [""]}.get(text, [])
    if option.repeatable:
        return [part.strip() for part in re.split(r"[\n,]" if not option.several else r"[\n,\s]", text) if part.strip()]
    return [text] if text else []


def _name(site: Served, sent: Mapping[str, str]) -> str:
    """The folder of the run, within the directory; where none is named, one that says its suite and is not there."""
    given = sent.get("name", "").strip()
    above = "runs/" if (site.root / "runs").is_dir() else ""
    if not given:
        number = 1
        while (site.root / f"{above}{sent.get('suite', 'run')}-{number}").exists():
            number += 1
        return f"{above}{sent.get('suite', 'run')}-{number}".replace(":", "-")
    own = given.removeprefix(above)
    if not _NAME.fullmatch(own):
        raise UserError("A run's name has letters, digits, dots, hyphens and underscores.")
    if (site.root / f"{above}{own}").exists():
        raise UserError(f"There is a {above}{own} already: take another name.")
    return f"{above}{own}"
