"""A new study: a sample of a run's replies, and who rates which of them in which order."""

from __future__ import annotations

import random
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from counterfoil.errors import UserError
from counterfoil.rating.store import ADJUDICATOR, About, Design, Rater, Share, Study
from counterfoil.running.asked import question_of, questions_by_key, suite_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.running.sampling import chosen_units
from counterfoil.suite.opinions import Source, StudyTask
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.suite import Record

if TYPE_CHECKING:
    import polars as pl

SUFFIX = ".study.sqlite"
SAMPLE = 100
MOST_RATERS = 1_000
# A sample holds as much of each as the run does, and of the columns that the suite names.
STRATA = ("model", "variant", "outcome")
_NAME = re.compile(r"[^\W_][\w-]{0,63}")
LONGEST_NAME = 64


class _Drawn(NamedTuple):
    """A record that can be drawn, as `chosen_units` wants it."""

    unit: str
    family: str
    stratum: str


def study_path(run: Run, name: str) -> Path:
    """Where the study of that name lies: in the folder of its run."""
    if not _NAME.fullmatch(name):
        raise UserError(f"{name!r} is no name of a study: take up to 64 letters, digits, hyphens and underscores.")
    return run.folder / f"{name}{SUFFIX}"


def studies_of(folder: Path) -> list[Path]:
    """The studies of a run."""
    return sorted(folder.glob(f"*{SUFFIX}"))


def new_study(
    run: Run,
    name: str,
    *,
    raters: int | Sequence[str],
    per_question: int,
    sample: int = SAMPLE,
    seed: int = 0,
    data: str | None = None,
    metric: str | None = None,
) -> Study:
    """Draw `sample` replies, give each to `per_question` of the raters, and write the study's file. `raters`: how many,
    or their names. With a `metric`, the sample is one that corrects this metric well: by strata, whose chances differ
    and are known.

    The same run, numbers and seed give the same tasks, raters and orders; the tokens are always new.
    """
    path = study_path(run, name)
    names = [f"rater-{i}" for i in range(1, raters + 1)] if isinstance(raters, int) else checked_names(raters)
    raters = raters if isinstance(raters, int) else len(names)
    if not 1 <= raters <= MOST_RATERS:
        raise UserError(f"A study has from 1 to {MOST_RATERS:,} raters, not {raters}.")
    if not 1 <= per_question <= raters:
        raise UserError(f"With {raters} raters each reply can be rated by 1 to {raters} of them, not {per_question}.")
    if sample < 1:
        raise UserError(f"A sample has at least 1 reply, not {sample}.")
    suite = suite_of(run)
    form = suite.form
    if form is None:
        raise UserError(f"The suite {suite.name} has no form for people: give it a `form` and a method `task`.")
    if path.exists():
        raise UserError(f"There is a study {name} already, in {path}: take another name.")
    drawn, weights, shares = (
        (draw(run, sample, seed), None, {}) if metric is None else _draw_for(run, metric, sample, seed)
    )
    tasks = make_tasks(run, drawn, data, weights)
    people = [Rater(id=i, name=each, token=secrets.token_urlsafe(24)) for i, each in enumerate(names, start=1)]
    people.append(Rater(id=raters + 1, name=ADJUDICATOR, token=secrets.token_urlsafe(24)))
    about = About(
        name=name,
        suite=form.suite,
        suite_at=suite.place,
        options=run.manifest["options"],
        form=form,
        seed=seed,
        per_question=per_question,
        run=run.folder.name,
    )
    assigned = assign(tasks, raters, per_question, seed)
    return Study.create(path, about, tasks, people, assigned, design_of(run, drawn, metric, shares))


def checked_names(names: Sequence[str]) -> list[str]:
    """The names of raters, each once."""
    found = [" ".join(name.split()) for name in names]
    for name in found:
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise UserError(f"{name!r} is no name of a rater: take up to {LONGEST_NAME} letters.")
        if name == ADJUDICATOR:
            raise UserError(f"{ADJUDICATOR} is who decides where raters disagree: take another name for a rater.")
    if len(set(found)) < len(found):
        raise UserError(f"{max(found, key=found.count)} is named twice: name each rater once.")
    return found


def make_tasks(
    run: Run, records: Sequence[Record], data: str | None = None, weights: Sequence[float] | None = None
) -> list[StudyTask]:
    """A task for each of the records, numbered from 1; `data` names the questions where the run's have moved."""
    suite = suite_of(run)
    known = questions_by_key(run, data)
    tasks = []
    for number, record in enumerate(records, start=1):
        content = suite.task(run, question_of(suite, known, record), record)
        source = Source(
            **{name: record[name] for name in ("model", "variant", "question_id", "repeat", "cluster")},
            algorithm=content.algorithm,
            judges=content.judges,
            identity={name: record.get(name) for name in suite.identity if name != "question_id"},
            weight=1.0 if weights is None else weights[number - 1],
        )
        tasks.append(
            StudyTask(msgspec.structs.replace(content.task, id=number, language=record.get("language") or ""), source)
        )
    return tasks


class _Rateable(NamedTuple):
    """The records of a run whose replies people can rate, with the number of their `row`; the columns that a sample is
    stratified by, and those that tell records apart.
    """

    frame: pl.LazyFrame
    strata: list[str]
    keys: list[str]


def _rateable(run: Run) -> _Rateable:
    import polars as pl

    if not (run.folder / RECORDS).is_file():
        raise UserError(f"{run.folder} has no {RECORDS}: run the command that made it again.")
    suite = suite_of(run)
    frame = pl.scan_parquet(run.folder / RECORDS).with_row_index("row")
    columns = frame.collect_schema().names()
    has_text = pl.col("reply").str.strip_chars().str.len_bytes() > 0
    needed = [pl.col(name).is_not_null() for name in suite.rating_needs if name in columns]
    return _Rateable(
        frame.filter(has_text, ~pl.col("outcome").is_in(LEFT_OUT), *needed),
        [name for name in (*STRATA, *suite.rating_strata) if name in columns],
        [name for name in ("model", "variant", *suite.identity, "repeat") if name in columns],
    )


def rateable_rows(run: Run) -> list[int]:
    """The places of the records whose replies people can rate."""
    rows: list[int] = _rateable(run).frame.select("row").collect().to_series().to_list()
    return rows


def draw(run: Run, sample: int, seed: int) -> list[Record]:
    """A seeded sample of the replies that have a text, in an order that tells nothing. Each reply has the same chance,
    and each stratum its share.
    """
    import polars as pl

    frame, strata, keys = _rateable(run)
    light = frame.select("row", *dict.fromkeys((*keys, *strata))).collect()
    if not light.height:
        raise UserError(f"{run.folder} has no reply with a text that people could rate.")
    found = (
        _Drawn(str(row["row"]), repr([row[key] for key in keys]), repr([row[name] for name in strata]))
        for row in light.iter_rows(named=True)
    )
    rows = sorted(map(int, chosen_units(found, sample, seed)))
    records: list[Record] = list(frame.filter(pl.col("row").is_in(rows)).collect().drop("row").to_dicts())
    random.Random(f"{seed} tasks").shuffle(records)  # noqa: S311
    return records


def _draw_for(
    run: Run, metric: str, sample: int, seed: int
) -> tuple[list[Record], list[float], dict[str, dict[str, Share]]]:
    """A sample by strata, in an order that tells nothing; how many replies each stands for; and the strata."""
    import numpy as np
    import polars as pl

    from counterfoil.rating.strata import draw_strata, strata_of
    from counterfoil.running.records import read_scores

    suite = suite_of(run)
    strata = strata_of(suite, suite.placed(read_scores(run.folder / RECORDS)), rateable_rows(run), metric)
    places = draw_strata(strata, sample, seed)
    random.Random(f"{seed} tasks").shuffle(places)  # noqa: S311
    in_run, in_sample = (
        np.bincount(codes[codes >= 0], minlength=len(strata.names)) for codes in (strata.code, strata.code[places])
    )
    rows = _rateable(run).frame.filter(pl.col("row").is_in(places)).collect()
    records = {row.pop("row"): row for row in rows.to_dicts()}
    weights = [float(in_run[strata.code[place]] / in_sample[strata.code[place]]) for place in places]
    shares = {
        name: Share(in_run=int(there), in_sample=int(taken))
        for name, there, taken in zip(strata.names, in_run, in_sample, strict=True)
    }
    return [records[place] for place in places], weights, {"stratum": shares}


def design_of(
    run: Run, drawn: Sequence[Record], metric: str | None = None, more: Mapping[str, dict[str, Share]] | None = None
) -> Design:
    """How the sample was drawn, and how it compares with what it was drawn from."""
    frame, strata, _ = _rateable(run)
    there = frame.select(strata).collect()
    return Design(
        replies=there.height,
        drawn=len(drawn),
        metric=metric,
        shares={
            **(more or {}),
            **{
                name: {
                    str(value): Share(in_run=count, in_sample=sum(record[name] == value for record in drawn))
                    for value, count in there[name].value_counts(sort=True).sort(name, nulls_last=True).iter_rows()
                }
                for name in strata
            },
        },
    )


def assign(tasks: Sequence[StudyTask], raters: int, per_question: int, seed: int) -> dict[int, list[int]]:
    """For each rater the tasks in their order.

    Each task goes to the raters who have the fewest so far; among these to those who have the fewest of its model and
    variant, and then to those who have met the fewest times. So loads differ by one task at the most.
    """
    chance = random.Random(f"{seed} raters")  # noqa: S311
    load: Counter[int] = Counter()
    of_kind: Counter[tuple[int, str, str]] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    given: dict[int, list[int]] = {rater: [] for rater in range(1, raters + 1)}
    for task in sorted(tasks, key=lambda task: (task.source.model, task.source.variant, task.task.id)):
        kind = task.source.model, task.source.variant
        chosen: list[int] = []
        luck = {rater: chance.random() for rater in given}
        for _ in range(per_question):
            merits = {
                rater: (load[rater], of_kind[rater, *kind], sum(met[rater, other] for other in chosen), luck[rater])
                for rater in given
                if rater not in chosen
            }
            chosen.append(min(merits, key=merits.__getitem__))
        for rater in chosen:
            load[rater] += 1
            of_kind[rater, *kind] += 1
            met.update((rater, other) for other in chosen if other != rater)
            given[rater].append(task.task.id)
    for rater, numbers in given.items():
        random.Random(f"{seed} order {rater}").shuffle(numbers)  # noqa: S311
    return given


def same_replies(study: Study, run: Run) -> bool:
    """Whether the run still holds the very replies that were rated."""
    return not _changed(study, run)


def check_replies(study: Study, run: Run) -> None:
    """Refuse a run that does not hold the very replies that were rated."""
    if changed := _changed(study, run):
        raise UserError(
            f"{len(changed):,} of the {len(study.tasks()):,} replies that were rated in {study.about.name} are not in "
            f"{run.folder} any more, such as that to {changed[0].source.question_id}: nothing was written. Make a new "
            "study of the run as it is."
        )


def _changed(study: Study, run: Run) -> list[StudyTask]:
    """Those of its tasks whose very reply is not in the run."""
    import polars as pl

    tasks = study.tasks()
    names = list(tasks[0].source.columns) if tasks else ["question_id"]
    frame = pl.scan_parquet(run.folder / RECORDS)
    asked = {task.source.question_id for task in tasks}
    rows = frame.filter(pl.col("question_id").is_in(asked)).select(*names, "reply").collect()
    there = {row[:-1]: row[-1] for row in rows.iter_rows()}
    return [task for task in tasks if there.get(tuple(task.source.columns.values())) != task.task.reply]
