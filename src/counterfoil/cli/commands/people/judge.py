"""counterfoil judge: check."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from counterfoil.cli.options import JUDGE_OPTION_NAMES, add_actions, add_options
from counterfoil.cli.results import print_result
from counterfoil.suite.options import run_options

EXAMPLE = "counterfoil judge check openai/gpt-5 --anchor runs/explain-kqzrmwpd/pilot.study.sqlite"
OPTIONS = run_options("judge-max-tokens", "judge-param", *JUDGE_OPTION_NAMES)


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    action = add_actions(parser)
    check = action("check", "ask a judge about the rated replies of a study again: has it drifted?", EXAMPLE)
    check.add_argument("judge", metavar="JUDGE", help="the judge, or another version of it")
    check.add_argument("--anchor", required=True, metavar="STUDY", help="a study's file, or the name of one in runs/")
    check.add_argument(
        "--against", metavar="JUDGE", help="the judge of the study to compare with (default: the same, or its only one)"
    )
    check.add_argument(
        "--margin", type=float, default=0.0, metavar="M", help="differences up to this are no drift (default: 0)"
    )
    check.add_argument(
        "--out", metavar="DIR", help="where the new verdicts are kept, as a run (default: runs/judge-STUDY-JUDGE)"
    )
    add_options(check, OPTIONS)
    check.add_argument("--json", action="store_true", help="print the results as JSON")


def call(parsed: argparse.Namespace) -> int:
    from counterfoil.cli.commands.people.rate import study_path
    from counterfoil.console import say
    from counterfoil.rating.drift import check_judge, drift_text
    from counterfoil.rating.store import Study

    given = {option.key: getattr(parsed, option.key) for option in OPTIONS}
    with Study(study_path(parsed.anchor)) as study:
        found = check_judge(
            parsed.judge,
            study,
            against=parsed.against,
            margin=parsed.margin,
            out=Path(parsed.out) if parsed.out else None,
            options={key: value for key, value in given.items() if value is not None},
            say=say,
        )
    print_result(found, lambda: drift_text(found), as_json=parsed.json)
    return 1 if found.drifted else 0
