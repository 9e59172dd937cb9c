"""The words by which a reply decides, corrects itself, rejects and weighs; one table for each, by language.

A table is a regular expression for each language. All of them are looked for in every reply, in lower case: replies
mix languages. To add a language, add its words to the tables.
"""

from __future__ import annotations

import re

from counterfoil.reading import words


def _either(*, en: str = "", ko: str = "", zh: str = "", ja: str = "") -> str:
    """One expression for all languages of a table."""
    return "|".join(words for words in (en, ko, zh, ja) if words)


# Before the answer: "the answer is", "Answer:", "I choose", "the correct option would be".
_MIDDLE = (
    r"(?: (?:to|for|of|in|from|among) (?:the|this|that|your|part)(?: [a-z]{1,12}){0,3}?)?"
    r"(?:,? (?:here|then|therefore|thus|hence|now|also|clearly|finally|again|i (?:get|choose|select|have)))?,?"
)
_WILL_BE = r"(?:must|should|would|will|has to|can only|ought to|seems to|appears to|then|therefore|thus)"
_IS = r"(?:is|are|be|was|becomes|comes (?:out )?to|equals|remains)\b"
_BEST = "correct|right|best|closest|nearest|final|likely|suitable|accurate|logical|reasonable|chosen|selected|my"
_BEST += "|appropriate"
_CHOICE = "one|choice|option|letter|response|selection|decision|conclusion|pick"
_FIELD = "choice|option|selection|decision|conclusion|result|prediction|label|selected\\w*|response|final|correct"
AHEAD = re.compile(
    _either(
        en=r"(?<![a-z])(?:answer|ans\b)(?: choice| option| letter| value| amount| number| key)?[\"')\]]{0,2}"
        rf"{_MIDDLE}(?: {_WILL_BE})* ?(?:\b{_IS}|:|=>?|->|→|-(?= )|\n|(?= \())|\bans\. |\b(?:(?:{_BEST}) (?:{_CHOICE}|"
        rf"result|solution|value|statement)|the (?:{_CHOICE}))"
        rf"{_MIDDLE}(?: {_WILL_BE})? ?(?:(?<= ){_IS}|:|=)|(?:^|(?<=[{{,.\"'])|(?<=[{{,.] ))(?:{_FIELD})[\"']? ?:|"
        r"\b(?:i|we)(?: \w+)? (?:chose|picked|selected|answered|went with) [^.\n]{1,30}? but (?:then |have )?"
        r"(?:changed|switched)(?: (?:it|that|my (?:answer|choice|pick)))? to\b|"
        r"\b(?:i|we)(?:'d|'ll|'m| would| will| have to| must| am| should| can)?(?: \w+)? "
        r"(?:choose|chose|choosing|pick|picked|picking|select|selected|selecting|go with|going with|went with|opt for|"
        r"answer)\b|\bto (?:choose|select|pick|go with)\b",
        ko=r"(?:정답|답변|대답|해답|결론|선택|응답|(?<![가-힣])답|최종 ?답안?|답안)[\"']? ?"
        r"(?:은|는|이|으로는|으로|:|=>?|->|→|-(?= )|\n)",
        zh=r"答案 ?(?:是|为|為|选|:)+",
        ja=r"答え ?(?:は|:)+",
    ),
    re.M,
)
# Where such words may begin. As every branch begins with a letter of its own, this is found fast.
AHEAD_BEGINS = re.compile(
    _either(
        en=rf"ans|{_BEST}|{_FIELD}|i[ ']|we[ ']|to (?=[cspg])|the (?=[ocrlsdp])",
        ko="정답|답|대답|해답|결론|선택|응답|최종",
        zh="答",
    )
)
# What is said behind these is supposed, or what others think.
HYPOTHESIS = re.compile(
    _either(
        en=r"\b(?:if|suppose|assuming|whether|would have|at first|initially|tempting|might|may|one could)\b",
        ko="만약|만일|가정하|처음[에엔]|첫인상|얼핏|언뜻|일반적으로|보통은",
    )
)
# "If …, the answer would be A."
SUPPOSED = re.compile(r"\b(?:if|had (?:we|i|you|it)|were (?:we|it)|suppose|assuming|unless)\b")

# Behind the answer: "B is the correct answer", "B가 정답".
BEHIND_ENGLISH = re.compile(
    r"[\"')\].]* ?,? ?(?:is|was|would be|must be|should be|seems to be|appears to be|has to be|seems|as|to be)"
    r"(?: (?:the|my|a|indeed|clearly|therefore|thus|single|only|probably))*"
    r" (?:final |correct |right |best |most |more )*"
    r"(?:answer|correct|right|best|choice|(?<=(?:most|more) )(?:likely|appropriate|suitable|reasonable|accurate|"
    r"logical|plausible)|"
    r"(?<=the )(?:likely|appropriate|suitable|reasonable|accurate|logical|plausible))\b"
)
_MODIFIERS = (
    r"(?:바로 |가장 |더 |제 |저의 |나의 |최종 |올바른 |적절한 |알맞은 |옳은 |맞는 |질문의 |질문에 대한 |이 질문의 )*"
)
BEHIND_KOREAN = re.compile(
    rf"[\"')\].]* ?번?(?:(?:이|가|은|는|야말로|이야말로) ?{_MODIFIERS}(?:정답|답(?!할|하)|맞(?=[습다는아음을])|옳|적절|"
    rf"적합|알맞|타당|정확)|"
    r"(?:을|를|로|으로) ?(?:최종 |정답으로 |답으로 )*(?:선택|고르|고릅|골라|고른|골랐|택하|택합|택한|답하|답합|결정|"
    r"판단|추정|추론|결론)|이?라고 ?(?:생각|판단|추정|추론|답하|답할|답합|봅니다|볼 수 있|할 수 있|결론)|로 ?보입니다|"
    r"인 것으로 ?(?:보|판단|추정)|(?:인 |일 )?것 ?같|일 ?것입니다|일 ?것이다| ?같습니다|일 가능성이)"
)
LETTER_BEHIND_KOREAN = re.compile(r"[\"')\]]* ?(?:이|가|은|는|번)?(?:을|를)? ?(?:선택|고르|고릅|골라|정답|답입)")
UNDONE = re.compile(
    r"는 ?(?:경우|사람|이유)|[^.\n]{0,12}?(?:지 ?(?:는 )?않|아니|아닙|아닌|없|어렵|힘들|는 ?것은|는 ?건 )"
)
ASSERTION = re.compile(
    r"[\"')\]]*(?: ?\([^)\n]{0,30}\))? ?(?:입니다|이다|이에요|예요|였습니다|이었습니다|임)(?=[\s.!\"')]|$)"
)
# Right before the answer: "It was the nurse who", "I think the nurse", "closest to option C".
CLEFT = re.compile(
    r"\bit(?:'s| is| was| must be| has to be| must have been| would be| would have to be| can only be| should be)"
    r"(?: \w+ly)?(?: option| choice)?(?: the)? ?[\"'(]?$|[→⇒∴]|=> ?[\"'(]?$|\bi(?:'d| would)? (?:think|believe|"
    r"say)(?: that)? ?[\"']?$"
)
MATCHED = re.compile(
    r"\b(?:corresponds?|corresponding|matches|matching|closest|nearest|equal|equivalent|points|leads|leading|aligns?|"
    r"leaves|leaving)(?: most closely| closely| best| exactly)?(?: to| with| is)?(?: the)?"
    r"(?: answer)?(?: option| choice| letter)? ?[\"'(\[]*$"
)

# At the head of a conclusion, behind one of these.
CONCLUSION_BEFORE = ("\n", ".", ". ", "! ", "? ", "; ", ", ", ": ", "and ")
CONCLUSION = re.compile(f"(?:{words.either(words.CONCLUDES)})(?![a-z])")
INFERRED = re.compile(
    r"\b(?:infer|inferred|conclude|concluded|deduce|deduced|suggests?|indicates?|implies|imply|shows?|clear|evident|"
    r"likely|means) that "
)
INFERRED_KOREAN = re.compile(
    r"[\"')\]]*(?:이|가|은|는|께서)? ?[^.\n?]{0,60}?(?:다고|라고|것으로|음을|다는 것을|다는 사실을|다는 점을) ?"
    r"(?:볼 수 있|할 수 있|말할 수 있|생각|판단|추정|추론|보입|보인|알 수 있|결론|이해)"
)
# What follows gives the reason for what was said, or restricts it.
REASON = re.compile(r"; |[,.]? (?:because|since|whereas)\b|, (?:as|while|for|but)\b|왜냐하면")
CONDITION = re.compile(r"[^.\n]{0,30}\b(?:if|unless)\b")
BUT = re.compile(_either(en=r"\bbut\b|\bhowever\b|\bthough\b|\byet\b", ko="지만|하지만|그러나|그렇지만|다만"))

# What was said before is taken back.
_ERROR = r"i (?:have )?made (?:a|an) (?:\w{1,15} )?(?:mistake|error)"
_CORRECTING = (
    r"(?:wait|actually|correction|sorry|apologi[sz]e|oops|hold on|scratch that|on second thought|on re-?reading|"
    rf"let me (?:correct|re-?\w+|double)|{_ERROR})\b"
)
CORRECTION = re.compile(
    rf"(?:^|[.!?…,;\n(-]\"? ?)(?:(?:oh|ah|hmm|no|but|and|i|ai|euh|uh|ach|"
    rf"actually),? )*(?:{words.either(words.CORRECTS)})"
)
# What was decided before is being looked at again; and stays.
REOPENED = re.compile(
    rf"\W*(?:(?:oh|hmm|no|but|and|i),? )*(?:wait|hold on|scratch that|strike that|{_ERROR}|on second|let me (?:re|"
    rf"correct|fix)|"
    r"correction|no,|정정|잠깐|다시)"
)
CONFIRMED = re.compile(
    r"\b(?:yes|confirm\w*|correct|matches|checks out|same|still|stands|agrees|consistent|fine|good|right)\b|맞|"
    r"그대로|확인"
)
_WRONG = r"(?:no,? )?that(?:'s| is| was| can't be| cannot be) (?:not (?:right|correct)|wrong|incorrect)\b"
# Nor is there another decision.
_UNDECIDED = (
    r"(?:can't|cannot|couldn't|won't|unable to|not able to) (?:decide|choose|pick|make up my mind|settle)|"
    r"i'm undecided|"
    r"결정(?:을|은)? ?(?:못|내리지 ?못|할 수 없)|(?:고르지|정하지|선택하지) ?못|취소(?:할게|하겠|합니다)|"
    r"i take (?:that|it) back|(?:can't|cannot) say which|(?:not going to|won't|will not|rather not|"
    r"prefer not to) (?:answer|choose|pick)|"
    r"no (?:puedo|logro) decidir|kann mich nicht entscheiden|je n'arrive pas à (?:choisir|décider)"
)
WITHDRAWN = re.compile(rf"\b{_ERROR}\b|\b{_CORRECTING}[\s,.!…-]*{_WRONG}|{_UNDECIDED}")
WITHDRAWING = re.compile(
    "wrong|incorrect|not right|not correct|mistake|error|back|answer|say which|decide|choose|pick|make up|settle|못|"
    "취소|"
    "décider|choisir|"
    "nicht ent"
)
WITHDRAWN_AT_ONCE = re.compile(rf"[\s.!?…\"')\]]*{_WRONG}")

# The verdict on an option in its line of a list.
VERDICT = re.compile(
    _either(
        en=r"\b(?:yes|correct|true|right|o)\b",
        ko=r"정답(?!이 ?아|은 ?아|일 ?수 ?없|으로 ?보기)|맞습니다|맞음|옳습니다|적절합니다|[✓✔✅]|⭕",
    )
)
NO_VERDICT = re.compile(
    _either(en=r"\b(?:no|not|x|incorrect|false|wrong|isn't|cannot|unlikely)\b", ko="오답|아니|아닙|않|없|[✗✘❌]")
)

# Before a choice that is rejected, doubted or weighed: "not A", "rather than A", "whether A", "let's check option A".
REJECTED_BEFORE = re.compile(
    r"\b(?:neither|nor|never|rather than|instead of|rule out|ruled out|ruling out|eliminat\w+|exclud\w+|except|"
    r"other than|unlike|whether|assum(?:e|ing)|suppose|without|incorrect|wrong|if)\b"
    r"(?:(?! (?:but|so|because|therefore|it's|it is)\b)[^.,;:→⇒∴\n]){0,24}\Z|(?:\bnot|n't) (?:think|believe|say|mean|"
    r"imply|conclude|assume|necessarily|know|sure|clear|certain)\b[^.,;:→⇒∴\n]{0,24}\Z|(?:\bnot|n't)\b(?! only\b|"
    r" just\b|"
    r" enough\b)"
    r"(?:(?! (?:but|so|because|therefore|it's|it is|is|was|were|are)\b)[^.,;:→⇒∴\n]){0,24}\Z|\b(?:check|consider|"
    r"evaluate|"
    r"look at|test|try|examine|start with)(?: whether)?(?: the)?"
    r"(?: option| choice| answer)?[\s:(\"']*\Z"
)
# Behind it: "A is not the answer", "A가 아니라".
_NOT_ANSWER = (
    r"(?:correct|right|the (?:\w+ )?(?:answer|choice|option|one)|an? (?:\w+ )?(?:answer|choice|option)|supported|valid|"
    r"possible|appropriate|suitable|likely|mentioned|true|accurate|relevant|necessarily|what|consistent|it\b)"
)
REJECTED_BEHIND_ENGLISH = re.compile(
    rf"[\"')\]]*\? ?no\b|[\"')\]:,]* (?:\([^)\n]{{0,40}}\) )?(?:(?:is|was|are|were|would be|can be|could be|seems|"
    rf"looks) "
    rf"(?:therefore |thus |also |both |clearly |definitely |just |simply )*"
    rf"(?:not (?:\w+ly )?{_NOT_ANSWER}|incorrect|wrong|false|unlikely|ruled out|eliminated|excluded|unsupported|"
    rf"irrelevant|out\b|gone\b|not\W*$)|(?:isn't|wasn't|aren't|can't be|cannot be|could not be|couldn't be|may not be) "
    rf"(?:\w+ly )?{_NOT_ANSWER})"
)
LETTER_REJECTED_BEHIND_ENGLISH = re.compile(
    r"[\"')\].]* (?:this|that|which) (?:is|was|would be) (?:wrong|incorrect|a mistake|an error)\b|"
    r"[\"')\]]* (?:is|was|are|can|does|do|did|would|could)(?:n't| not|not)\b|[\"')\]:,-]* (?:is )?(?:incorrect|wrong|"
    r"false)\b"
)
_JOSA = r"(?:이|가|은|는|도|만|을|를)?"
REJECTED_BEHIND_KOREAN = re.compile(
    rf"[\"')\].…]*\s?(?:{_JOSA} ?(?:모두 |둘 다 |절대 |전혀 |결코 |역시 |정답[이은]? ?|답[이은]? ?|옳은 답이 |"
    rf"맞는 답이 |"
    rf"적절한 답이 |올바른 답이 )*"
    r"(?:아니(?!면)|아닌|아닙|아님|틀리|틀린|틀렸|틀림|오답|제외|부적절|배제|(?:[가-힣]{{1,8}}(?:과|와|에|에는|"
    r"이) )?맞지 ?않|옳지 ?않|적절하지 ?않|"
    r"적합하지 ?않|알맞지 ?않|될 수 없|일 수 없|선택할 수 없|고를 수 없|선택하지 않)|(?:이?라고|으?로|이?라는)(?:는|"
    r"도)? ?[가-힣 ]{0,14}?(?:수(?:는|가|도)? ?없|않|어렵|근거|증거|정보|언급|부족|보장)| ?(?:중|"
    r"가운데)(?:에서?)? ?(?:누가|누구|어느|어떤)|보다|대신|인지|일지|일까|일 ?수도|일 ?가능성도|이?라면|(?:이|"
    r"가) ?(?:정답|답)(?:이?라[는면]|인지|일|이?라고(?:는|도)? ?[가-힣 ]{0,14}?(?:수(?:는|가|도)? ?없|않|어렵))|(?:이|"
    r"가) ?[가-힣 ]{1,20}(?:는지|은지|했는지|인지)|(?:을|를) ?(?:고르|선택하|택하)면|이?라고 ?(?:생각했(?:는데|지만|"
    r"었|어)|할 이유|(?:생각|오해|착각)하기 쉽|여기기 쉽|보기 쉽)|(?:이|가)? ?아닐까|도 ?(?:왠지|마찬가지)|"
    r"에 ?(?:대한|관한|대해)|의 경우|(?:는|은)커녕)"
)
# Between two choices in one breath: "A or B", "A와 B".
_JOINING = "|".join(words.OR.values())
JOINED = re.compile(rf"[\"')\]]*,? ?(?:(?:{_JOINING}|,|/) ?)+(?:the |option |선택지 )?[\"'(\[]*$")
JOINED_BY_OR = re.compile(r"[\"')\]]*,? ?(?:or|nor|/|and) (?:option |choice |for |that )?[\"'(\[]*$|[\"')\]]*/[\"'(]*$")
OF_THESE = re.compile(r" ?(?:중|가운데|사이)")
BETWEEN = re.compile(r"\b(?:between|among|out of|either)\b[^.\n]{0,20}$")
# "I cannot answer" declines, where a choice says "cannot answer"; "from the text" makes it the choice again.
SPEAKER = re.compile(r"\b(?:i|we)(?: am| simply| really| just)? $")
FROM_TEXT = re.compile(
    r"(?: \w+){0,3} (?:based on|from|given|with)(?: \w+){0,3} (?:context|information|passage|text|details)\b"
)
