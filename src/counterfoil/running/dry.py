"""What a run would ask, and what that would cost. Nothing is sent, and nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import msgspec

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Collector, Halt
from counterfoil.asking.batches.store import UnderWay
from counterfoil.asking.budget import FIRST_GUESS_TOKENS, Account, Budget, estimate_tokens
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.thinking import limit_of
from counterfoil.console import Say
from counterfoil.judging.step import opening
from counterfoil.running.askers import A, Askers, one_error
from counterfoil.running.folder import round_under_way
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import NoParts
from counterfoil.running.request import RunRequest
from counterfoil.running.rows import Item, unheard
from counterfoil.running.run import WINDOW, Pass, answer_all
from counterfoil.suite.suite import AnySuite

T = TypeVar("T")


class Product(msgspec.Struct, kw_only=True):
    """What the asks of each model are made of. `versions` are all orders or draws of the questions together; the suite
    says what they are `called`.
    """

    questions: int
    versions: int
    prompts: int
    repeats: int
    called: str

    @property
    def sentence(self) -> str:
        """Such as "20 questions × 3 orders × 5 prompts = 300 asks"."""
        from counterfoil.figures.numbers import plural

        each, rest = divmod(self.versions, self.questions)
        versions = f" in {self.versions:,} {self.called}" if rest else f" × {each:,} {self.called}" if each > 1 else ""
        prompts = f" × {plural(self.prompts, 'prompt')}"
        repeats = f" × {self.repeats:,} repeats" if self.repeats > 1 else ""
        asks = plural(self.versions * self.prompts * self.repeats, "ask")
        return f"{plural(self.questions, 'question')}{versions}{prompts}{repeats} = {asks} for each model."


class Least(msgspec.Struct, kw_only=True):
    """What a judge will be asked at the least."""

    to_ask: int
    input_tokens: int
    output_tokens: int | None
    cost: float | None


class DryRun(msgspec.Struct, kw_only=True):
    """One model's part. Tokens and cost are of the asks that are left, estimated; None where they can't be.

    `output_tokens` is what the replies in the ledger suggest, or else what the asks allow at the most. What a judge is
    asked depends on replies: its numbers are for every reply judged in every step, and those of `least` for the fewest
    steps. `under_way` are in batches that a run with --batch collects: they are paid for, and not to ask.
    """

    model: str
    judge: bool
    second_reader: bool = False
    asks: int
    in_ledger: int
    under_way: int
    to_ask: int
    input_tokens: int
    output_tokens: int | None
    cost: float | None
    note: str | None
    least: Least | None = None
    product: Product | None = None


class Finder(Collector):
    """Asks nobody. Counts what the ledger holds of one model's replies."""

    stopped: str | None = None
    trouble: str | None = None
    in_flight = 0
    places = 1
    adjustments: Sequence[str] = ()

    def __init__(
        self,
        model: Model,
        spec: ModelSpec,
        plan: Plan,
        ledger: Ledger,
        budget: Budget,
        outbox: Callable[[Ask], None] = lambda ask: None,
    ) -> None:
        super().__init__(ledger, outbox, Account(budget, plan.price(spec)))
        self.model = model


@dataclass
class Part:
    """Asks, and their tokens in."""

    asks: float = 0
    tokens: float = 0.0

    def add(self, tokens: float) -> None:
        self.asks += 1
        self.tokens += tokens

    def plus(self, other: Part, times: float) -> Part:
        return Part(self.asks + times * other.asks, self.tokens + times * other.tokens)


@dataclass(frozen=True)
class Coming:
    """Replies that judges will be asked about and that are not there yet: how many, and how many tokens one has."""

    replies: int
    reply_tokens: float


class Outbox(Finder):
    """Counts what would be sent to one model, too, and notes which of it is in a batch."""

    def __init__(self, model: Model, spec: ModelSpec, plan: Plan, ledger: Ledger, under_way: UnderWay) -> None:
        super().__init__(model, spec, plan, ledger, Budget(), self._take)
        self._times_wanted = 0
        self.in_batches: set[bytes] = set()
        self._collects = plan.request.batch
        self._under_way = under_way
        self._keys: set[bytes] = set()
        self._input_tokens = 0.0
        self._params = spec.params
        self._limit = limit_of(spec)

    def _take(self, ask: Ask) -> None:
        self._times_wanted += 1
        self._add(ask)

    def _add(self, ask: Ask) -> None:
        key = bytes.fromhex(ask.key)
        if key in self._keys or key in self.in_batches:
            return
        if self._under_way.holds(ask.key):
            self.in_batches.add(key)
            if self._collects:
                return
        self._keys.add(key)
        self._input_tokens += estimate_tokens(ask.prompt)

    @property
    def expected_output(self) -> float | None:
        """Tokens of a reply: those of the replies in the ledger, or else as many as it may have."""
        tally = self.account.tally
        return tally.output_tokens / tally.in_ledger if tally.in_ledger else self._limit

    @property
    def shown_tokens(self) -> float:
        """Tokens of a reply that a judge sees: without thoughts, for which the limit is raised."""
        return min(self.expected_output or FIRST_GUESS_TOKENS, self._params.get("max_tokens") or FIRST_GUESS_TOKENS)

    def result(self, product: Product, *, has_turns: bool) -> DryRun:
        """A model's part."""
        notes = ["later turns depend on the replies and are not counted"] if has_turns else []
        return self._row(len(self._keys), self._input_tokens, notes, product=product)

    def judged(self, plan: Plan, coming: Coming) -> DryRun:
        """A judge's part. Beside the asks that are known, others follow as replies come."""
        # What is judged about a reply ends with the first ask that has none: each of these is another reply's.
        unjudged = coming.replies + self._times_wanted
        shared = Part()
        about = {True: Part(), False: Part()}
        for some in batched(plan.questions if unjudged else (), WINDOW):
            of_question: list[tuple[Ask, bool]] = []
            for step in (step for question in some for step in plan.suite.judge_asks(question, self.model.name)):
                ask = self.model.ask(step.messages, self._params, step.sample)
                if step.about_reply:
                    about[step.certain].add(estimate_tokens(ask.prompt) + coming.reply_tokens)
                else:
                    of_question.append((ask, step.certain))
            found = self.ledger.get([ask.key for ask, _ in of_question])
            for ask, is_certain in of_question:
                if reply := found.get(ask.key):
                    self.account.found(ask.key, reply, ask)
                    continue
                if is_certain:
                    self._add(ask)
                if not self._collects or not self._under_way.holds(ask.key):
                    shared.add(estimate_tokens(ask.prompt))
        each, sure = 1 / plan.question_count, about[True]
        least = Part(len(self._keys), self._input_tokens).plus(sure, coming.replies * each)
        most = shared.plus(sure, unjudged * each).plus(about[False], unjudged * each)
        most = Part(max(most.asks, least.asks), max(most.tokens, least.tokens))
        notes = ["at the most: every reply judged in every step"] if most.asks > least.asks else []
        at_least = Least(
            to_ask=round(least.asks),
            input_tokens=round(least.tokens),
            output_tokens=_rounded(self._output(least.asks)),
            cost=self._cost(least.tokens, least.asks),
        )
        return self._row(round(most.asks), most.tokens, notes, least=at_least)

    def reread(self, plan: Plan, without_reply: Sequence[Item], coming: Coming) -> DryRun:
        """The second reader's part: the asks that are known, and one about each reply of its sample that is to come."""
        tokens = self._input_tokens
        for item in without_reply:
            task = plan.suite.reading_task(item.question, item.variant, Reply(status="ok", text=""))
            if task is not None:
                ask = self.model.ask(opening(task.step.prompt, task.content), self._params, 0)
                tokens += estimate_tokens(ask.prompt) + coming.reply_tokens
        row = self._row(len(self._keys) + len(without_reply), tokens, [])
        return msgspec.structs.replace(row, second_reader=True)

    def _row(
        self,
        to_ask: int,
        input_tokens: float,
        notes: list[str],
        *,
        least: Least | None = None,
        product: Product | None = None,
    ) -> DryRun:
        tally = self.account.tally
        collected = len(self.in_batches) if self._collects else 0
        if self.in_batches and not self._collects:
            notes = [f"{len(self.in_batches):,} under way in a batch: --batch collects them", *notes]
        if not tally.in_ledger:
            notes.append("output at its limit" if self._limit is not None else "length of replies unknown")
        if self.account.price is None:
            notes.append("price unknown: give it with --prices")
        return DryRun(
            model=self.model.name,
            judge=least is not None,
            asks=to_ask + collected + tally.in_ledger,
            in_ledger=tally.in_ledger,
            under_way=collected,
            to_ask=to_ask,
            input_tokens=round(input_tokens),
            output_tokens=_rounded(self._output(to_ask)),
            cost=self._cost(input_tokens, to_ask),
            note="; ".join(notes) if to_ask and notes else None,
            least=least,
            product=product,
        )

    def _output(self, asks: float) -> float | None:
        return None if self.expected_output is None else asks * self.expected_output

    def _cost(self, input_tokens: float, asks: float) -> float | None:
        output, price = self._output(asks), self.account.price
        return None if price is None or output is None else price.of_tokens(input_tokens, output)


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in parts of that size."""
    remaining = iter(items)
    while part := list(islice(remaining, size)):
        yield part


def _rounded(number: float | None) -> int | None:
    return None if number is None else round(number)


def dry_run(suite: AnySuite, request: RunRequest) -> list[DryRun]:
    """For each model and judge: asks, how many the ledger holds, and the tokens and cost of the others."""

    def dry(specs: Sequence[ModelSpec]) -> list[ModelSpec]:
        return [msgspec.structs.replace(spec, dry=True) for spec in specs]

    roles = ("models", "judges", "second_reader")
    request = msgspec.structs.replace(request, **{role: dry(getattr(request, role)) for role in roles})
    with Ledger(request.ledger, create=False) as ledger, UnderWay(request.ledger) as under_way:
        plan = make_plan(suite, request)
        if request.fresh:
            for model in plan.asked:
                model.begin_round(round_under_way(request.out) or "not begun")
        return asyncio.run(_dry_run(plan, ledger, under_way))


async def _dry_run(plan: Plan, ledger: Ledger, under_way: UnderWay) -> list[DryRun]:
    outboxes = _outboxes(plan, ledger, under_way)
    with one_error():
        counts = await answer_all(plan, ledger, outboxes, NoParts(), unheard)
    for box in outboxes.all:
        await box.model.close()
    product = Product(
        questions=len({question.unit for question in plan.questions}),
        versions=plan.question_count,
        prompts=len(plan.variants),
        repeats=plan.request.repeats,
        called=plan.suite.asked_in,
    )
    unasked = sum(of_model.outcomes[key] for of_model in counts for key in of_model.outcomes if key[2] == "not_asked")
    without_reply = [item for of_model in counts for item in of_model.without_reply]
    coming = Coming(unasked, max((box.shown_tokens for box in outboxes.models), default=0.0))
    return [
        *(box.result(product, has_turns=plan.suite.has_turns) for box in outboxes.models),
        *(box.judged(plan, coming) for box in outboxes.judges),
        *(box.reread(plan, without_reply, coming) for box in outboxes.second_reader),
    ]


def _outboxes(plan: Plan, ledger: Ledger, under_way: UnderWay) -> Askers[Outbox]:
    return _askers(plan, Halt(), lambda model, spec: Outbox(model, spec, plan, ledger, under_way))


def _askers(plan: Plan, halt: Halt, new_asker: Callable[[Model, ModelSpec], A]) -> Askers[A]:
    request = plan.request
    models, judges, second_reader = (
        [new_asker(model, spec) for model, spec in zip(some, specs, strict=True)]
        for some, specs in (
            (plan.models, request.models),
            (plan.judges, request.judges),
            (plan.second_reader, request.second_reader),
        )
    )
    return Askers(models, judges, second_reader, halt, plan)


async def count_earlier(plan: Plan, ledger: Ledger, askers: Askers[Any], one_pass: Pass) -> None:
    """What the run's replies in the ledger have cost uses up its budget before the first ask is sent."""
    if askers.budget.is_limited:
        budget = askers.budget.like()
        finders = _askers(plan, askers.halt, lambda model, spec: Finder(model, spec, plan, ledger, budget))
        await one_pass(finders, NoParts())
        for asker, finder in zip(askers.all, finders.all, strict=True):
            asker.account.note_earlier(finder.account)


async def say_what_is_in_batches(plan: Plan, ledger: Ledger, say: Say, one_pass: Pass) -> None:
    """A sentence for each model that has asks of this run in batches. Where there are none at all, nothing is done."""
    with UnderWay(ledger.path) as under_way:
        if under_way.is_empty:
            return
        outboxes = _outboxes(plan, ledger, under_way)
        with one_error():
            await one_pass(outboxes, NoParts())
    found: dict[str, set[bytes]] = {}
    for box in outboxes.all:
        found.setdefault(box.model.name, set()).update(box.in_batches)
    for name, keys in found.items():
        if keys:
            asks, them = (f"{len(keys):,} asks are", "them") if len(keys) > 1 else ("1 ask is", "it")
            say(
                f"{name}: {asks} under way in a batch already, and this run asks and pays for {them} again: "
                f"add --batch to collect {them} instead."
            )
