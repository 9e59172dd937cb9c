"""Who carries the asks of a run in waves: a provider's batches, a cluster, or a sender in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from counterfoil.asking.asker import Halt
from counterfoil.asking.budget import Account
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.posting import Carrier, InThisProcess
from counterfoil.errors import UserError
from counterfoil.runs.askers import Say, most_places, sender_of
from counterfoil.runs.plan import Plan

CarrierOf = Callable[[Model, ModelSpec, Account], Carrier]

# What they need is in this process: the questions of the run, or a file of this machine.
STAY_HERE = ("planted", "replay")


@asynccontextmanager
async def open_carriers(plan: Plan, ledger: Ledger, halt: Halt, say: Say) -> AsyncIterator[CarrierOf]:
    """Gives the carrier for each model; what they share is open as long as the context is."""
    request = plan.request
    most = most_places(plan)

    def in_this_process(model: Model, spec: ModelSpec, account: Account) -> Carrier:
        return InThisProcess(sender_of(model, spec, ledger, most, account=account, halt=halt, say=say))

    async with AsyncExitStack() as stack:
        if request.batch:
            from counterfoil.asking.batches.carrier import BatchCarrier
            from counterfoil.asking.batches.providers import has_batches

            if not any(has_batches(spec.name) for spec in (*request.models, *request.judges)):
                raise UserError("None of these models has a batch interface: leave --batch out.")

            def carrier_of(model: Model, spec: ModelSpec, account: Account) -> Carrier:
                if has_batches(spec.name):
                    return BatchCarrier(model, spec, ledger, account=account, halt=halt, say=say)
                say(f"{spec.name} has no batch interface: it is asked as usual.")
                return in_this_process(model, spec, account)

        else:
            from counterfoil.asking.cluster.carrier import ClusterCarrier
            from counterfoil.asking.cluster.connection import open_cluster

            assert request.cluster is not None

            if all(spec.provider in STAY_HERE for spec in (*request.models, *request.judges)):
                raise UserError(f"{' and '.join(STAY_HERE)} models answer in this process: leave --engine ray out.")
            cluster = await stack.enter_async_context(open_cluster(request.cluster, say))

            def carrier_of(model: Model, spec: ModelSpec, account: Account) -> Carrier:
                if spec.provider in STAY_HERE:
                    return in_this_process(model, spec, account)
                return ClusterCarrier(model, spec, ledger, cluster=cluster, account=account, halt=halt, say=say)

        yield carrier_of
