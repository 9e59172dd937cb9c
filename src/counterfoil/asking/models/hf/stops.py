"""Stop texts in a reply that grows token by token: only its end is read again with each token."""

from __future__ import annotations

from collections.abc import Callable, Sequence

# What the first token of a part can lose when it is read without those before it: a space, or a mark of its word.
LOST = 8
# What incomplete characters read as: their other bytes are in tokens to come.
INCOMPLETE = "\N{REPLACEMENT CHARACTER}"


class Stops:
    """Finds the first of several texts in what tokens read as, the moment that it is there.

    Read are the tokens from `_start` on, which are never fewer than the longest text has signs. `_next` is where they
    will be read from when what follows it is long enough. Both are places where a character ends.
    """

    def __init__(self, texts: Sequence[str], read: Callable[[Sequence[int]], str]) -> None:
        self._texts = texts
        self._read = read
        self._enough = max(map(len, texts), default=0) + LOST
        self._start = self._next = 0

    def cut(self, tokens: Sequence[int]) -> str | None:
        """All that is written before the first stop text; None where there is none. Call it with each new token."""
        if not self._texts:
            return None
        end = self._read(tokens[self._start :])
        if any(text in end for text in self._texts):
            whole = self._read(tokens)
            places = [place for text in self._texts if (place := whole.find(text)) >= 0]
            if places:
                return whole[: min(places)]
        if not end.endswith(INCOMPLETE) and len(self._read(tokens[self._next :])) >= self._enough:
            self._start, self._next = self._next, len(tokens)
        return None
