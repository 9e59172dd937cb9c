"""counterfoil models: which names can be used, and what each still needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from counterfoil.cli.results import print_result
from counterfoil.console import say, table

EXAMPLE = "counterfoil models get smollm2"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    actions = parser.add_subparsers(dest="action", metavar="get", required=False)
    text = "fetch the weights of a model that runs in this process"
    get = actions.add_parser("get", help=text, description=text, epilog=f"example: {EXAMPLE}", allow_abbrev=False)
    get.add_argument("name", choices=["smollm2"], metavar="NAME", help="smollm2")


def call(parsed: argparse.Namespace) -> int:
    if parsed.action == "get":
        from counterfoil.asking.models.weights import get_smollm2

        get_smollm2(say)
        return 0
    from counterfoil.asking.models.providers import model_names

    names = model_names()
    rows = [["name", "usable", "what it is, or what it still needs"]]
    rows += [[name.name, "no" if name.needs else "yes", name.needs or name.what] for name in names]
    print_result(names, lambda: table(rows, left=True), as_json=parsed.json)
    return 0
