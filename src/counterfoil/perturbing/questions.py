"""What a question of `memorization` is: an original, or one that was made from it by changing what it says."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Letter = Literal["A", "B", "C"]
LETTERS: tuple[Letter, Letter, Letter] = ("A", "B", "C")

Control = Literal["again", "reshuffled", "renamed", "lure"]
Status = Literal["verified", "refuted", "unverified"]
Source = Literal["bank", "recipe", "file", "proposed", "direct"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What was changed in the original, from what to what, as printed."""

    name: str
    before: str = msgspec.field(name="from")
    after: str = msgspec.field(name="to")


class Computed(msgspec.Struct, frozen=True, kw_only=True):
    """The answer before rounding: in decimal arithmetic, in floating point, and by the checking expression.

    At level 3 these are the unknown as it was drawn, the unknown as it was solved for, and the given answer by the
    checking expression.
    """

    decimal: str
    float: str
    check: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question with three options, one of them right; a line of a frozen set."""

    id: str
    # The id of the original; None for the original itself.
    parent: str | None
    template: str
    topic: str
    # 0 for originals and for all controls, the lure arm among them.
    level: int
    draw: int
    control: Control | None
    text: str
    options: tuple[str, str, str]
    gold: Letter
    # The gold as printed, with its unit.
    value: str
    # Digits behind the point that are asked for; with `percent`, behind the point of the percentage.
    digits: int
    percent: bool
    # Where the original's gold is among the options; at levels 1 to 3 it never is.
    old: Letter | None
    # The gold of another draw, in the lure arm.
    sham: Letter | None
    changes: tuple[Change, ...]
    steps: str
    expression: str
    computed: Computed | None
    status: Status
    source: Source

    @property
    def cluster(self) -> str:
        """Questions made from one template are not independent of each other."""
        return self.template

    @property
    def unit(self) -> str:
        """The original: a sample holds all that was made from it, or nothing."""
        return self.parent or self.id

    @property
    def kin(self) -> str:
        return self.unit

    @property
    def asked_before(self) -> int:
        """The control `again` has the words of the original; draws of `renamed` may have the same names."""
        if self.control == "again":
            return self.draw + 1
        return self.draw if self.control == "renamed" else 0

    @property
    def columns(self) -> dict[str, Any]:
        return {
            "parent": self.unit,
            "level": self.level,
            "draw": self.draw,
            "control": self.control,
            "topic": self.topic,
            "status": self.status,
        }

    @property
    def stratum(self) -> str:
        """A sample holds as much of each topic as its dataset does."""
        return self.topic
