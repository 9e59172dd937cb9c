"""A run in waves: what its carriers say of themselves, and what becomes of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import SUITE
from counterfoil.asking.ask import Message
from counterfoil.asking.asker import Halt, NotAsked, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.pace import Pace
from counterfoil.asking.posting import InThisProcess, Poster
from counterfoil.cli.results import run_and_show
from counterfoil.running import waves
from counterfoil.running.askers import most_places, sender_of
from counterfoil.running.plan import Plan
from counterfoil.running.request import make_request
from counterfoil.running.waves import CarrierOf
from counterfoil.suite.finding import load_suite
from mock_server import MockServer, held
from waiting import until


class Forgetful(InThisProcess):
    """A carrier that was to store what it carries elsewhere, too, and finds at the end that it could not."""

    async def close(self) -> None:
        await super().close()
        self.not_stored = ["30 replies could not be written"]


@asynccontextmanager
async def forgetful(plan: Plan, ledger: Ledger, halt: Halt, say: Any) -> AsyncIterator[CarrierOf]:
    def carrier_of(model: Model, spec: ModelSpec, account: Account) -> InThisProcess:
        sender = sender_of(model, spec, ledger, most_places(plan), account=account, halt=halt, say=say)
        return Forgetful(sender)

    yield carrier_of


def test_what_was_to_be_stored_and_is_not_makes_a_run_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(waves, "open_carriers", forgetful)
    with MockServer() as server:
        run = cf.run(SUITE, model="vllm/m", base_url=server.url, data="30", engine="ray", out="r")
    assert not run.is_complete
    assert run.outcomes[0]["answered"] == 30
    assert run_and_show(lambda: run, make_request(load_suite(SUITE), {"out": "r"}, {}, ""), as_json=True) == 1
    assert cf.Run(run.folder).is_complete, "the folder itself lacks nothing"


def test_a_stop_leaves_what_was_not_asked_neither_done_nor_in_flight(tmp_path: Path) -> None:
    async def main() -> None:
        spec = ModelSpec(name="vllm/m", base_url=server.url)
        model, halt, account = open_model(spec), Halt(), Account(Budget(), None)
        with Ledger(tmp_path / "ledger.sqlite") as ledger:
            pace = Pace(fixed=3)
            sender = Sender(
                model, ledger, pace=pace, timeout=300, account=account, halt=halt, say=lambda sentence: None
            )
            carrier = InThisProcess(sender)
            poster = Poster(model, carrier, ledger, account=account, halt=halt)
            for number in range(20):
                with pytest.raises(NotAsked):
                    await poster.ask(model.ask([Message("user", f"{number}?")], {}, 0))
            await until(lambda: len(server.requests) == 3)
            # Three are with the server, the others wait for their turn.
            assert (carrier.total, carrier.done, poster.in_flight) == (20, 0, 3)
            halt.stop("interrupted")
            stopped.set()
            await carrier.wait_for_all()
            assert (carrier.total, carrier.done, poster.in_flight) == (3, 3, 0)
            await carrier.close()

    stopped = threading.Event()
    with MockServer(lambda request: held(stopped)) as server:
        asyncio.run(main())
    assert len(server.requests) == 3
