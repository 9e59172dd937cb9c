"""What `memorization` plants for its self-test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from counterfoil.memorization.metrics import CONTROL_GAP, CONTROLS, MEMORIZATION_SUSPECT, ROBUST_ACCURACY
from counterfoil.memorization.planted import Settings, true_values
from counterfoil.perturbing.questions import Question
from counterfoil.suite.planting import Cell, Planting

MIDDLE = {"skill": 0.5, "memorized": 0.4, "slip": 0.05, "survives": 0.8, "unread": 0.0}
ABLE = {"skill": 0.9, "memorized": 0.2, "slip": 0.02, "survives": 1.0, "unread": 0.0}
PARROT = {"skill": 0.1, "memorized": 0.9, "slip": 0.1, "survives": 0.5, "unread": 0.0}
GUESSING = {"skill": 0.15, "memorized": 0.0, "slip": 0.1, "survives": 1.0, "unread": 0.0}
BETTER = {"skill": 0.8, "memorized": 0.1}
# The names that true values have in the planted module, where a metric comes in groups.
GROUPS = {
    **{f"{CONTROL_GAP.name} {control}": (CONTROL_GAP.name, f"control {control}") for control in CONTROLS},
    **{f"{metric.name} at 1": (metric.name, "k 1") for metric in (ROBUST_ACCURACY, MEMORIZATION_SUSPECT)},
}
DRAWS = 5


class MemorizationPlanting(Planting):
    """A cluster is an original with its draws and controls. It can be solved or not, and is remembered or not: so the
    correlation within clusters is always 1.
    """

    variant = "mcq"
    constant: Sequence[str] = ("slip", "survives", "unread")
    names: Sequence[str] = ("parent",)
    cells: Sequence[Cell] = (
        Cell(name="middling", clusters=8, settings=MIDDLE, correlation=1.0, compared=True),
        Cell(
            name="middling",
            clusters=30,
            settings=MIDDLE,
            correlation=1.0,
            options={"draws": 2},
            compared=True,
            other=BETTER,
        ),
        Cell(name="able", clusters=30, settings=ABLE, correlation=1.0),
        Cell(name="parrot", clusters=100, settings=PARROT, correlation=1.0, options={"draws": 2}),
        Cell(name="guessing", clusters=100, settings=GUESSING, correlation=1.0, options={"draws": 1}),
        Cell(name="middling", clusters=269, settings=MIDDLE, correlation=1.0, options={"draws": 1}),
    )

    def clusters(self, questions: Iterable[Question], cell: Cell) -> list[list[Question]]:
        made: dict[str, list[Question]] = {}
        for question in questions:
            made.setdefault(question.unit, []).append(question)
        return list(made.values())

    def settings_used(self, question: Question) -> Sequence[str]:
        return ("skill", "memorized", "slip", "survives", "unread")

    def truth(
        self, clusters: Sequence[Sequence[Question]], facts: None, cell: Cell, settings: Mapping[str, float]
    ) -> dict[tuple[str, str], float]:
        """The same for all questions: what a reply says does not depend on which it is."""
        values = true_values(Settings(**settings), cell.options.get("draws", DRAWS))  # type: ignore[arg-type]
        return {GROUPS.get(name, (name, "")): value for name, value in values.items()}
