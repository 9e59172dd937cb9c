"""Sentences for the user, beside the results."""

from __future__ import annotations

import sys
from contextlib import suppress


def say(sentence: str) -> None:
    """Tell the user a sentence on standard error. Nobody may be listening any more: that is no reason to stop."""
    with suppress(OSError):
        print(sentence, file=sys.stderr, flush=True)
