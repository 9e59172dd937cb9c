"""Which questions are held out: whatever has anything in common is on one side."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from counterfoil.errors import UserError


def held_out(marks: Sequence[Sequence[str]], share: float, seed: int) -> list[bool]:
    """For each item, whether it is held out, where `share` of them are to be.

    Items with a mark in common hang together, and so do those that are linked through others: they are all held out,
    or none of them. What hangs together is taken in an order that depends on the seed and its smallest mark alone,
    each time if that brings the number of held-out items nearer to its share. Both sides hold something.
    """
    roots = _roots(marks)
    names: dict[int, str] = {}
    sizes: dict[int, int] = {}
    for root, own in zip(roots, marks, strict=True):
        names[root] = min(names.get(root, own[0]), *own)
        sizes[root] = sizes.get(root, 0) + 1
    if len(sizes) < 2:
        raise UserError("All questions hang together, by their template or their words: none of them can be held out.")
    ranked = sorted(sizes, key=lambda root: hashlib.sha256(f"{seed}:{names[root]}".encode()).digest())
    target, taken = share * len(marks), 0
    chosen: set[int] = set()
    for root in ranked:
        if taken + sizes[root] / 2 <= target and len(chosen) < len(sizes) - 1:
            taken += sizes[root]
            chosen.add(root)
    chosen = chosen or {min(ranked, key=lambda root: sizes[root])}
    return [root in chosen for root in roots]


def _roots(marks: Sequence[Sequence[str]]) -> list[int]:
    """For each item the first of those that it hangs together with (union-find, with halved paths)."""
    parents = list(range(len(marks)))

    def find(item: int) -> int:
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    first: dict[str, int] = {}
    for item, own in enumerate(marks):
        for mark in own:
            one, other = sorted((find(item), find(first.setdefault(mark, item))))
            parents[other] = one
    return [find(item) for item in range(len(marks))]
