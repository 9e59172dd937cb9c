"""Short names: models without what is the same for all of them, and never two that are equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

# A name is cut between its parts only: provider/model, model?setting=1&setting=2.
_PARTS = re.compile(r"[^/?&]*[/?&]?")
_JOINTS = "/?&"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each name without the first and last parts that all names share. One name alone stays whole."""
    whole = list(dict.fromkeys(names))
    split = [[part for part in _PARTS.findall(name) if part] for name in whole]
    if len(whole) < 2:
        return {name: name for name in whole}
    fewest = min(map(len, split))
    # Something of each name stays.
    first = min(_shared(split), max(fewest - 1, 0))
    bare = [[part.rstrip(_JOINTS) for part in parts[first:]][::-1] for parts in split]
    last = min(_shared(bare), max(min(map(len, bare)) - 1, 0))
    short = {
        name: "".join(parts[first : len(parts) - last]).rstrip(_JOINTS)
        for name, parts in zip(whole, split, strict=True)
    }
    is_clear = len(set(short.values())) == len(whole) and all(short.values())
    return short if is_clear else {name: name for name in whole}


def _shared(split: Sequence[Sequence[str]]) -> int:
    """How many first parts all have in common."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*split, strict=False)))


def distinct(texts: Sequence[str], shorten: Callable[[str], str]) -> list[str]:
    """The texts, shortened; where two would be the same then, each of these begins with its number."""
    made = [shorten(text) for text in texts]
    return [
        shorten(f"{number}: {text}") if len({texts[at] for at, other in enumerate(made) if other == one}) > 1 else one
        for number, (text, one) in enumerate(zip(texts, made, strict=True), 1)
    ]
