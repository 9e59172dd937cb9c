"""counterfoil tests language models' question answering against counterfactuals.

import counterfoil as cf

run = cf.run("explain", model="openai/gpt-4o", limit=100)
run.summary  # a polars frame: one row for each estimate, with its interval
cf.compare(run, "runs/earlier").table  # the same for differences
cf.report(run)  # one HTML page
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.lazy import exports

__version__ = "0.1.0"
__all__ = ["Estimate", "Metric", "Run", "Suite", "UserError", "compare", "report", "run", "score", "stats"]

if TYPE_CHECKING:
    from counterfoil import stats
    from counterfoil.api import compare, report, run, score
    from counterfoil.errors import UserError
    from counterfoil.running.folder import Run
    from counterfoil.stats.estimate import Estimate
    from counterfoil.stats.metric import Metric
    from counterfoil.suite.suite import Suite

# Loaded when they are used: `counterfoil --help` must not wait for them.
__getattr__ = exports(
    __name__,
    {
        "Estimate": "counterfoil.stats.estimate",
        "Metric": "counterfoil.stats.metric",
        "Run": "counterfoil.running.folder",
        "Suite": "counterfoil.suite.suite",
        "UserError": "counterfoil.errors",
        "compare": "counterfoil.api",
        "report": "counterfoil.api",
        "run": "counterfoil.api",
        "score": "counterfoil.api",
        "stats": "counterfoil.stats",
    },
)


def __dir__() -> list[str]:
    """What can be used, loaded or not: for completion."""
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
