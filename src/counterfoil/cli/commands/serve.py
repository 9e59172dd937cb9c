"""counterfoil serve: the local site."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.suite.options import DEFAULT_LEDGER

EXAMPLE = "counterfoil serve runs --port 8765"
HOST, PORT = "127.0.0.1", 8765
TOKEN = "COUNTERFOIL_TOKEN"  # noqa: S105
HIGHEST_PORT = 65_535


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("dir", nargs="?", default=".", metavar="DIR", help="what is served (default: this folder)")
    parser.add_argument("--host", default=HOST, help=f"the address to listen on (default {HOST}: this machine only)")
    parser.add_argument("--port", type=int, default=PORT, help=f"the port (default {PORT}; 0: any that is free)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which browsers may call the site, beside its address; can be given more than once",
    )
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="MODULE:ATTRIBUTE",
        help="a suite of your own, so that its runs have plots and can be compared; can be given more than once",
    )
    parser.add_argument(
        "--read-only", action="store_true", help="look only: no run is started, nothing is rated, reviewed or noted"
    )
    parser.add_argument(
        "--ledger", metavar="FILE", help=f"the ledger with the exchanges (default: {DEFAULT_LEDGER}, in DIR or here)"
    )


def call(parsed: argparse.Namespace) -> int:
    if not 0 <= parsed.port <= HIGHEST_PORT:
        raise UserError(f"A port is a number from 0 to {HIGHEST_PORT}, not {parsed.port}.")
    try:
        from counterfoil.web.app import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "jinja2", "uvicorn", "markupsafe"):
            raise
        raise UserError(f"The site needs {error.name}: pip install 'counterfoil[web]'.") from error
    from counterfoil.suite.finding import load_suite

    suites = {load_suite(place).name: place for place in parsed.suite}
    root = Path(parsed.dir)
    if parsed.ledger and not Path(parsed.ledger).is_file():
        raise UserError(f"--ledger {parsed.ledger}: there is no such file. Leave it out, or name a ledger.")
    ledgers = [Path(parsed.ledger)] if parsed.ledger else [root / DEFAULT_LEDGER, Path(DEFAULT_LEDGER)]
    serve(
        root,
        host=parsed.host,
        port=parsed.port,
        ledgers=ledgers,
        names=parsed.allow_host,
        token=os.environ.get(TOKEN) or None,
        suites=suites,
        read_only=parsed.read_only,
        say=say,
    )
    return 0
