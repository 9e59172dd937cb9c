"""How far people agree: with each other, with the algorithm, with the judges; and whether a judge can stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from counterfoil.rating.form import HIGHEST_SCORE
from counterfoil.rating.human import ALL
from counterfoil.rating.opinions import (
    Label,
    Measured,
    Opinion,
    Opinions,
    confusion_of_questions,
    label,
    majority,
    measured_by_each,
    measured_together,
)
from counterfoil.stats import Estimate, cohen_kappa, spearman
from counterfoil.stats.krippendorff import Level, alpha_difference, krippendorff_alpha
from counterfoil.suite.form import FormQuestion

NAMES: dict[str, Any] = {"model": ALL, "variant": ALL}
PEOPLE = "people"
# The two labellings of the algorithm, with their columns of labels and scores.
ALGORITHM = {"threshold": "confusing", "confusion_index": "confusing_by_index"}
# What a judge and a person both say of a reply, and how it is compared.
JUDGED: Mapping[str, Level] = {
    "correct": "nominal",
    "confusion": "interval",
    "precision": "interval",
    "quality": "interval",
    "restraint": "nominal",
}


def alphas(opinions: Opinions) -> list[Estimate]:
    """Krippendorff's alpha for each question of the form: nominal; of scores interval and ordinal."""
    found = []
    everything = opinions.all()
    for question in opinions.form.questions:
        some = [it for it in everything if it.question.name == question.name]
        units = [list(it.labels.values()) for it in some]
        clusters = [it.made.source.cluster for it in some]
        levels: tuple[Level, ...] = ("interval", "ordinal") if question.kind == "score" else ("nominal",)
        for level in levels:
            group = {"question": question.name, "level": level}
            found.append(krippendorff_alpha(units, clusters, level=level, metric="human_alpha", group=group, **NAMES))
    return found


def pairwise(opinions: Opinions) -> list[Estimate]:
    """Cohen's kappa of any two raters who rated the same, for each question of the form; of scores Spearman, too."""
    found = []
    everything = opinions.all()
    for question in opinions.form.questions:
        some = [it for it in everything if it.question.name == question.name]
        raters = list(dict.fromkeys(rater for it in some for rater in it.values))
        for one, other in combinations(sorted(raters, key=_number), 2):
            both = [it for it in some if one in it.values and other in it.values]
            if both:
                found += _pair(question, both, one, other)
    return found


def _number(rater: str) -> tuple[int, str]:
    """rater-2 comes before rater-10."""
    return len(rater), rater


def _pair(question: FormQuestion, both: Sequence[Opinion], one: str, other: str) -> list[Estimate]:
    group = {"question": question.name, "between": f"{one} and {other}"}
    clusters = [it.made.source.cluster for it in both]
    first, second = ([it.labels[rater] for it in both] for rater in (one, other))
    if question.kind != "score":
        return [cohen_kappa(first, second, clusters, metric="human_kappa", group=group, **NAMES)]
    above = [[float(it) > HIGHEST_SCORE / 2 for it in column] for column in (first, second)]
    x, y = ([float(it) for it in column] for column in (first, second))
    return [
        cohen_kappa(above[0], above[1], clusters, metric="human_kappa", group=group, **NAMES),
        spearman(x, y, clusters, metric="human_spearman", group=group, **NAMES),
    ]


class _Side(NamedTuple):
    """What one side says: of questions, by their ids, and of replies, in their order; None, or no entry: nothing."""

    labels: Mapping[str, bool | None]
    confusion: Mapping[str, float]
    correct: Sequence[bool | None]
    score: Sequence[float | None]
    quality: Sequence[float | None]


def with_machines(opinions: Opinions, confusing_at: float) -> list[Estimate]:
    """People, algorithm and judges, pairwise: labels and confusion over questions, the others over replies."""
    if opinions.form.suite != "explain":
        return [_reading(opinions)]
    sources = [made.source for made in opinions.tasks]
    clusters = {it.question_id: it.cluster for it in sources}
    of_questions, of_replies = list(clusters.values()), [it.cluster for it in sources]
    found: list[Estimate] = []
    for (first, one), (second, other) in combinations(_sides(opinions, confusing_at).items(), 2):
        if first in ALGORITHM and second in ALGORITHM:
            continue
        more = NAMES | {"group": {"between": f"{first} and {second}"}}
        labels = [[side.labels.get(it) for it in clusters] for side in (one, other)]
        confusion = [[side.confusion.get(it) for it in clusters] for side in (one, other)]
        found += [
            cohen_kappa(labels[0], labels[1], of_questions, metric="human_label_kappa", **more),
            cohen_kappa(one.correct, other.correct, of_replies, metric="human_correct_kappa", **more),
            spearman(confusion[0], confusion[1], of_questions, metric="human_confusion_spearman", **more),
            spearman(one.score, other.score, of_replies, metric="human_score_spearman", **more),
            spearman(one.quality, other.quality, of_replies, metric="human_quality_spearman", **more),
        ]
    # Not every side says something of everything: the algorithm has no confusion score and no quality.
    return [it for it in found if it.n]


def _reading(opinions: Opinions) -> Estimate:
    pairs = [(made, opinion) for made in opinions.tasks for opinion in opinions.of(made).values()]
    read = [label(opinion.question, made.source.algorithm["reading"]) for made, opinion in pairs]
    said = [majority(opinion) for _, opinion in pairs]
    clusters = [made.source.cluster for made, _ in pairs]
    group = {"between": f"rules and {PEOPLE}"}
    return cohen_kappa(read, said, clusters, metric="human_reading_kappa", group=group, **NAMES)


def _sides(opinions: Opinions, confusing_at: float) -> dict[str, _Side]:
    sources = [made.source for made in opinions.tasks]
    nothing: list[Any] = [None] * len(sources)
    sides: dict[str, _Side] = {}
    for name, column in ALGORITHM.items():
        sides[name] = _Side(
            labels={source.question_id: source.algorithm[column] for source in sources},
            confusion={},
            # Both label the same readings: one of them is enough.
            correct=[source.algorithm["correct"] for source in sources] if name == "threshold" else nothing,
            score=[source.algorithm[f"score_{name}"] for source in sources],
            quality=nothing,
        )
    for judge in dict.fromkeys(judge for source in sources for judge in source.judges):
        said = [source.judges.get(judge, {}) for source in sources]
        scores = {source.question_id: it.get("confusion") for source, it in zip(sources, said, strict=True)}
        known = {question: score for question, score in scores.items() if score is not None}
        sides[judge] = _Side(
            labels={question: score > confusing_at for question, score in known.items()},
            confusion=known,
            correct=[_yes(it.get("correct")) for it in said],
            score=[it.get("f1") for it in said],
            quality=[it.get("quality") for it in said],
        )
    together = [opinions.of(made) for made in opinions.tasks]
    measures = [measured_together(it, made) for it, made in zip(together, opinions.tasks, strict=True)]
    people = confusion_of_questions(opinions)
    sides[PEOPLE] = _Side(
        labels={question: score > confusing_at for question, score in people.items()},
        confusion=people,
        correct=[_yes(majority(it["correct"])) for it in together],
        score=[it.f1 for it in measures],
        quality=[it.quality for it in measures],
    )
    return sides


def _yes(value: Label | None) -> bool | None:
    return None if value is None else bool(value)


def judges_for_people(opinions: Opinions) -> list[Estimate]:
    """For each judge and measure: alpha of two people, alpha of judge and person, on the same replies, and the
    difference of these. Pairs, so that both are alphas of two raters; only replies that two people rated.
    """
    if opinions.form.suite != "explain":
        return []
    found: list[Estimate] = []
    each = [measured_by_each(opinions.of(made), made) for made in opinions.tasks]
    for judge in dict.fromkeys(judge for made in opinions.tasks for judge in made.source.judges):
        for measure, level in JUDGED.items():
            people: list[tuple[float, float]] = []
            judged: list[tuple[float, float]] = []
            of_people: list[str] = []
            of_judged: list[str] = []
            for made, by_rater in zip(opinions.tasks, each, strict=True):
                verdict = made.source.judges.get(judge, {}).get(measure)
                said = [it for it in (_of_rater(one, measure) for one in by_rater.values()) if it is not None]
                if verdict is None or len(said) < 2:
                    continue
                pairs = list(combinations(said, 2))
                people += pairs
                of_people += [made.source.cluster] * len(pairs)
                judged += [(verdict, it) for it in said]
                of_judged += [made.source.cluster] * len(said)
            if not people:
                continue
            group = {"question": measure, "judge": judge}
            between = f"{judge} and {PEOPLE}"
            settings: dict[str, Any] = {"level": level, **NAMES}
            found += [
                _alpha(people, of_people, settings, group | {"between": PEOPLE}),
                _alpha(judged, of_judged, settings, group | {"between": between}),
                alpha_difference(
                    judged, people, of_judged, of_people, metric="human_judge_gap", group=group, **settings
                ),
            ]
    return found


def _alpha(units: Sequence[Any], clusters: Sequence[str], settings: Mapping[str, Any], group: Any) -> Estimate:
    return krippendorff_alpha(units, clusters, metric="human_pair_alpha", group=group, **settings)


def _of_rater(measures: Measured, measure: str) -> float | None:
    value: float | None = getattr(measures, "needed_only" if measure == "restraint" else measure)
    return value
