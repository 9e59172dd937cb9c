"""The options of `memorization`, once: for the command line, the experiment file and the manifest."""

from __future__ import annotations

from counterfoil.suite.options import Option

DRAWS = 5

OPTIONS = (
    Option(
        name="levels",
        kind=int,
        least=1,
        most=3,
        repeatable=True,
        several=True,
        metavar="LEVEL",
        help="what changes: 1 one number, 2 two, 3 another unknown is asked for (default: 1; of a frozen set all)",
    ),
    Option(
        name="draws",
        kind=int,
        least=1,
        metavar="N",
        help=f"changed questions for each original, level and control (default: {DRAWS}; of a frozen set all)",
    ),
    Option(
        name="controls",
        kind=bool,
        default=True,
        help="also ask the original again, with its options reshuffled or computed anew, with its names changed, and "
        "questions that stand in for it",
    ),
    Option(name="lure", kind=bool, default=True, help="also offer the original's answer beside the right one"),
    Option(
        name="noise",
        kind=bool,
        help="also put one to three sentences that do not matter into the original and the changed questions (default: "
        "no; of a frozen set all that it has)",
    ),
    Option(
        name="topic",
        repeatable=True,
        metavar="TOPIC",
        help="only questions of this topic; of the bank also school maths, physics, dosage or tax, beside finance",
    ),
    Option(
        name="set-seed",
        kind=int,
        least=0,
        default=0,
        metavar="N",
        help="seed of the draws, where the questions come from templates",
    ),
    Option(
        name="tolerance",
        kind=float,
        least=0,
        metavar="X",
        help="how far a number may be from the right one (default: half a unit of the last digit asked for)",
    ),
)
