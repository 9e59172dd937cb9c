"""What a user of lm-eval sees of a mistake: our sentence, and no traceback around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from counterfoil.errors import UserError


class WrongUse(SystemExit, UserError):
    """A mistake in what a task was told. lm-eval has no error of its own for that and catches none: one that asks
    Python to exit is printed as it is, with exit code 1. Programs that call lm-eval catch it as a UserError.
    """


@contextmanager
def told(task: str) -> Iterator[None]:
    """Turn what is wrong with the use of a task into a sentence that names the task."""
    try:
        yield
    except UserError as error:
        sentence = str(error).removeprefix(f"{task}: ")
        raise WrongUse(f"counterfoil: {task}: {sentence}") from error
