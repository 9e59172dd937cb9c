"""What a run writes of itself while it is under way, as one leaves it that was stopped half way."""

from __future__ import annotations

import socket

from counterfoil.running.live.state import Live, Work


def left_off(**values: object) -> Live:
    """A run that was left off half way by a process that is gone."""
    work = Work(
        name="planted/bias",
        role="model",
        done=4,
        total=8,
        in_flight=0,
        asked=4,
        in_ledger=0,
        failed=0,
        tokens=40,
        cost=0.25,
        trouble=None,
        stopped=None,
    )
    usual = Live(
        suite="bias",
        suite_at=None,
        options={},
        data={"name": "english", "given": "english", "sha256": ""},
        variants=["en"],
        columns=[],
        started_at="2026-01-01T00:00:00+00:00",
        seconds=2.0,
        works=[work],
        pid=2**22 - 1,
        host=socket.gethostname(),
    )
    return Live(**({name: getattr(usual, name) for name in Live.__struct_fields__} | values))
