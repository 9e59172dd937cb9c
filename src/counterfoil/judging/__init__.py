"""Typed judge calls: a prompt and a reader for its replies, asked again where a reply can't be read."""

from counterfoil.judging.parsing import Score, read_list, read_ratings, read_score, read_verdict
from counterfoil.judging.step import Failure, JudgeAsk, Step, ask_step
from counterfoil.judging.text import Unreadable, find_entry, fold, unique

__all__ = [
    "Failure",
    "JudgeAsk",
    "Score",
    "Step",
    "Unreadable",
    "ask_step",
    "find_entry",
    "fold",
    "read_list",
    "read_ratings",
    "read_score",
    "read_verdict",
    "unique",
]
