"""What a reply says: which choice it takes, which number it states; for every suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.lazy import exports

__all__ = ["number_matches", "read_choice", "read_number"]

if TYPE_CHECKING:
    from counterfoil.reading.amounts import read_number
    from counterfoil.reading.choices import read_choice
    from counterfoil.reading.numbers import number_matches

# Loaded when they are used: who only cleans a text needs none of their patterns.
__getattr__ = exports(
    __name__,
    {
        "number_matches": "counterfoil.reading.numbers",
        "read_choice": "counterfoil.reading.choices",
        "read_number": "counterfoil.reading.amounts",
    },
)
