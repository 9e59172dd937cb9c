"""explain: does the model clear up the confusion, where there is one, and only there?"""

from typing import TYPE_CHECKING

from counterfoil.lazy import exports

if TYPE_CHECKING:
    from counterfoil.explain.mentions.answer import answer_is_right
    from counterfoil.explain.reading import find_mentions, mention_spans

__all__ = ["answer_is_right", "find_mentions", "mention_spans"]

__getattr__ = exports(
    __name__,
    {
        "answer_is_right": "counterfoil.explain.mentions.answer",
        "find_mentions": "counterfoil.explain.reading",
        "mention_spans": "counterfoil.explain.reading",
    },
)
