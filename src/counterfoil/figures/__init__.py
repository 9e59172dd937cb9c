"""Figures as data: plots, numbers and sentences that a suite wants shown. `report/` draws and prints them."""

from __future__ import annotations

from counterfoil.figures.numbers import forest, naming, overall, with_interval
from counterfoil.figures.plots import Axis, Counts, Dot, Dots, Histogram, Lines, Plot, Point, Scatter
from counterfoil.figures.sentences import extremes, sides

__all__ = [
    "Axis",
    "Counts",
    "Dot",
    "Dots",
    "Histogram",
    "Lines",
    "Plot",
    "Point",
    "Scatter",
    "extremes",
    "forest",
    "naming",
    "overall",
    "sides",
    "with_interval",
]
