"""What a study found: metrics, agreement, what is left to decide; and how it gets into the run's summary."""

from __future__ import annotations

import msgspec

from counterfoil.errors import UserError
from counterfoil.files import write_json
from counterfoil.rating.agreement import alphas, judges_for_people, pairwise, with_machines
from counterfoil.rating.form import HIGHEST_SCORE, Value
from counterfoil.rating.human import human_metrics
from counterfoil.rating.opinions import Opinion, Opinions
from counterfoil.rating.store import Progress, Study
from counterfoil.rating.study import same_replies
from counterfoil.running.folder import SUMMARY, Run, locked
from counterfoil.stats.estimate import Estimate

PREFIX = "human_"
# Scores that differ by more than this are a disagreement to be decided.
APART = 25.0
# A judge whose agreement with a person is at most this much below that of two people may stand in for one.
MARGIN = 0.1


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """An item that raters see otherwise. `spread`: how far apart they are, from 0 to 1."""

    task: int
    item: str
    values: dict[str, Value]
    spread: float
    decided: Value | None


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """All results of a study. `estimates` are what goes into the run's summary; `pairwise` names raters, and does not.

    `judges`: for each judge and measure one sentence on whether it can be trusted in place of people.
    """

    study: str
    suite: str
    form: str
    progress: dict[str, Progress]
    ratings: int
    estimates: list[Estimate]
    pairwise: list[Estimate]
    judges: list[str]
    disagreements: int
    undecided: int


def results(study: Study) -> Results:
    """From what holds now; a study may still be under way."""
    opinions = Opinions(study)
    gaps = judges_for_people(opinions)
    confusing_at = study.about.confusing_at
    apart = disagreements(study)
    return Results(
        study=study.about.name,
        suite=study.about.suite,
        form=study.form.version,
        progress={it.name: study.progress(it) for it in study.raters() if not it.is_adjudicator},
        ratings=len(study.latest()),
        estimates=[
            *human_metrics(opinions, confusing_at),
            *alphas(opinions),
            *with_machines(opinions, confusing_at),
            *gaps,
        ],
        pairwise=pairwise(opinions),
        judges=[trust(it) for it in gaps if it.metric == "human_judge_gap"],
        disagreements=len(apart),
        undecided=sum(it.decided is None for it in apart),
    )


def disagreements(study: Study) -> list[Disagreement]:
    """The items that raters see otherwise, furthest apart first, with what the adjudicator decided, if anything."""
    found = [
        Disagreement(
            task=it.made.task.id, item=it.item.key, values=dict(it.values), spread=_spread(it), decided=it.decided
        )
        for it in Opinions(study).all()
        if _disagree(it)
    ]
    return sorted(found, key=lambda it: (-it.spread, it.task))


def _disagree(opinion: Opinion) -> bool:
    return _spread(opinion) > (APART / HIGHEST_SCORE if opinion.question.kind == "score" else 0)


def _spread(opinion: Opinion) -> float:
    """Of scores how far the highest is from the lowest; of others the share that is not with the largest party."""
    labels = list(opinion.labels.values())
    if len(labels) < 2:
        return 0.0
    if opinion.question.kind == "score":
        scores = [float(it) for it in labels]
        return (max(scores) - min(scores)) / HIGHEST_SCORE
    return 1 - max(map(labels.count, labels)) / len(labels)


def trust(gap: Estimate) -> str:
    """Whether the judge can be trusted in place of a person on this, from `human_judge_gap`."""
    of = f"{gap.group['judge']} on {gap.group['question']}"
    if gap.value is None or gap.low is None or gap.high is None:
        return f"{of}: can't be told ({gap.note})."
    number = f"{gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]"
    if gap.low >= -MARGIN:
        return f"{of}: agrees with a person about as well as another person does, or better ({number})."
    if gap.high < 0:
        return f"{of}: agrees with people less than they do with each other ({number})."
    return f"{of}: too few ratings to tell whether it can stand in for a person ({number})."


def write_results(study: Study, run: Run) -> list[Estimate]:
    """Put the study's estimates into the run's summary, in the place of all `human_*` that were there.

    To do it again changes nothing. Refused where the run's replies are not the ones that were rated any more.
    """
    found = results(study)
    if not found.ratings:
        raise UserError(f"Nobody has rated anything in {study.about.name} yet: nothing was written.")
    with locked(run.folder):
        if not same_replies(study, run):
            raise UserError(
                f"The replies in {run.folder} are not those that were rated in {study.about.name} any more: nothing "
                "was written."
            )
        summary = run.whole_summary
        summary.estimates = [it for it in summary.estimates if not it.metric.startswith(PREFIX)] + found.estimates
        write_json(run.folder / SUMMARY, summary)
    return found.estimates
