"""The suites as tasks of Inspect: `inspect eval counterfoil/bias --model …`. Inspect loads this by its entry point.

What is asked, read, scored and estimated is what a run of counterfoil asks, reads, scores and estimates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from counterfoil import __version__
from counterfoil.adapters.bench import Bench, open_bench
from counterfoil.adapters.inspect.log import metric_values, record_score, sample_metadata
from counterfoil.asking.ask import Reply
from counterfoil.asking.models.inspect import chat_messages, generate_config, read_output
from counterfoil.errors import UserError
from counterfoil.suite.finding import load_suite, named_suites
from counterfoil.suite.inspect_logs import EARLIER, with_earlier
from counterfoil.suite.options import RUN_OPTIONS, Option, checked, nearest

# The options of `counterfoil run` that say what is asked. Inspect says who is asked, how often and with what.
TAKEN = ("data", "variant", "limit", "seed")
ELSEWHERE = {
    "model": "--model",
    "repeats": "--epochs",
    "temperature": "--temperature",
    "max_tokens": "--max-tokens",
    "base_url": "--model-base-url",
    "judge": "counterfoil score --from inspect LOG.eval --judge",
}


def _named_task(name: str) -> Any:
    """The task of a suite with a name. Inspect reads the parameters and their types from the signature."""

    def make(
        data: str | None = None,
        variant: Any = None,
        limit: int | None = None,
        seed: int = 0,
        groups: bool = True,
        **options: Any,
    ) -> Task:
        return _task(name, {"data": data, "variant": variant, "limit": limit, "seed": seed, **options}, groups)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Asks, reads, scores and estimates as `counterfoil run {name}` does."
    return task(name=name)(make)


# The suites of this package, and those that are installed.
TASKS: dict[str, Any] = {name: _named_task(name) for name in named_suites()}


def __getattr__(name: str) -> Any:
    """Each task under the name of its suite: `from counterfoil.adapters.inspect.tasks import bias`."""
    if name in TASKS:
        return TASKS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@task  # type: ignore[untyped-decorator]
def suite(
    suite: str,
    data: str | None = None,
    variant: Any = None,
    limit: int | None = None,
    seed: int = 0,
    groups: bool = True,
    **options: Any,
) -> Task:
    """A suite that has no name here: `inspect eval counterfoil/suite -T suite=MODULE:ATTRIBUTE`."""
    return _task(suite, {"data": data, "variant": variant, "limit": limit, "seed": seed, **options}, groups)


@solver  # type: ignore[untyped-decorator]
def conversation(suite: str, options: dict[str, Any]) -> Solver:
    """Asks turn by turn, until the suite says that the conversation is over."""
    bench = _bench(suite, options)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        place = bench.places[str(state.sample_id)]
        state = await generate(state)
        replies = [_reply(state)]
        while replies[-1].status == "ok":
            messages = bench.plan.suite.follow_up(place.question, place.variant, replies)
            if messages is None:
                break
            state.store.set(EARLIER, msgspec.to_builtins(replies))
            state.messages = chat_messages(messages)
            state = await generate(state)
            replies.append(_reply(state))
        return state

    return solve


@scorer(metrics=[])  # type: ignore[untyped-decorator]
def record(suite: str, options: dict[str, Any]) -> Scorer:
    """Reads and scores a reply: its value are the record's scores, its metadata is the record."""
    bench = _bench(suite, options)

    async def score(state: TaskState, target: Target) -> Score:
        place = bench.places[str(state.sample_id)]
        row = bench.row(place, str(state.model), _reply(state), state.epoch - 1)
        return record_score(row, bench.plan.suite, place.question.columns)

    return score


@metric(scores="unreduced")  # type: ignore[untyped-decorator]
def estimates(suite: str, options: dict[str, Any], groups: bool = True) -> Metric:
    """All estimates, from the records of every epoch; without `groups` the overall ones alone."""
    bench = _bench(suite, options)
    order = {id: number for number, id in enumerate(bench.places)}

    def compute(scores: list[SampleScore]) -> Value:
        found = [(order[str(score.sample_id)], score.score.metadata) for score in scores if score.score.metadata]
        rows = [row for _, row in sorted(found, key=lambda pair: (pair[0], pair[1]["repeat"]))]
        return metric_values(estimate for estimate in bench.estimates(rows) if groups or not estimate.group)

    return compute


def _task(suite: str, given: Mapping[str, Any], groups: bool) -> Task:
    try:
        options = _checked_options(suite, given)
        bench = _bench(suite, options, anew=True)  # files may have changed since
        config = generate_config(bench.params)
        samples = [
            Sample(
                id=place.id,
                input=chat_messages(place.messages),
                metadata=sample_metadata(place.question, place.variant.name),
            )
            for place in bench.places.values()
        ]
    except UserError as error:
        raise PrerequisiteError(str(error).replace("[", r"\[")) from error
    return Task(
        dataset=MemoryDataset(samples, name=bench.plan.dataset.name),
        solver=conversation(suite, options) if bench.plan.suite.has_turns else generate(),
        scorer=record(suite, options),
        metrics=[estimates(suite, options, groups)],
        config=config,
        # A question that failed is left out of all arms of a comparison, and not only of its own.
        score_on_error=True,
        version=__version__,
        metadata={"data_sha256": bench.plan.dataset.sha256},
    )


# Task, scorer and metric are made one after another from the same options.
_BENCHES: dict[str, Bench] = {}


def _bench(suite: str, options: Mapping[str, Any], *, anew: bool = False) -> Bench:
    key = json.dumps([suite, options], sort_keys=True)
    if anew or key not in _BENCHES:
        _BENCHES[key] = open_bench(suite, options)
    return _BENCHES[key]


def _checked_options(suite: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options given with -T, by the rules of the command line."""
    known = {option.key: option for option in RUN_OPTIONS if option.key in TAKEN}
    known |= {option.key: option for option in load_suite(suite).options if option.part_of_run}
    options = {}
    for name, value in given.items():
        if name in ELSEWHERE:
            raise UserError(f"{suite} takes no -T {name}: that is {ELSEWHERE[name]}.")
        if name not in known:
            raise UserError(
                f"{suite} takes no -T {name}{nearest(name, [*known, 'groups'])}. It takes: {', '.join(known)}, groups."
            )
        if value is not None:
            options[name] = checked(known[name], _as_meant(known[name], value), "-T ")
    return options


def _as_meant(option: Option, value: Any) -> Any:
    """A text for an option that is a text: Inspect reads 1 as a number."""
    if option.repeatable and isinstance(value, list | tuple):
        return [_as_meant(option, inner) for inner in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if option.kind is str and is_number else value


def _reply(state: TaskState) -> Reply:
    """The model's reply; failed where none came, since Inspect scores samples that ended in an error, too."""
    if state.output.empty and state.output.time is None:
        return Reply(status="failed", error=state.output.error or "no reply came")
    return with_earlier(read_output(state.output.model_dump()), state.store.get(EARLIER))
