"""counterfoil data: list, get, check, curate, perturb."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.cli import perturb
from counterfoil.cli.options import JUDGE_OPTION_NAMES, add_actions, add_options, judge_settings
from counterfoil.cli.results import print_result
from counterfoil.console import say, table
from counterfoil.errors import UserError
from counterfoil.inputs import Inputs, telling_of_inputs
from counterfoil.suite.options import OVERWRITE, Option, run_options, with_defaults

if TYPE_CHECKING:
    from counterfoil.datasets.curation import Manifest
    from counterfoil.suite.suite import AnySuite, Dataset

EXAMPLE = "counterfoil data get plausibleqa"
# Questions that `check` shows.
EXAMPLES = 3
CURATE_EXAMPLE = "counterfoil data curate plausibleqa --judge openai/gpt-4o --out curated"
CURATE_OPTIONS = (
    Option("out", "the folder that the steps write to", metavar="DIR"),
    OVERWRITE,
    Option("sample", "questions to sample first", kind=int, least=1, default=3000),
    Option("keep", "questions to put before people", kind=int, least=1, default=100),
    Option("judge", "a model that verifies the answers; without one, this is skipped", metavar="NAME"),
    Option("check-ambiguity", "let the judge check for ambiguity, too", kind=bool, default=False),
    *run_options("seed", "encoding", "strict", *JUDGE_OPTION_NAMES),
)
CHECK_OPTIONS = run_options("encoding", "strict")


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    action = add_actions(parser)
    listing = action("list", "the datasets that ship, and those that can be fetched", "counterfoil data list")
    listing.add_argument("--json", action="store_true", help="as JSON")
    get = action("get", "fetch a dataset and keep it on this machine", EXAMPLE)
    get.add_argument("name", metavar="NAME", help="a name that `counterfoil data list` shows")
    check = action("check", "read a dataset as its suite does, and count", "counterfoil data check explain my.csv")
    check.add_argument("suite", metavar="SUITE", help="the suite whose questions it holds")
    check.add_argument("file", metavar="FILE", help="a file, or a dataset's name")
    add_options(check, CHECK_OPTIONS)
    check.add_argument("--json", action="store_true", help="as JSON")
    curate = action("curate", "from a large dataset to a small one that judge and people have checked", CURATE_EXAMPLE)
    curate.add_argument("data", nargs="?", metavar="DATA", help="a dataset's name or a file (not read with --freeze)")
    add_options(curate, CURATE_OPTIONS)
    curate.add_argument("--freeze", action="store_true", help="make a dataset of what people keep, once all is decided")
    curate.add_argument("--json", action="store_true", help="print the manifest as JSON")
    perturb.configure(action("perturb", perturb.HELP, perturb.EXAMPLE))


def call(parsed: argparse.Namespace) -> int:
    actions = {"list": _list, "get": _get, "check": _check, "curate": _curate, "perturb": perturb.call}
    return actions[parsed.action](parsed)


def _list(parsed: argparse.Namespace) -> int:
    from counterfoil.datasets.registry import all_datasets

    datasets = all_datasets()
    rows = [["name", "suite", "where", "size", "licence", "what"]]
    rows += [[d.name, d.suite, d.where, _size(d.bytes), d.licence, d.what] for d in datasets]
    sources = [f"{d.name}: {d.citation}." for d in datasets if d.citation]
    print_result(datasets, lambda: "\n".join([table(rows, left=True), "", *sources]), as_json=parsed.json)
    return 0


def _get(parsed: argparse.Namespace) -> int:
    from counterfoil.datasets.fetch import get_dataset

    get_dataset(parsed.name, say)
    return 0


def _check(parsed: argparse.Namespace) -> int:
    inputs = Inputs(**with_defaults(CHECK_OPTIONS, vars(parsed)))
    with telling_of_inputs(inputs):
        found = _counts(parsed.suite, parsed.file) | inputs.described()
    if not found["questions"]:
        raise UserError(f"{parsed.file} holds no questions.")
    rows = [[f"{parsed.suite}: {found['data']}", "questions"], ["all", f"{found['questions']:,}"]]
    rows += [[f"stratum {name}", f"{count:,}"] for name, count in found["strata"].items()]
    rows += [[f"confusing by {name}", f"{count:,}"] for name, count in found.get("confusing", {}).items()]
    rows += [[f"candidates, {name}", f"{count:,}"] for name, count in found.get("candidates", {}).items()]
    print_result(found, lambda: "\n".join([table(rows), *map(_example_text, found["examples"])]), as_json=parsed.json)
    return 0


def _example_text(example: Mapping[str, Any]) -> str:
    said = "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in example["messages"])
    return f"\n{example['question_id']}, as it will be asked (variant {example['variant']}):\n{said}"


def _counts(suite_name: str, file: str) -> dict[str, Any]:
    """What any suite's reader finds in a dataset."""
    from counterfoil.datasets.fetch import resolved
    from counterfoil.suite.finding import load_suite
    from counterfoil.suite.options import BUILT_IN

    suite = load_suite(suite_name)
    # The suite's own readers know the names of its datasets.
    dataset = suite.load(file if suite_name in BUILT_IN else resolved(file))
    # Before orders and draws, as `--limit` counts.
    strata = Counter({question.unit: question.stratum for question in dataset}.values())
    return {
        "suite": suite_name,
        "data": dataset.name,
        "sha256": dataset.sha256,
        "questions": strata.total(),
        "strata": dict(sorted(strata.items())),
        **suite.counts(dataset),
        "examples": _examples(suite, dataset),
    }


def _examples(suite: AnySuite, dataset: Dataset[Any]) -> list[dict[str, Any]]:
    """Three questions from all over the dataset, as they are asked where nothing else is said."""
    by_unit: dict[str, Any] = {}
    for question in dataset:
        by_unit.setdefault(question.unit, question)
    questions = list(by_unit.values())
    if not questions:
        return []
    # Neighbours are often of one kind in the same order: each part gives another one of them.
    places = dict.fromkeys((len(questions) * part // EXAMPLES + part) % len(questions) for part in range(EXAMPLES))
    variant = suite.variants([], dataset)[0]
    return [
        {
            "question_id": questions[place].id,
            "variant": variant.name,
            "messages": [
                {"role": message.role, "content": message.content}
                for message in suite.messages(questions[place], variant)
            ],
        }
        for place in places
    ]


def _curate(parsed: argparse.Namespace) -> int:
    from counterfoil.datasets.curation import has_entries
    from counterfoil.explain.curate import REVIEW, CurateRequest, curate, freeze

    values = with_defaults(CURATE_OPTIONS, vars(parsed))
    if values["out"] is None:
        raise UserError("Name the folder that the steps write to: --out DIR.")
    out = Path(values["out"])
    if parsed.freeze:
        manifest = freeze(out)
    elif parsed.data is None:
        raise UserError("Name the dataset to curate: counterfoil data curate DATA --out DIR.")
    else:
        numbers = {name: values[name] for name in ("sample", "keep", "seed", "check_ambiguity", "overwrite")}
        judge = judge_settings(values["judge"], values)
        inputs = Inputs(strict=values["strict"], encoding=values["encoding"])
        with telling_of_inputs(inputs):
            manifest = curate(CurateRequest(data=parsed.data, out=out, judge=judge, **numbers), say)
    # Once people have begun, what the judge left open is no longer asked for.
    missing = {} if has_entries(out / REVIEW) else manifest.left_open
    print_result(manifest, lambda: _curation_text(out, manifest, missing), as_json=parsed.json)
    return 1 if missing else 0


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
