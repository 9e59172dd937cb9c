"""`python lm_eval_alone.py ARGUMENTS`: lm_eval's command line without reading the files of its own 14,000 tasks."""

from __future__ import annotations

from functools import partialmethod

from lm_eval.__main__ import cli_evaluate
from lm_eval.tasks import TaskManager

if __name__ == "__main__":
    TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)  # type: ignore[method-assign]
    cli_evaluate()
