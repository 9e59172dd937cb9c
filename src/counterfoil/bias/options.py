"""The options of `bias`, once: for the command line, the experiment file and the manifest."""

from __future__ import annotations

from counterfoil.bias.questions import ORDERS
from counterfoil.suite.options import Option

OPTIONS = (
    Option(
        name="orders",
        kind=int,
        least=1,
        most=ORDERS,
        default=ORDERS,
        metavar="N",
        help="in how many of the three orders of its choices each question is asked",
    ),
    Option(
        name="reading",
        choices=("counterfoil", "kobbq", "strict"),
        default="counterfoil",
        metavar="RULES",
        help="how a choice is read from a reply: our rules, KoBBQ's official ones, or a bare choice and nothing else",
    ),
    Option(
        name="by",
        choices=("text", "logprob"),
        default="text",
        metavar="WHAT",
        help="what counts: the text of the reply, or the most likely of the three letters",
    ),
    Option(
        name="out-of-choice",
        choices=("drop", "keep"),
        default="drop",
        metavar="POLICY",
        help="drop replies without a choice from accuracy and bias, as KoBBQ does, or keep them as wrong answers",
    ),
    Option(
        name="aggregate",
        choices=("pooled", "templates"),
        metavar="HOW",
        help="pool all replies, or take the mean over templates (default: pooled, but for KoBBQ's whole set)",
    ),
    Option(
        name="metadata",
        metavar="FILE",
        help="BBQ's additional_metadata.csv, which says whom stereotypes are about; or KoBBQ's survey: "
        "KoBBQ_templates.tsv or KoBBQ_survey_result.json",
    ),
    Option(name="column", repeatable=True, metavar="NAME", help="with --from bbq: the column of the predictions"),
    Option(
        name="write-official",
        metavar="FILE",
        part_of_run=False,
        is_target=True,
        help="write KoBBQ's official result table, too",
    ),
)
