"""explain: does the model clear up the confusion, where there is one, and only there?"""

from counterfoil.explain.reading import answer_is_right, find_mentions, mention_spans

__all__ = ["answer_is_right", "find_mentions", "mention_spans"]
