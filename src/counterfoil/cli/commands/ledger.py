"""counterfoil ledger: info, check, export, import, prune."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.cli.options import add_actions, add_options
from counterfoil.cli.results import print_result
from counterfoil.console import say, table
from counterfoil.errors import UserError
from counterfoil.files import check_target
from counterfoil.suite.options import DEFAULT_LEDGER, OVERWRITE
from counterfoil.targets import writing

if TYPE_CHECKING:
    from counterfoil.asking.ledger.admin import Damaged, Imported

# More would bury the rest.
NAMED = 10

EXAMPLE = "counterfoil ledger export --model openai/gpt-4o --to replies.jsonl"


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    new_action = add_actions(parser)

    def action(name: str, text: str, example: str) -> argparse.ArgumentParser:
        made = new_action(name, text, example)
        made.add_argument(
            "--ledger", default=DEFAULT_LEDGER, metavar="FILE", help=f"the ledger (default: {DEFAULT_LEDGER})"
        )
        return made

    info = action("info", "what it holds, model by model", "counterfoil ledger info")
    info.add_argument("--json", action="store_true", help="as JSON")
    check = action("check", "whether every reply is as it was written", "counterfoil ledger check")
    check.add_argument("--json", action="store_true", help="as JSON")
    export = action("export", "every reply with its ask, a line of JSON each; `replay/FILE` answers from it", EXAMPLE)
    export.add_argument("--model", metavar="NAME", help="only this model's")
    export.add_argument("--to", metavar="FILE", help="write to a file instead of standard output")
    add_options(export, [OVERWRITE])
    taken = action(
        "import",
        "take replies in: exports, or Parquet shards of `run --engine ray --shards`; damaged lines are left out",
        "counterfoil ledger import replies.jsonl",
    )
    taken.add_argument(
        "file", nargs="+", metavar="FILE", help="an export, a shard, a folder of shards, or an fsspec address of them"
    )
    taken.add_argument("--json", action="store_true", help="print the counts as JSON")
    prune = action(
        "prune",
        "remove replies; shows what it would remove until --yes is given",
        "counterfoil ledger prune --model openai/gpt-4o --before 30d",
    )
    prune.add_argument("--model", metavar="NAME", help="only this model's")
    prune.add_argument("--before", metavar="DATE", help="only what is older: a date, or a number of days as in 30d")
    prune.add_argument("--yes", action="store_true", help="do it")
    prune.add_argument("--json", action="store_true", help="print the counts as JSON")


def call(parsed: argparse.Namespace) -> int:
    path = Path(parsed.ledger)
    actions = {"info": _info, "check": _check, "export": _export, "import": _import, "prune": _prune}
    return actions[parsed.action](path, parsed)


def _info(path: Path, parsed: argparse.Namespace) -> int:
    from counterfoil.asking.ledger.admin import batches_under_way, info

    infos = info(path)
    batches = batches_under_way(path)
    rows = [["model", "replies", "refused", "truncated", "failures", "tokens in", "tokens out", "last"]]
    for row in infos:
        numbers = (row.replies, row.refused, row.truncated, row.failures, row.input_tokens, row.output_tokens)
        rows.append([row.model, *(f"{number:,}" for number in numbers), "" if row.last is None else _when(row.last)])
    text = table(rows) if infos else "It holds no replies." if batches else "It is empty."
    if batches:
        lines = [["model", "batch", "asks", "since"]]
        lines += [[b.model, b.batch or "not known yet", f"{b.asks:,}", _when(b.since)] for b in batches]
        text += (
            f"\n\nUnder way in batches, to be collected by the same commands with --batch:\n{table(lines, left=True)}"
        )
    print_result(infos, lambda: f"{text}\n\n{path}, {path.stat().st_size / 1e6:,.1f} MB", as_json=parsed.json)
    return 0


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _export(path: Path, parsed: argparse.Namespace) -> int:
    import msgspec

    from counterfoil.asking.ledger.admin import export
    from counterfoil.files import replacing

    damaged: list[Damaged] = []
    lines = (msgspec.json.encode(reply) + b"\n" for reply in export(path, parsed.model, damaged))
    if parsed.to is None:
        for line in lines:
            sys.stdout.buffer.write(line)
    else:
        made = f"ledger export --model {parsed.model}"
        with writing(made, of=[path], inputs=[path], overwrite=bool(parsed.overwrite)):
            check_target(Path(parsed.to))
            with replacing(Path(parsed.to)) as temporary, temporary.open("wb") as file:
                file.writelines(lines)
    if damaged:
        say(f"{_replies(len(damaged))} damaged and left out: counterfoil ledger check names them.")
    return 1 if damaged else 0


def _replies(number: int) -> str:
    return "1 reply is" if number == 1 else f"{number:,} replies are"


def _check(path: Path, parsed: argparse.Namespace) -> int:
    from counterfoil.asking.ledger.admin import check

    checked = check(path)
    lines = [f"The file is damaged: {sentence}." for sentence in checked.trouble[:NAMED]]
    lines += [
        f"Reply {reply.number}{f' of {reply.model}' if reply.model else ''}: {reply.reason}."
        for reply in checked.damaged[:NAMED]
    ]
    if checked.damaged:
        lines.append(f"{_replies(len(checked.damaged))} damaged, of {checked.replies:,}: the same runs ask them again.")
    elif not checked.trouble:
        lines.append(f"{_replies(checked.replies)} as written.")
    if checked.without_check_sum:
        lines.append(
            f"{_replies(checked.without_check_sum)} from before there were check sums: only their form was seen."
        )
    print_result(checked, lambda: "\n".join(lines), as_json=parsed.json)
    return 0 if checked.is_sound else 1


def _import(path: Path, parsed: argparse.Namespace) -> int:
    from itertools import chain

    from counterfoil.asking.ledger.admin import take_in

    left_out: list[str] = []
    new, there = take_in(path, chain.from_iterable(_imported(place, left_out) for place in parsed.file))
    for sentence in left_out[:NAMED]:
        say(f"{sentence} It is left out.")
    text = f"{new:,} replies were taken in, {there:,} were there."
    if left_out:
        text += f" {len(left_out):,} {'line was' if len(left_out) == 1 else 'lines were'} left out."
    print_result({"new": new, "there": there, "left_out": len(left_out)}, lambda: text, as_json=parsed.json)
    return 1 if left_out else 0


def _imported(place: str, left_out: list[str]) -> Iterator[Imported]:
    """The replies of one file, folder or address."""
    from counterfoil.asking.cluster.shards import is_shards, read_shards
    from counterfoil.asking.ledger.admin import read_export

    return read_shards(place) if is_shards(place) else read_export(Path(place), left_out)


def _prune(path: Path, parsed: argparse.Namespace) -> int:
    from counterfoil.asking.ledger.admin import parse_time, prune

    before = parse_time(parsed.before) if parsed.before is not None else None
    if parsed.model is None and before is None:
        raise UserError("Say what to remove: --model NAME, --before DATE, or both.")
    replies, failures = prune(path, model=parsed.model, before=before, dry=not parsed.yes)
    done = "were removed." if parsed.yes else "would be removed for good: give --yes to do it."
    counts = {"replies": replies, "failures": failures, "removed": parsed.yes}
    print_result(counts, lambda: f"{replies:,} replies and {failures:,} failures {done}", as_json=parsed.json)
    return 0
