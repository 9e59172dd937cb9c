"""Before asks are sent one by one: which of them are in a batch already, and will be paid for a second time."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.asker import Collector, Halt
from counterfoil.asking.batches.under_way import UnderWay
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model
from counterfoil.runs.askers import Askers, Say, first_error
from counterfoil.runs.plan import Plan
from counterfoil.runs.records import NoParts
from counterfoil.runs.through import Pass


async def say_what_is_under_way(plan: Plan, ledger: Ledger, say: Say, one_pass: Pass) -> None:
    """A sentence for each model that has asks of this run in batches. The questions are gone through for that only
    where there are batches at all.
    """
    with UnderWay(ledger.path) as under_way:
        if under_way.is_empty:
            return
        models, judges = ([_Looker(model, ledger, under_way) for model in some] for some in (plan.models, plan.judges))
        try:
            await one_pass(Askers(models, judges, Halt(), plan), NoParts())
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None
    found: dict[str, set[str]] = {}
    for looker in (*models, *judges):
        found.setdefault(looker.model.name, set()).update(looker.keys)
    for name, keys in found.items():
        if keys:
            asks, them = (f"{len(keys):,} asks are", "them") if len(keys) > 1 else ("1 ask is", "it")
            say(
                f"{name}: {asks} under way in a batch already, and this run asks and pays for {them} again: "
                f"add --batch to collect {them} instead."
            )


class _Looker:
    """Asks nobody, and notes the asks without a reply that are in a batch."""

    stopped: str | None = None
    in_flight = 0
    places = 1
    adjustments: Sequence[str] = ()

    def __init__(self, model: Model, ledger: Ledger, under_way: UnderWay) -> None:
        self.model = model
        self.account = Account(Budget(), None)
        self.keys: set[str] = set()
        self._under_way = under_way
        self._collector = Collector(ledger, self._note, self.account)

    async def ask(self, ask: Ask, *, looked_up: bool = False) -> Reply:
        return await self._collector.ask(ask, looked_up=looked_up)

    def _note(self, ask: Ask) -> None:
        if self._under_way.holds(ask.key):
            self.keys.add(ask.key)
