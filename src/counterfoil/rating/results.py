"""What a study found: metrics, agreement, what is left to decide; how it gets into the run's summary, and into CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from counterfoil.comparing.corrected import CorrectedFigure, write_corrected
from counterfoil.errors import UserError
from counterfoil.files import replacing, write_json
from counterfoil.rating.judge_bias import bias_sentences, judge_bias
from counterfoil.rating.store import HIGHEST_SCORE, About, Design, Progress, Study
from counterfoil.rating.study import check_replies
from counterfoil.report.tables import neutral
from counterfoil.running.folder import SUMMARY, Run, locked
from counterfoil.stats import Estimate, cohen_kappa, spearman
from counterfoil.stats.estimate import BASES, BASIS
from counterfoil.stats.krippendorff import Level, krippendorff_alpha
from counterfoil.suite.finding import suite_of_run
from counterfoil.suite.form import FormQuestion
from counterfoil.suite.opinions import OVER_ALL, Opinion, Opinions
from counterfoil.suite.people import HUMAN_ALPHA, HUMAN_JUDGE_GAP, HUMAN_KAPPA, HUMAN_SPEARMAN, JUDGE_BIAS
from counterfoil.suite.suite import AnySuite, Suite

if TYPE_CHECKING:
    from counterfoil.rating.correction import Figure

PREFIX = "human_"
# Scores that differ by more than this are a disagreement to be decided.
APART = 25.0
# A judge whose agreement with a person is at most this much below that of two people may stand in for one.
MARGIN = 0.1


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """All results of a study. `estimates` are what goes into the run's summary; `pairwise` names raters, and does not.

    `judges`: for each judge and measure one sentence on whether it can be trusted in place of people. `leaning`: what
    judges' errors depend on.
    """

    study: str
    suite: str
    form: str
    design: Design | None
    progress: dict[str, Progress]
    ratings: int
    estimates: list[Estimate]
    pairwise: list[Estimate]
    judges: list[str]
    leaning: list[str] = []
    disagreements: int
    undecided: int
    # Figures of the whole run as the labels correct them; else why they don't.
    corrected: list[Estimate] = []
    not_corrected: str | None = None


def suite_of_study(about: About, place: str | None) -> AnySuite:
    """The suite of the study's run: by its name, or from this place. Where it can't be had, one that knows nothing but
    the form.
    """
    try:
        return type(suite_of_run(about.suite, place))(about.options)
    except UserError:
        return Suite()


def results(study: Study, suite: AnySuite | None = None, *, run: Run | None = None, data: str | None = None) -> Results:
    """From what holds now; a study may still be under way. Without a suite, the study says where that is. With its
    run, also what the labels make of the run's figures.
    """
    return _found(study, suite, run, data)[0]


def _found(
    study: Study, suite: AnySuite | None, run: Run | None, data: str | None
) -> tuple[Results, list[CorrectedFigure]]:
    """The results, and what `compare` needs of corrected figures."""
    suite = suite or suite_of_study(study.about, study.about.suite_at)
    opinions = study.opinions()
    agreement = suite.human_agreement(opinions)
    apart = disagreements(study)
    figures, not_corrected = _corrected(study, run, data)
    leaning = judge_bias(suite.judged(opinions))
    found = Results(
        study=study.about.name,
        suite=study.about.suite,
        form=study.form.version,
        design=study.design(),
        progress={rater.name: study.progress(rater) for rater in study.raters() if not rater.is_adjudicator},
        ratings=len(study.latest()),
        estimates=[*suite.human_metrics(opinions), *alphas(opinions), *agreement, *leaning],
        pairwise=pairwise(opinions),
        judges=[trust(estimate) for estimate in agreement if estimate.metric == HUMAN_JUDGE_GAP.name],
        leaning=bias_sentences(leaning),
        disagreements=len(apart),
        undecided=sum(opinion.decided is None for opinion in apart),
        corrected=[one for figure in figures for one in figure.estimates],
        not_corrected=not_corrected,
    )
    return found, [one for figure in figures if (one := figure.by_cluster) is not None]


def _corrected(study: Study, run: Run | None, data: str | None) -> tuple[list[Figure], str | None]:
    """The corrected figures, or why there are none."""
    import polars as pl

    from counterfoil.rating.correction import corrected_figures

    if run is None:
        return [], None
    try:
        return corrected_figures(study, run, data), None
    except UserError as error:
        return [], str(error)
    except pl.exceptions.ColumnNotFoundError as error:
        lacking = str(error).splitlines()[0]
        return [], f"The records of {run.folder} are of another version ({lacking}): run or score it again."


def alphas(opinions: Opinions) -> list[Estimate]:
    """Krippendorff's alpha for each question of the form: nominal; of scores interval and ordinal."""
    found = []
    for question, some in _by_question(opinions):
        units = [list(opinion.labels.values()) for opinion in some]
        clusters = [opinion.of.source.cluster for opinion in some]
        levels: tuple[Level, ...] = ("interval", "ordinal") if question.kind == "score" else ("nominal",)
        for level in levels:
            group = {"question": question.name, "level": level}
            found.append(
                krippendorff_alpha(units, clusters, level=level, metric=HUMAN_ALPHA.name, group=group, **OVER_ALL)
            )
    return found


def pairwise(opinions: Opinions) -> list[Estimate]:
    """Cohen's kappa of any two raters who rated the same, for each question of the form; of scores Spearman, too."""
    found = []
    for question, some in _by_question(opinions):
        raters = dict.fromkeys(rater for opinion in some for rater in opinion.values)
        # rater-2 comes before rater-10.
        for one, other in combinations(sorted(raters, key=lambda rater: (len(rater), rater)), 2):
            both = [opinion for opinion in some if one in opinion.values and other in opinion.values]
            if both:
                found += _pair(question, both, one, other)
    return found


def _by_question(opinions: Opinions) -> Iterator[tuple[FormQuestion, list[Opinion]]]:
    everything = opinions.all()
    for question in opinions.form.questions:
        yield question, [opinion for opinion in everything if opinion.question.name == question.name]


def _pair(question: FormQuestion, both: Sequence[Opinion], one: str, other: str) -> list[Estimate]:
    group = {"question": question.name, "between": f"{one} and {other}"}
    clusters = [opinion.of.source.cluster for opinion in both]
    first, second = ([opinion.labels[rater] for opinion in both] for rater in (one, other))
    if question.kind != "score":
        return [cohen_kappa(first, second, clusters, metric=HUMAN_KAPPA.name, group=group, **OVER_ALL)]
    x, y = ([float(score) for score in column] for column in (first, second))
    above_x, above_y = ([score > HIGHEST_SCORE / 2 for score in column] for column in (x, y))
    return [
        cohen_kappa(above_x, above_y, clusters, metric=HUMAN_KAPPA.name, group=group, **OVER_ALL),
        spearman(x, y, clusters, metric=HUMAN_SPEARMAN.name, group=group, **OVER_ALL),
    ]


def disagreements(study: Study) -> list[Opinion]:
    """The items that raters see otherwise, furthest apart first."""
    opinions = ((spread(opinion), opinion) for opinion in study.opinions().all())
    apart = [pair for pair in opinions if pair[0] > (APART / HIGHEST_SCORE if pair[1].question.kind == "score" else 0)]
    return [opinion for _, opinion in sorted(apart, key=lambda pair: (-pair[0], pair[1].of.task.id))]


def spread(opinion: Opinion) -> float:
    """How far raters are apart, from 0 to 1: of scores from the lowest to the highest; of others the share that is not
    with the largest party.
    """
    labels = list(opinion.labels.values())
    if len(labels) < 2:
        return 0.0
    if opinion.question.kind == "score":
        scores = [float(label) for label in labels]
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


def write_results(study: Study, run: Run, data: str | None = None) -> Results:
    """Put the study's estimates into the run's summary, in the place of all `human_*` and corrected ones that were
    there.

    To do it again changes nothing. Refused where the run's replies are not the ones that were rated any more.
    """
    found, figures = _found(study, None, run, data)
    if not found.ratings:
        raise UserError(f"Nobody has rated anything in {study.about.name} yet: nothing was written.")
    with locked(run.folder):
        check_replies(study, run)
        summary = run.whole_summary
        kept = [
            one
            for one in summary.estimates
            if not (one.metric.startswith(PREFIX) or one.metric == JUDGE_BIAS.name or one.group.get(BASIS) in BASES)
        ]
        summary.estimates = kept + found.estimates + found.corrected
        write_corrected(run.folder, figures)
        write_json(run.folder / SUMMARY, summary)
    return found


_NUMBERS = ("id", "task", "undoes", "repeat")
COLUMNS = (
    *("id", "at", "form", "rater", "task", "question", "alternative"),
    *("value", "undoes", "holds", "model", "variant", "question_id", "repeat"),
)


def write_csv(study: Study, path: Path) -> None:
    """Every rating that was ever saved, in that order, a row each. No cell is a formula.

    `holds`: whether it is the latest of its item, and was not taken back. `value` is empty where an answer was taken
    back; yes and no are true and false.
    """
    import polars as pl

    tasks = {task.task.id: task for task in study.tasks()}
    holding = {rating.id for rating in study.latest()}
    rows = []
    for rating in study.history():
        task, source = tasks[rating.task].task, tasks[rating.task].source
        question, _, place = rating.item.partition(".")
        value = str(rating.value).lower() if isinstance(rating.value, bool) else rating.value
        named = task.alternatives[int(place)] if place else None
        rows.append(
            (
                *(rating.id, rating.at, rating.form, rating.rater, rating.task, question, named),
                *(None if value is None else f"{value:g}" if isinstance(value, float) else value, rating.undoes),
                *("true" if rating.id in holding else "false", source.model, source.variant),
                *(source.question_id, source.repeat),
            )
        )
    types = {name: pl.Int64 if name in _NUMBERS else pl.String for name in COLUMNS}
    frame = pl.DataFrame(rows, schema=types, orient="row")
    with replacing(path) as temporary:
        frame.with_columns(pl.col(pl.String).pipe(neutral)).write_csv(temporary, include_bom=True)
