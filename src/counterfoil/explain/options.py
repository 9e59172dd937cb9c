"""The options of `explain`, once: for the command line, the experiment file and the manifest."""

from __future__ import annotations

from counterfoil.explain.judging.judge import STEPS
from counterfoil.explain.judging.panel import MAJORITY, MEAN
from counterfoil.explain.questions import SCORE_KINDS
from counterfoil.explain.scoring import CONFUSING_AT
from counterfoil.suite.options import Option

OPTIONS = (
    Option(
        name="mentions",
        choices=("detect", "judge", "given"),
        default="detect",
        metavar="HOW",
        help="how mentioned candidates are found: by rules, by the first judge, or as the imported file says",
    ),
    Option(
        name="plausibility",
        choices=SCORE_KINDS,
        default=SCORE_KINDS[0],
        metavar="KIND",
        help="which of PlausibleQA's scores is the plausibility",
    ),
    Option(
        name="confusing-at",
        kind=float,
        least=0,
        most=100,
        default=CONFUSING_AT,
        metavar="SCORE",
        help="a question is confusing to a judge whose score is above this",
    ),
    Option(
        name="judge-swap",
        kind=bool,
        default=False,
        help="ask the intersection both ways, and report how often it changes",
    ),
    Option(
        name="judge-repeats",
        kind=int,
        least=1,
        default=1,
        help="ask each judge N times: its figures are means, and how far it differs from itself is told",
    ),
    Option(
        name="judge-panel",
        choices=(MEAN, MAJORITY),
        metavar="HOW",
        help="what several judges say together is a judge of its own, the panel: the mean, or what most say",
    ),
    Option(
        name="judge-prompt",
        repeatable=True,
        metavar="STEP=FILE",
        help=f"a text file with what judges are told in a step: {', '.join(STEPS)}",
    ),
    Option(name="judge-answer", kind=bool, default=False, help="let the judge say whether the answer is right, too"),
)
