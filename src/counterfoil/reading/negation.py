"""Which of the choices that a reply names it names only to reject, to doubt or to weigh."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterfoil.reading.options import Mention
from counterfoil.reading.unknown import FROM_THIS

_WINDOW = 60
# "I cannot answer" declines, where a choice says "cannot answer".
_SPEAKER = re.compile(r"\b(?:i|we)(?: am| simply| really| just)? $")
_BEFORE = re.compile(
    r"\b(?:neither|nor|never|rather than|instead of|rule out|ruled out|ruling out|eliminat\w+|exclud\w+|except|"
    r"other than|"
    r"unlike|whether|assum(?:e|ing)|suppose|without|incorrect|wrong|if)\b"
    r"(?:(?! (?:but|so|because|therefore|it's|it is)\b)[^.,;:\n]){0,24}$|"
    r"(?:\bnot|n't) (?:think|believe|say|mean|imply|conclude|assume|necessarily|know|sure|clear|"
    r"certain)\b[^.,;:\n]{0,24}$|"
    r"(?:\bnot|n't)\b(?! only\b| just\b| enough\b)"
    r"(?:(?! (?:but|so|because|therefore|it's|it is|is|was|were|are)\b)[^.,;:\n]){0,24}$"
)
_NOT_ANSWER = (
    r"(?:correct|right|the (?:\w+ )?(?:answer|choice|option|one)|an? (?:\w+ )?(?:answer|choice|option)|supported|valid|"
    r"possible|appropriate|suitable|likely|mentioned|true|accurate|relevant|necessarily|what|consistent|it\b)"
)
_AFTER_ENGLISH = re.compile(
    rf"[\"')\]:,]* (?:\([^)\n]{{0,40}}\) )?(?:(?:is|was|are|were|would be|can be|could be|seems|looks) "
    rf"(?:therefore |thus |also |both |clearly |definitely |just |simply )*"
    rf"(?:not (?:\w+ly )?{_NOT_ANSWER}|incorrect|wrong|false|unlikely|ruled out|eliminated|excluded|unsupported|"
    rf"irrelevant|"
    rf"out\b|not\W*$)|(?:isn't|wasn't|aren't|can't be|cannot be|could not be|couldn't be|may not be) "
    rf"(?:\w+ly )?{_NOT_ANSWER})"
)
_LETTER_AFTER_ENGLISH = re.compile(
    r"[\"')\]]* (?:is|was|are|can|does|do|did|would|could)(?:n't| not|not)\b|[\"')\]:,-]* (?:is )?(?:incorrect|wrong|"
    r"false)\b"
)
_JOSA = r"(?:이|가|은|는|도|만|을|를)?"
_AFTER_KOREAN = re.compile(
    rf"[\"')\].]*(?:{_JOSA} ?(?:모두 |둘 다 |절대 |전혀 |결코 |역시 |정답[이은]? ?|답[이은]? ?|옳은 답이 |맞는 답이 |"
    rf"적절한 답이 |올바른 답이 )*"
    r"(?:아니(?!면)|아닌|아닙|아님|틀리|틀린|틀렸|틀림|오답|제외|부적절|배제|맞지 ?않|옳지 ?않|적절하지 ?않|"
    r"적합하지 ?않|알맞지 ?않|될 수 없|일 수 없|"
    r"선택할 수 없|고를 수 없|선택하지 않)|"
    r"(?:이?라고|으?로|이?라는)(?:는|도)? ?[가-힣 ]{0,14}?(?:수(?:는|가|도)? ?없|않|어렵|근거|증거|정보|언급|부족|"
    r"보장)|"
    r" ?(?:중|가운데)(?:에서?)? ?(?:누가|누구|어느|어떤)|"
    r"보다|대신|인지|일지|일까|일 ?수도|일 ?가능성도|이?라면|(?:이|가) ?(?:정답|답)(?:이?라[는면]|인지|일|"
    r"이?라고(?:는|도)? ?[가-힣 ]{0,14}?(?:수(?:는|가|도)? ?없|않|어렵))|"
    r"(?:이|가) ?[가-힣 ]{1,20}(?:는지|은지|했는지|인지)|에 ?(?:대한|관한|대해)|의 경우|(?:는|은)커녕)"
)
_JOINS_BACK = re.compile(
    r"[\"')\]]*,? ?(?:(?:와|과|나|이나|랑|이랑|도|하고|또는|혹은|아니면|이거나|거나|및|그리고|이?든|,|/|and|or|nor|"
    r"인지) ?)+(?:the |option |선택지 )?[\"'(\[]*$"
)
_JOINS_FORWARD = re.compile(
    r"[\"')\]]*,? ?(?:or|nor|/|and) (?:option |choice |for |that )?[\"'(\[]*$|[\"')\]]*/[\"'(]*$"
)


def rejected(lower: str, mentions: Sequence[Mention]) -> list[bool]:
    """For each mention, whether it is not asserted: "not A", "A가 아니라", "whether A", "rather than A"."""
    out = [_is_rejected(lower, mention) for mention in mentions]
    for i in range(1, len(out)):
        if out[i - 1] and not out[i] and _negated_before(lower, mentions[i - 1]):
            out[i] = _JOINS_FORWARD.match(lower[mentions[i - 1].end : mentions[i].start][:20]) is not None
    for i in range(len(out) - 2, -1, -1):
        if out[i + 1] and not out[i] and not _negated_before(lower, mentions[i + 1]):
            out[i] = joined(lower, mentions[i], mentions[i + 1])
    return out


def joined(lower: str, one: Mention, other: Mention) -> bool:
    """Whether the two are named in one breath: "A or B", "A와 B", "A, B"."""
    gap = other.start - one.end
    return 0 < gap <= 20 and _JOINS_BACK.match(lower[one.end : other.start]) is not None


def _is_rejected(lower: str, mention: Mention) -> bool:
    if mention.paraphrase:
        return False
    if _negated_before(lower, mention):
        return True
    if not mention.letter and _SPEAKER.search(lower, max(0, mention.start - 12), mention.start):
        return FROM_THIS.match(lower, mention.end) is None
    after = lower[mention.end : mention.end + _WINDOW]
    if not after:
        return False
    if after.startswith("'s ") and not mention.letter:
        return True
    if _AFTER_ENGLISH.match(after) or _AFTER_KOREAN.match(after):
        return True
    # A person may not have been late; a letter alone "is not" only where it is not the answer.
    return mention.end - mention.start == 1 and _LETTER_AFTER_ENGLISH.match(after) is not None


def _negated_before(lower: str, mention: Mention) -> bool:
    return mention.start > 1 and _BEFORE.search(lower, max(0, mention.start - 40), mention.start) is not None
