"""What a second reader's readings of a sample are compared by: columns of records, and metrics.

The headline figures under both readings have their own names, with the group `reading`.
"""

from __future__ import annotations

from typing import Any

from counterfoil.stats.metric import Metric
from counterfoil.suite.outcome import SECOND_READER

# What the second reader has read, as text, and whether that is what was read before; null for replies it did not read.
SECOND_READING, READERS_AGREE = "second_reading", "readers_agree"
SECOND_COLUMNS: dict[str, Any] = {SECOND_READING: str, READERS_AGREE: bool}
# Replies that a second reader has read, and these once for each part of their readings.
REREAD, REREAD_PART = "reread reply", "part of a reread reply"
# Values of the group `reading`: the sample as the rules have read it, as the second reader has, and the second minus
# the first.
READING, RULES, SECOND, DIFFERENCE = "reading", "rules", SECOND_READER, "difference"

READING_AGREEMENT = Metric(
    name="reading_agreement",
    formula="Replies in which the second reader reads the same as the rules ÷ replies that it read; by how the rules "
    "came to their reading, and, where a reading has parts, by part.",
    says="How often a model reads in a reply what the rules read in it.",
    better="higher",
    mean="same",
    of=REREAD,
    groups=((), ("read_by",)),
)
PART_AGREEMENT = READING_AGREEMENT.changed(of=REREAD_PART, groups=(("part",),))
