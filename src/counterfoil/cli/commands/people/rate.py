"""counterfoil rate: new, results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.cli.options import add_actions, add_options
from counterfoil.cli.results import print_result
from counterfoil.console import table
from counterfoil.errors import UserError
from counterfoil.files import check_target
from counterfoil.stats.estimate import BASIS
from counterfoil.suite.options import OVERWRITE, Option
from counterfoil.targets import writing

if TYPE_CHECKING:
    from counterfoil.rating.results import Results
    from counterfoil.running.folder import Run
    from counterfoil.stats.estimate import Estimate

EXAMPLE = "counterfoil rate new --run runs/explain-kqzrmwpd --name pilot --raters 3 --per-question 2"
SITE = "http://127.0.0.1:8765"
SEED = Option("seed", "seed of the sample and the orders", kind=int, least=0, default=0, metavar="S")


def configure(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    from counterfoil.rating.study import SAMPLE

    action = add_actions(parser)
    new = action("new", "draw replies of a run, and give each to some of the raters", EXAMPLE)
    new.add_argument("--run", required=True, metavar="RUN", help="a run folder; the study is kept in it")
    new.add_argument("--name", required=True, metavar="STUDY", help="a name for the study")
    new.add_argument("--raters", type=int, metavar="N", help="how many people rate (default: 3)")
    new.add_argument(
        "--rater", action="append", metavar="NAME", help="a rater's name, instead of --raters; can be given again"
    )
    new.add_argument(
        "--per-question", type=int, metavar="R", help="how many of them rate each reply (default: all of them)"
    )
    new.add_argument(
        "--sample", type=int, default=SAMPLE, metavar="N", help=f"how many replies are rated (default: {SAMPLE})"
    )
    new.add_argument(
        "--metric", metavar="NAME", help="draw replies that correct this metric well: by strata, with weights"
    )
    add_options(new, [SEED])
    new.add_argument("--data", metavar="NAME", help="the questions, where the run's have moved")
    new.add_argument(
        "--site", default=SITE, metavar="URL", help=f"where raters will reach `counterfoil serve` (default: {SITE})"
    )
    new.add_argument("--json", action="store_true", help="print the study's file and links as JSON")

    results = action(
        "results",
        "metrics, agreement of people, algorithm and judges",
        "counterfoil rate results runs/explain-kqzrmwpd/pilot.study.sqlite --write",
    )
    results.add_argument("study", metavar="STUDY", help="a study's file, or the name of one in runs/")
    results.add_argument("--csv", metavar="FILE", help="write every rating to this file")
    add_options(results, [OVERWRITE])
    results.add_argument(
        "--write", action="store_true", help="put the human_* metrics and the corrected figures into summary.json"
    )
    results.add_argument("--data", metavar="NAME", help="the questions, where the run's have moved")
    results.add_argument("--json", action="store_true", help="print the results as JSON")


def call(parsed: argparse.Namespace) -> int:
    return {"new": _new, "results": _results}[parsed.action](parsed)


def _new(parsed: argparse.Namespace) -> int:
    from counterfoil.rating.study import new_study
    from counterfoil.running.folder import Run

    if parsed.rater and parsed.raters is not None:
        raise UserError("--raters says how many there are and --rater who they are: choose one.")
    who = parsed.rater or (3 if parsed.raters is None else parsed.raters)
    many = who if isinstance(who, int) else len(who)
    per_question = many if parsed.per_question is None else parsed.per_question
    with new_study(
        Run(parsed.run),
        parsed.name,
        raters=who,
        per_question=per_question,
        sample=parsed.sample,
        seed=parsed.seed or 0,
        data=parsed.data,
        metric=parsed.metric,
    ) as study:
        raters = {rater: study.progress(rater).tasks for rater in study.raters()}
        design = study.design()
        path = study.path
    assert design is not None
    site = parsed.site.rstrip("/")
    links = [
        {"rater": rater.name, "link": rater.link, "url": f"{site}{rater.link}", "replies": count}
        for rater, count in raters.items()
    ]
    made = {"study": str(path), "replies": design.drawn, "per_question": per_question, "raters": links}
    made["design"] = design
    drawn_from = "all" if design.drawn == design.replies else f"a random sample of the {design.replies:,}"
    lines = [
        f"The study is in {path}: {design.drawn:,} replies, each for {per_question} of {many} raters.",
        f"They are {drawn_from} replies of the run that have a text.\n",
    ]
    if design.metric is not None:
        strata = [["stratum", "in the run", "drawn"]]
        strata += [[name, f"{of.in_run:,}", f"{of.in_sample:,}"] for name, of in design.shares["stratum"].items()]
        lines += [f"They are drawn by strata, to correct {design.metric}:\n", table(strata), ""]
    for rater, count in raters.items():
        what = "decides where the others disagree" if rater.is_adjudicator else f"{count:,} replies"
        lines.append(f"  {rater.name:12} {site}{rater.link}  {what}")
    lines.append("\nWho has a link rates under its name: give each to one person only. `counterfoil serve` opens them.")
    print_result(made, lambda: "\n".join(lines), as_json=parsed.json)
    return 0


def _results(parsed: argparse.Namespace) -> int:
    from counterfoil.rating.results import results, write_csv, write_results
    from counterfoil.rating.store import Study
    from counterfoil.running.folder import OWN, SUMMARY, Run

    path = study_path(parsed.study)
    read = [path, *(path.parent / name for name in OWN)]
    # A study says what people say without its run, too.
    run = Run(path.parent) if parsed.write or (path.parent / SUMMARY).is_file() else None
    with Study(path) as study:
        with writing("rate results", of=[path], inputs=read, overwrite=bool(parsed.overwrite)):
            if parsed.csv:
                check_target(Path(parsed.csv))
                write_csv(study, Path(parsed.csv))
        if parsed.write and run is not None:
            found = write_results(study, run, parsed.data)
        else:
            found = results(study, run=run, data=parsed.data)
    files = [f"Every rating is in {parsed.csv}."] if parsed.csv else []
    files += (
        [f"The human_* metrics and the corrected figures are in {path.parent / 'summary.json'}."]
        if parsed.write
        else []
    )
    print_result(found, lambda: "\n\n".join([*_sections(found, run), *files]), as_json=parsed.json)
    return 0


def study_path(given: str) -> Path:
    """The file that is named, or the one study of that name in the folders of runs/."""
    from counterfoil.rating.study import SUFFIX, studies_of

    if Path(given).is_file():
        return Path(given)
    folders = [folder for folder in Path("runs").glob("*") if folder.is_dir()]
    found = [path for folder in folders for path in studies_of(folder) if path.name == f"{given}{SUFFIX}"]
    if not found:
        raise UserError(f"There is no study {given}: name its file, as `counterfoil rate new` printed it.")
    if len(found) > 1:
        raise UserError(f"There are {len(found)} studies called {given}: name the file of one, such as {found[0]}.")
    return found[0]


def _sections(found: Results, run: Run | None) -> list[str]:
    progress = [["rater", "done", "replies"]]
    progress += [[name, f"{rater.done:,}", f"{rater.tasks:,}"] for name, rater in found.progress.items()]
    metrics = [estimate for estimate in found.estimates if estimate.model != "all"]
    over_all = [estimate for estimate in found.estimates if estimate.model == "all"]
    heading = f"{found.study}: {found.ratings:,} ratings of {found.suite}"
    if found.design:
        heading += f"; {found.design.drawn:,} of {found.design.replies:,} replies, "
        heading += f"drawn to correct {found.design.metric}" if found.design.metric else "each with the same chance"
    sections = [heading, table(progress)]
    for title, some in (("metric", metrics), ("agreement", over_all), ("pairs of raters", found.pairwise)):
        if some:
            sections.append(table([[title, "", "", "n", "clusters"], *map(_row, some)]))
    sections += _corrected(found, run) if run is not None else []
    sections += ["\n".join(some) for some in (found.judges, found.leaning) if some]
    return [*sections, f"Disagreements: {found.disagreements:,}, of which {found.undecided:,} are not decided yet."]


def _corrected(found: Results, run: Run) -> list[str]:
    """The overall figures as reported, as corrected and by people alone; or why there are none."""
    from counterfoil.figures.corrections import correction_sentences, corrections_of

    if found.not_corrected:
        return [f"No figure was corrected. {found.not_corrected}"]
    reported = [one for one in run.estimates if BASIS not in one.group]
    sentences = correction_sentences(corrections_of([*reported, *found.corrected]))
    return ["\n".join(sentences)] if sentences else []


def _row(of: Estimate) -> list[str]:
    from counterfoil.figures.numbers import with_interval

    side = [] if of.model == "all" else [of.model, of.variant]
    where = ", ".join(map(str, (*side, *of.group.values())))
    return [of.metric, where, with_interval(of), f"{of.n:,}", f"{of.clusters:,}"]
