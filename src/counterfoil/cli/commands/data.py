"""counterfoil data: list, get, check, curate, perturb."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cli import perturb
from counterfoil.cli.options import add_option
from counterfoil.cli.results import print_json
from counterfoil.console import say, table
from counterfoil.errors import UserError
from counterfoil.suite.options import RUN_OPTIONS, Option, with_defaults

if TYPE_CHECKING:
    from counterfoil.datasets.curation import Manifest
    from counterfoil.explain.curate import CurateRequest

# How a judge is asked, and the seed, are given as everywhere.
JUDGE_OPTION_NAMES = ("base-url", "seed", "concurrency", "timeout", "max-cost", "prices", "ledger")
EXAMPLE = "counterfoil data get plausibleqa"
CURATE_EXAMPLE = "counterfoil data curate plausibleqa --judge openai/gpt-4o --out curated"
CURATE_OPTIONS = (
    Option(name="out", metavar="DIR", help="the folder that the steps write to"),
    Option(name="sample", kind=int, least=1, default=3000, metavar="N", help="questions to sample first"),
    Option(name="keep", kind=int, least=1, default=100, metavar="N", help="questions to put before people"),
    Option(name="judge", metavar="NAME", help="a model that verifies the answers; without one, this is skipped"),
    Option(name="check-ambiguity", kind=bool, default=False, help="let the judge check for ambiguity, too"),
    *(option for option in RUN_OPTIONS if option.name in JUDGE_OPTION_NAMES),
)


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, text: str, example: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(
            name, help=text, description=text, epilog=f"example: {example}", allow_abbrev=False
        )
        return made

    listing = action("list", "the datasets that ship, and those that can be fetched", "counterfoil data list")
    listing.add_argument("--json", action="store_true", help="as JSON")
    get = action("get", "fetch a dataset and keep it on this machine", EXAMPLE)
    get.add_argument("name", metavar="NAME", help="a name that `counterfoil data list` shows")
    check = action("check", "read a dataset as its suite does, and count", "counterfoil data check explain my.csv")
    check.add_argument("suite", metavar="SUITE", help="the suite whose questions it holds")
    check.add_argument("file", metavar="FILE", help="a file, or a dataset's name")
    check.add_argument("--json", action="store_true", help="as JSON")
    curate = action("curate", "from a large dataset to a small one that judge and people have checked", CURATE_EXAMPLE)
    curate.add_argument("data", nargs="?", metavar="DATA", help="a dataset's name or a file (not read with --freeze)")
    for option in CURATE_OPTIONS:
        add_option(curate, option)
    curate.add_argument("--freeze", action="store_true", help="make a dataset of what people keep, once all is decided")
    curate.add_argument("--json", action="store_true", help="print the manifest as JSON")
    perturb.configure(action("perturb", perturb.HELP, perturb.EXAMPLE))


def call(parsed: argparse.Namespace) -> int:
    actions = {"list": _list, "get": _get, "check": _check, "curate": _curate, "perturb": perturb.call}
    return actions[parsed.action](parsed)


def _list(parsed: argparse.Namespace) -> int:
    from counterfoil.datasets.registry import all_datasets

    datasets = all_datasets()
    if parsed.json:
        print_json(datasets)
        return 0
    rows = [["name", "suite", "where", "size", "licence", "what"]]
    rows += [[d.name, d.suite, d.where, _size(d.bytes), d.licence, d.what] for d in datasets]
    print(table(rows, left=True))
    return 0


def _get(parsed: argparse.Namespace) -> int:
    from counterfoil.datasets.fetch import get_dataset

    get_dataset(parsed.name, say)
    return 0


def _check(parsed: argparse.Namespace) -> int:
    found = _facts(parsed.suite, parsed.file)
    if not found["questions"]:
        raise UserError(f"{parsed.file} holds no questions.")
    if parsed.json:
        print_json(found)
        return 0
    rows = [[f"{parsed.suite}: {found['data']}", "questions"], ["all", f"{found['questions']:,}"]]
    rows += [[f"stratum {name}", f"{count:,}"] for name, count in found["strata"].items()]
    rows += [[f"confusing by {name}", f"{count:,}"] for name, count in found.get("confusing", {}).items()]
    print(table(rows))
    return 0


def _facts(suite_name: str, file: str) -> dict[str, Any]:
    """What any suite's reader finds in a dataset."""
    from counterfoil.datasets.fetch import resolved
    from counterfoil.suite.finding import BUILT_IN, load_suite

    suite = load_suite(suite_name)
    # The suite's own readers know the names of its datasets.
    dataset = suite.load(file if suite_name in BUILT_IN else resolved(file))
    return _counts(suite_name, dataset) | suite.counts(dataset)


def _counts(suite: str, dataset: Any) -> dict[str, Any]:
    # Before orders and draws, as `--limit` counts.
    strata = Counter({question.unit: question.stratum for question in dataset}.values())
    return {
        "suite": suite,
        "data": dataset.name,
        "sha256": dataset.sha256,
        "questions": strata.total(),
        "strata": dict(sorted(strata.items())),
    }


def _curate(parsed: argparse.Namespace) -> int:
    from counterfoil.datasets.curation import has_entries
    from counterfoil.explain.curate import REVIEW, curate, freeze

    values = with_defaults(CURATE_OPTIONS, vars(parsed))
    if values["out"] is None:
        raise UserError("Name the folder that the steps write to: --out DIR.")
    out = Path(values["out"])
    if parsed.freeze:
        manifest = freeze(out)
    elif parsed.data is None:
        raise UserError("Name the dataset to curate: counterfoil data curate DATA --out DIR.")
    else:
        manifest = curate(_curate_request(parsed.data, out, values), say)
    # Once people have begun, what the judge left open is no longer asked for.
    missing = {} if has_entries(out / REVIEW) else manifest.left_open
    if parsed.json:
        print_json(manifest)
    else:
        print(_curation_text(out, manifest, missing))
    return 1 if missing else 0


def _curate_request(data: str, out: Path, values: Mapping[str, Any]) -> CurateRequest:
    from counterfoil.asking.models.base import ModelSpec
    from counterfoil.datasets.judged import JudgeSettings
    from counterfoil.explain.curate import CurateRequest

    judge = None
    if values["judge"] is not None:
        spec = ModelSpec(
            name=values["judge"],
            base_url=values["base_url"],
            params={"temperature": 0.0},
            concurrency=values["concurrency"],
            timeout=values["timeout"],
        )
        prices = Path(values["prices"]) if values["prices"] else None
        judge = JudgeSettings(spec=spec, ledger=Path(values["ledger"]), max_cost=values["max_cost"], prices=prices)
    numbers = {name: values[name] for name in ("sample", "keep", "seed", "check_ambiguity")}
    return CurateRequest(data=data, out=out, judge=judge, **numbers)


def _curation_text(out: Path, manifest: Manifest, missing: Mapping[str, int]) -> str:
    """The steps with their counts, and what to do next."""
    from counterfoil.datasets.curation import decided
    from counterfoil.explain.curate import DATASET, REVIEW

    rows = [["step", "in", "out", "file"]]
    for step in manifest.steps:
        file = str(out / step.file) if step.file is not None else f"skipped: {step.skipped}"
        rows.append([step.step, f"{step.taken:,}", f"{step.left:,}", file])
    lines = [table(rows, left=True), ""]
    if missing.get("not_asked"):
        lines.append(f"{missing['not_asked']:,} questions were not asked about: run the same command again to go on.")
    if missing.get("failed"):
        lines.append(f"{missing['failed']:,} judge calls failed: the same command asks again.")
    if manifest.step("freeze") is not None:
        lines.append(f"The dataset is {out / DATASET}.")
    elif (out / REVIEW).exists():
        done, drawn = decided(out / REVIEW)
        lines.append(f"{done:,} of {drawn:,} questions are decided. Write yes or no into the column keep of")
        lines.append(f"{out / REVIEW}, then: counterfoil data curate --out {out} --freeze")
    return "\n".join(lines)


def _size(count: int | None) -> str:
    if count is None:
        return ""
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"
