"""The same rated replies to a judge again: does it say what was said before, and is it as near to people?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from counterfoil.console import table
from counterfoil.errors import UserError
from counterfoil.figures.numbers import cell, plural, with_interval
from counterfoil.files import explained, replacing
from counterfoil.rating.store import Study
from counterfoil.rating.study import make_tasks
from counterfoil.running.asked import suite_of
from counterfoil.running.folder import Run
from counterfoil.running.request import make_request
from counterfoil.running.score import score_replies
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import QUESTION, Metric
from counterfoil.stats.multiplicity import holm
from counterfoil.stats.summary import summarize
from counterfoil.suite.opinions import OVER_ALL, Judged, StudyTask
from counterfoil.suite.suite import AnySuite, Context

LEVEL = 0.05
# What is compared: what the judge says, and how far it is from people.
SAYS, ERRS = "level", "error"
JUDGE_DRIFT = Metric(
    name="judge_drift",
    formula="What the judge says now − what was said before of the same replies (level); how far it is from people now "
    "− how far it was (error). As shares, mean over replies.",
    says="Whether a judge says now what it said before.",
    better="zero",
    range=(-1.0, 1.0),
    tested=True,
)


class Drift(msgspec.Struct, kw_only=True):
    """How a judge differs from what was said before: `drifted` has a sentence for each difference that can be told and
    is larger than the margin. `left_out`: replies that were not judged again, or are read otherwise now.
    """

    judge: str
    against: str
    study: str
    run: str
    replies: int
    left_out: int
    estimates: list[Estimate]
    drifted: list[str]


def check_judge(
    judge: str,
    study: Study,
    *,
    against: str | None = None,
    margin: float = 0.0,
    out: Path | None = None,
    options: Mapping[str, Any] | None = None,
    say: Callable[[str], None],
) -> Drift:
    """Ask the judge about all rated replies of the study anew, and compare it with what was said before."""
    anchor = Run(study.path.parent)
    suite = suite_of(anchor)
    opinions = study.opinions()
    before = [one for one in suite.judged(opinions) if one.judge in one.task.source.judges]
    against = _against(judge, against, before, study)
    rated = list({one.task.task.id: one.task for one in before if one.judge == against}.values())
    folder = out or Path("runs") / f"judge-{study.about.name}-{re.sub('[^A-Za-z0-9.-]+', '-', judge).strip('-')[:80]}"
    run = _judged_again(suite, anchor, judge, rated, folder, options or {}, say)
    new = {_key(task): task for task in make_tasks(run, run.records.to_dicts(), anchor.manifest["data"]["given"])}
    again = [
        msgspec.structs.replace(task, source=msgspec.structs.replace(task.source, judges=found.source.judges))
        for task in rated
        if (found := new.get(_key(task))) is not None and found.task.alternatives == task.task.alternatives
    ]
    after = [one for one in suite.judged(opinions.of_tasks(again)) if one.judge == judge]
    estimates = _estimates([one for one in before if one.judge == against], after)
    if not estimates:
        raise UserError(f"{judge} has judged none of the rated replies: see {run.folder}.")
    replies = len({one.task.task.id for one in after})
    return Drift(
        judge=judge,
        against=against,
        study=study.about.name,
        run=str(run.folder),
        replies=replies,
        left_out=len(rated) - replies,
        estimates=estimates,
        drifted=[_sentence(one, judge, against) for one in estimates if _is_drift(one, margin)],
    )


def _against(judge: str, given: str | None, before: list[Judged], study: Study) -> str:
    """Whose verdicts are compared with: those of the name that is given, of the same judge, or of the only one."""
    there = list(dict.fromkeys(one.judge for one in before))
    if not there:
        raise UserError(
            f"{study.about.name} can't be an anchor: no judge has judged the replies that people rated. Its run must "
            "have had a --judge, and people must have rated something."
        )
    name = given or (judge if judge in there else there[0] if len(there) == 1 else None)
    if name not in there:
        what = f"no {name}" if name else "several"
        raise UserError(f"{study.about.name} has {what} among its judges: name one of {', '.join(there)} by --against.")
    return name


def _judged_again(
    suite: AnySuite,
    anchor: Run,
    judge: str,
    rated: list[StudyTask],
    folder: Path,
    options: Mapping[str, Any],
    say: Callable[[str], None],
) -> Run:
    """The rated replies as a run of their own, judged anew with the options of the anchor's."""
    replies = folder.with_name(f"{folder.name}.replies.jsonl")
    lines = [msgspec.json.encode({**task.source.columns, "reply": task.task.reply}) for task in rated]
    with explained(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with replacing(replies) as temporary:
        temporary.write_bytes(b"\n".join(lines) + b"\n")
    own = {option.key for option in suite.options}
    kept = {name: value for name, value in anchor.manifest["options"].items() if name in own and value is not None}
    given = {**kept, "judge": [judge], "data": anchor.manifest["data"]["given"], "out": str(folder), "fresh": True}
    context = Context(format="jsonl", files=(str(replies),))
    plain = type(suite)()
    plain.place = suite.place
    return score_replies(plain, make_request(plain, {**given, **options}, {}, "judge check", context), say)


def _key(task: StudyTask) -> tuple[Any, ...]:
    return tuple(task.source.columns.values())


def _estimates(before: list[Judged], after: list[Judged]) -> list[Estimate]:
    """Of each measure that both say something of; the p-values are adjusted after Holm over all of them."""
    old = {(one.measure, one.task.task.id): one for one in before}
    found: list[Estimate] = []
    for measure in dict.fromkeys(one.measure for one in after):
        of_measure = {(measure, one.task.task.id): one for one in after if one.measure == measure}
        pairs = [(old[key], one) for key, one in of_measure.items() if key in old]
        rows = [
            {
                **OVER_ALL,
                "cluster": new.task.source.cluster,
                SAYS: new.said - was.said,
                ERRS: abs(new.said - new.people) - abs(was.said - was.people),
            }
            for was, new in pairs
        ]
        if rows:
            frame = pl.DataFrame(rows)
            label = (("question", measure),)
            metrics = [JUDGE_DRIFT.changed(mean=of, label=(*label, ("of", of))) for of in (SAYS, ERRS)]
            found += summarize(metrics, {QUESTION: frame})
    for one, p in zip(found, holm([one.p for one in found]), strict=True):
        one.p = p
    return found


def _is_drift(one: Estimate, margin: float) -> bool:
    return one.p is not None and one.p < LEVEL and one.value is not None and abs(one.value) > margin


def _sentence(one: Estimate, judge: str, against: str) -> str:
    what, value = one.group["question"], one.value or 0.0
    who = "before" if judge == against else against
    if one.group["of"] == SAYS:
        how = f"gives {'more' if value > 0 else 'less'} than {who}"
    else:
        how = f"is {'further from' if value > 0 else 'nearer to'} people than {who}"
    return f"On {what}, {judge} {how}: {with_interval(one)} (p = {cell(one.p)}, after Holm)."


def drift_text(found: Drift) -> str:
    """The table, and the verdict in words."""
    rows = [["question", "of", f"now − {'before' if found.judge == found.against else found.against}", "p", "n"]]
    rows += [
        [str(one.group["question"]), str(one.group["of"]), with_interval(one), cell(one.p), f"{one.n:,}"]
        for one in found.estimates
    ]
    left = f", {plural(found.left_out, 'reply', 'replies')} left out" if found.left_out else ""
    heading = f"{found.judge} on {plural(found.replies, 'rated reply', 'rated replies')} of {found.study}{left}."
    verdict = "\n".join(found.drifted) or "No drift can be told."
    return "\n\n".join([heading, table(rows), verdict, f"The verdicts are in {found.run}."])
