"""The words by which a reply decides: before the choice, behind it, or at the head of a conclusion."""

from __future__ import annotations

import re

_FILLER = (
    r"(?: (?:to|for|of|in) (?:the|this|that|your)(?: given)? (?:question|case|context|passage|scenario|problem)| here)?"
)
AHEAD = re.compile(
    # English: "the answer is", "Answer:", "I choose", "the correct option would be"
    rf"(?<![a-z])answers?(?: choice| option| key)?[\"']?{_FILLER}"
    r"(?: (?:must|should|would|will|has to|can only|ought to|seems to|appears to|then|therefore|thus))*"
    r" ?(?:\bis\b|\bbe\b|\bwas\b|:|=>?|->|→|-(?= )|\n|(?= \())|"
    r"\b(?:correct|right|best|appropriate|final|likely|suitable|accurate|logical|reasonable|my|the) "
    rf"(?:one|choice|option|letter|response|selection|decision|conclusion|pick){_FILLER}"
    r"(?: (?:must|should|would|will|has to))?(?: (?:is|be|was)\b|:)|"
    r"(?:^|[{,.] ?)[\"']?(?:choice|option|selection|decision|conclusion|result|prediction|label|selected\w*|"
    r"final|correct)[\"']?:|"
    r"\b(?:i|we)(?:'d|'ll|'m| would| will| have to| must| am| should| can)?(?: \w+)? "
    r"(?:choose|chose|choosing|pick|picked|picking|select|selected|selecting|go with|going with|opt for|answer)\b|"
    r"\bto (?:choose|select|pick|go with)\b|"
    # Korean: "정답은", "답:", "제 선택은", "정답으로"
    r"(?:정답|답변|대답|해답|결론|선택|응답|(?<![가-힣])답|최종 ?답안?|답안)[\"']? ?"
    r"(?:은|는|이|으로는|으로|:|=>?|->|→|-(?= )|\n)",
    re.M,
)
HYPOTHESIS = re.compile(
    r"\b(?:if|suppose|assuming|whether|would have|at first|initially|tempting|might|may|one could)\b|"
    r"만약|만일|가정하|처음에|얼핏|언뜻|일반적으로|보통은"
)
BEHIND_ENGLISH = re.compile(
    r"[\"')\].]* ?,? ?(?:is|was|would be|must be|should be|seems to be|appears to be|has to be|seems|as|to be)"
    r"(?: (?:the|my|a|indeed|clearly|therefore|thus|single|only|probably))*"
    r" (?:final |correct |right |best |most |more )*"
    r"(?:answer|correct|right|best|(?<=most )likely|(?<=more )likely|appropriate|suitable|reasonable|accurate|"
    r"logical|plausible|choice)\b"
)
_MODIFIERS = (
    r"(?:바로 |가장 |더 |제 |저의 |나의 |최종 |올바른 |적절한 |알맞은 |옳은 |맞는 |질문의 |질문에 대한 |이 질문의 )*"
)
BEHIND_KOREAN = re.compile(
    rf"[\"')\].]* ?(?:(?:이|가|은|는|야말로|이야말로) ?{_MODIFIERS}(?:정답|답(?!할|하)|맞(?=[습다는아음을])|옳|적절|"
    rf"적합|알맞|타당|정확)|"
    r"(?:을|를|로|으로) ?(?:최종 |정답으로 |답으로 )*(?:선택|고르|고릅|골라|고른|골랐|택하|택합|택한|답하|답합|결정|"
    r"판단|추정|추론|결론)|"
    r"이?라고 ?(?:생각|판단|추정|추론|답하|답할|답합|봅니다|볼 수 있|할 수 있|결론)|로 ?보입니다|인 것으로 ?(?:보|"
    r"판단|추정)|"
    r"(?:인 |일 )?것 ?같|일 ?것입니다|일 ?것이다| ?같습니다|일 가능성이)"
)
LETTER_BEHIND_KOREAN = re.compile(r"[\"')\]]* ?(?:이|가|은|는|번)?(?:을|를)? ?(?:선택|고르|고릅|골라|정답|답입)")
UNDONE = re.compile(r"[^.\n]{0,12}?(?:지 ?(?:는 )?않|아니|아닙|아닌|없|어렵|힘들|는 ?것은|는 ?건 )")
CONCLUSION = re.compile(
    r"(?:^|(?<=[.!?;,:] )|(?<=and ))(?:therefore|thus|hence|so|consequently|in conclusion|in summary|overall|finally|"
    r"ultimately|to conclude|to sum up|accordingly|based on this|따라서|그러므로|그래서|결론적으로|결국|즉|고로|"
    r"그렇기 ?때문에|종합하면|요약하면|"
    r"종합적으로|이에 따라|이로 ?인해|그렇다면)(?![a-z])",
    re.M,
)
ASSERTION = re.compile(
    r"[\"')\]]*(?: ?\([^)\n]{0,30}\))? ?(?:입니다|이다|이에요|예요|였습니다|이었습니다|임)(?=[\s.!\"')]|$)"
)
SENTENCE_END = re.compile(r"[.!?](?=[\s\"')]|$)|\n")
# Another round of questions, made up by the model: what it answers there is not what was asked.
ANOTHER_ROUND = re.compile(
    r"\n(?:(?:맥락|지문|내용|질문|문제|context|question|passage|q|user|human|사용자|###?)(?: ?\d{1,3})? ?[:.])|\n<\|",
    re.I,
)
# What a line of a quoted list says of its option.
VERDICT = re.compile(
    r"\b(?:yes|correct|true|right|o)\b|정답(?!이 ?아|은 ?아|일 ?수 ?없|으로 ?보기)|맞습니다|맞음|옳습니다|적절합니다|"
    r"[✓✔✅]|⭕"
)
NO_VERDICT = re.compile(r"\b(?:no|not|x|incorrect|false|wrong|isn't|cannot|unlikely)\b|오답|아니|아닙|않|없|[✗✘❌]")
INFERRED = re.compile(
    r"\b(?:infer|inferred|conclude|concluded|deduce|deduced|suggests?|indicates?|implies|imply|shows?|clear|evident|"
    r"likely|"
    r"means) that "
)
INFERRED_KOREAN = re.compile(
    r"[\"')\]]*(?:이|가|은|는|께서)? ?[^.\n?]{0,60}?(?:다고|라고|것으로|음을|다는 것을|다는 사실을|다는 점을) ?"
    r"(?:볼 수 있|할 수 있|말할 수 있|생각|판단|추정|추론|보입|보인|알 수 있|결론|이해)"
)
# "It was the nurse who", "I think the nurse": right before the choice.
CLEFT = re.compile(
    r"\bit(?:'s| is| was| must be| has to be| must have been)(?: \w+ly)? ?[\"']?$|"
    r"\bi(?:'d| would)? (?:think|believe|say)(?: that)? ?[\"']?$"
)
# What follows gives the reason for what was said.
REASON = re.compile(r"; |[,.]? (?:because|since|whereas)\b|, (?:as|while|for|but)\b|왜냐하면")
CONDITION = re.compile(r"[^.\n]{0,30}\b(?:if|unless)\b")
# What was said before is taken back.
CORRECTION = re.compile(
    r"(?:^|[.!?…,;\n-]\"? ?)(?:(?:oh|hmm|no|but|and),? )*(?:wait|actually|correction|scratch that|on second thought|"
    r"on re-?reading|let me (?:correct|re-?\w+|double)|i made (?:a|an) (?:mistake|error))\b|"
    r"정정|다시 (?:보니|생각|읽어)|잘못 ?(?:봤|말|골랐|읽)"
)
