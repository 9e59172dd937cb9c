"""Where the uncertainty of the headline figures comes from, as a table and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.console import table
from counterfoil.figures.names import short_names
from counterfoil.stats.variance.explained import SAMPLE, SOURCES, Explained, share_of

TITLE = "Where uncertainty comes from"


def worth_telling(figures: Sequence[Explained]) -> list[Explained]:
    """Those whose uncertainty could come from elsewhere than the questions."""
    return [one for one in figures if one.is_mixed]


def uncertainty_text(every: Sequence[Explained]) -> str:
    """The table for a terminal, with what it says; empty where there is nothing to tell."""
    if not (figures := worth_telling(every)):
        return ""
    return f"{TITLE}\n\n{table([head(figures), *rows(figures)])}\n\n{words(figures)}"


def head(figures: Sequence[Explained]) -> list[str]:
    """The columns: shares of the variance, then how much narrower the interval would be with twice as many."""
    known = _known(figures)
    return ["figure", "model", "over all prompts", *known, *(f"2 × {source}" for source in known)]


def rows(figures: Sequence[Explained]) -> list[list[str]]:
    known, names = _known(figures), short_names(one.model for one in figures)
    return [
        [
            one.name,
            names[one.model],
            f"{one.value:z.3f} [{one.low:z.3f}, {one.high:z.3f}]",
            *(share_of(one.shares, source) for source in known),
            *(share_of(one.narrower, source, "−") for source in known),
        ]
        for one in figures
    ]


def words(figures: Sequence[Explained]) -> str:
    """What the columns mean, and of which prompts the intervals speak."""
    first = figures[0]
    repeats = (
        ""
        if any(one.shares["repeats"] is not None for one in figures)
        else (" Each question was asked once: what asking again would change is part of the questions' share.")
    )
    if first.prompts < 2:
        about = ""
    elif first.prompts_are == SAMPLE:
        about = f" The interval takes the {first.prompts} prompts for a sample of all that could have been written."
    else:
        about = f" The interval is about these {first.prompts} prompts (--prompts-are fixed), and not about others."
    return (
        "Shares of the variance that other questions, prompts, repeats or judges would bring; then by how much twice "
        f"as many would narrow the interval, prompts taken for a sample.{repeats}{about}"
    )


def _known(figures: Sequence[Explained]) -> list[str]:
    return [source for source in SOURCES if any(one.shares[source] is not None for one in figures)]
