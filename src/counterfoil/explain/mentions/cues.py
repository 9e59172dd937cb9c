"""The words by which a reply says what its answer is, and what is none; one table for each, English and Korean.

English cues are looked for at the words that can begin one (`CUES`), Korean ones anywhere in the text.
"""

from __future__ import annotations

import re

from counterfoil.explain.mentions.vocabulary import folded
from counterfoil.reading import words

# Says in so many words what the answer is. What is "a common answer" or "not the answer" is not.
_NO_ANSWER = (
    "not the correct |not the right |not the |not a |wrong |incorrect |common |popular |tempting |obvious |first |"
    "initial |usual |alternative |other |possible |plausible |expected |mistaken |intuitive |a |to |your "
)
_NOT_BEFORE = "".join(f"(?<!{before})" for before in _NO_ANSWER.split("|"))
ANSWER = re.compile(
    rf"{_NOT_BEFORE}answer\b(?:[ ,](?:to|for|of|here|in|that|I|you|we|then|therefore|thus)\b[^.:\n]{{0,60}}?)?"
    r"[\"*_\s]{0,4}"
    r"(?:\bis\b(?! not?\b)|\bwas\b(?! not\b)|\bwould be\b|\bmust be\b|\bhas to be\b|\bbecomes\b|:|\n|(?<=[*_])\s)|"
    r"boxed\s?\{|I(?:'ll| will|'d| would|'m)? (?:go|going|went|stick|settle) (?:with|for|on)\b",
    re.I,
)
# A name or number right behind such words, and nothing else in the sentence.
SOMETHING_ELSE = re.compile(
    r"[\s*_\"“'\[{]*(?!No\b|Yes\b|None\b|This\b|That\b|The\b)"
    r"(?:[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,3}|\d[\d,.]*)[*_\"”'\]}]*(?:[.,;!]|\s*\n|$)|"
    r"\s*\**[가-힣]{2,12}(?:으?로 (?:할|하겠|정)|입니다|이에요|예요)"
)
ANSWER_LINE = re.compile(
    r"^[\W_]*(?:(?:so|thus|therefore),? )?(?:the |my )?(?:final |correct |right )*answer\b|^\W*정답", re.I | re.M
)
# At the head of a clause.
CONCLUSION = re.compile(
    r"(?:therefore|thus|hence|so(?! (?:is|are|was|were|did|do|does|can|much|many|far|too)\b)|"
    r"in conclusion|in summary|overall|all in all|in total|in all|altogether|to sum up|"
    r"in short|ultimately|which (?:makes|gives|leaves|adds up to)|for a total of|making|totall?ing|"
    r"(?:that|this) leaves(?: us with)?|leaving|what(?:'s|’s| is) left|what remains|rest is)\b",
    re.I,
)
# What was named before is the answer.
POINTING = re.compile(
    r"th(?:at|is)(?:'s|’s| is| was) (?:your|the|my) answer\b|(?<=so )that(?:'s|’s| is) (?:the|your) \w+|"
    r"(?:(?<=is the )|(?<=was the )|(?<=choose the ))(?:former|latter)\b",
    re.I,
)
FORMER = re.compile("former|전자")
# At the head of a sentence that stands against what was said.
BUT = re.compile(r"\W*(?:but|however|yet|in fact|in reality|actually|instead|하지만|그러나|사실)\b", re.I)
# From here on a reply takes back what it has said; at the head of a clause.
CORRECTION = re.compile(
    rf"(?:{words.CORRECTS['en']}|hang on|no,? actually|actually,? no|come to think of it|"
    r"after (?:checking|double-checking|reconsidering|rethinking)|update:|rather,)(?!\w)",
    re.I,
)
# Below it stand answers that the reply does not give.
HEADING = re.compile(
    r"clarification|confused? (?:it |this |that |them )?with\b[^\n]{0,20}:\s*\n|"
    r"(?:incorrect|wrong|alternative|plausible|common|tempting|frequent|possible|other)[\w ,]{0,30}"
    r"(?:answer|alternative|option|confusion|mistake|mix-?up|distractor|guesse?|misconception|error)s?"
    r"(?=[^\w\n]*(?:\n|$)|\W{0,3}:)",
    re.I,
)
_BEGINNINGS = (
    (ANSWER, "answer boxed i"),
    (
        CONCLUSION,
        "therefore thus hence so in overall all altogether to ultimately which for making totaling totalling that this "
        "leaving what rest",
    ),
    (
        CORRECTION,
        "wait actually correction sorry apologize apologise my oops hold scratch strike on let i changing make no "
        "thinking looking upon in edit hang come after update rather",
    ),
    (
        HEADING,
        "clarification confuse confused incorrect wrong alternative plausible common tempting frequent possible other",
    ),
    (POINTING, "that this former latter"),
)
# The cues that a word can begin, by its key.
CUES = {
    key: tuple(pattern for pattern, begins in _BEGINNINGS if key in folded(begins))
    for _, words_of_it in _BEGINNINGS
    for key in folded(words_of_it)
}
KOREAN = {
    ANSWER: re.compile(r"정답[은:]|(?<![가-힣])답[은:]|정답[*_ \t]*\n|최종 ?답변?[은:]"),
    CONCLUSION: re.compile("따라서|그러므로|결국|결론적으로|즉|합하면|합쳐|더하면|더해|모두|총"),
    CORRECTION: re.compile(rf"{words.CORRECTS['ko']}|아,? ?아니|아니요?,|아니네|착각했"),
    POINTING: re.compile(
        "(?:전자|후자)(?:입니다|이다|예요|이에요|죠|가 (?:정답|답|맞))|그게 (?:정?답)|이것이 (?:정?답)"
    ),
    HEADING: re.compile("오답 ?(?:설명|정리|노트)|헷갈리(?:기 쉬운|는) (?:것|답|후보)|혼동하기 쉬운"),
}
HEAD = re.compile(r"(?:^|[.!?…,;:\n–—(|-])[\"“'*_\s]*(?:(?:oh|hmm+|no|but|and|well|ah|ok|okay)[,.]? )*$", re.I)
# What others think, what comes to mind, what is confused with it: to the end of the clause.
_THINKING = (
    r"(?:think\w*|thought|believ\w+|assum\w+|guess\w*|say\b|says\b|said|answer\b|suppos\w+|expect\w*|imagin\w+|"
    r"mistak\w+|confus\w+|mix\w* up|point(?:s|ed)? to|name\b|picture|jump to|reach for|lean toward\w*)"
)
_SOMEBODY = (
    "some|one|others?|people|someone|you|many|most|folks|students|tourists|visitors|everyone|everybody|anyone|textbooks|"
    "sources|players|fans"
)
OTHERS = re.compile(
    r"misconception|"
    rf"\b(?:{_SOMEBODY})\b[^.\n]{{0,24}}"
    r"\b(?:might|may|could|mistak\w+|confus\w+|assum\w+|think|thinks|thinking|thought|believ\w+|mix)\b"
    r"(?! (?:already )?(?:have (?:heard|read|seen)|know|recognize|remember|be surprised|recall))|"
    rf"\b(?:{_SOMEBODY})\b[^.\n]{{0,20}}\b(?:say|said|guess\w*|answer|name|picture|expect|imagine|point to|credit|"
    r"attribute)\b|"
    r"\b(?:often|commonly|widely|frequently|sometimes|usually|generally|popularly|mistakenly|wrongly|incorrectly|"
    r"erroneously|easily|long|once|falsely)\s(?:\w+\s)?"
    r"(?:thought|believed|assumed|mistaken|confused|cited|named|mentioned|guessed|considered|supposed|said|credited|"
    r"attributed|taken)\b|"
    rf"\b(?:forgiven|tempt\w+|easy to|natural to|common to)\b[^.\n]{{0,30}}{_THINKING}|"
    r"\byou(?: will|'ll|’ll)? (?:sometimes|often|also) (?:read|hear|see|find)\b|"
    r"\b(?:lean(?:ed|s)? toward\w*|(?:convinced|argue[ds]?|claim(?:s|ed)?|insist(?:s|ed)?|maintain(?:s|ed)?) that)\b|"
    r"\b(?:comes?|came|spring\w*|leap\w*) to mind|\b(?:my )?(?:first|initial|gut) (?:instinct|thought|guess|reaction)|"
    r"\b(?:another|other|possible|plausible|tempting|common|frequent) (?:\w+ )?(?:guess|answer|choice|mistake|"
    r"alternative|candidate|error|mix-?up|distractor|confusion|wrong answer)s?\b|"
    r"\bI (?:was (?:going|about|tempted) to|almost|nearly|initially|first|originally|briefly)\b|"
    r"\b(?:mistaken|confused|mixed up) (?:for|with)\b|"
    r"\b[a-z]+s (?:first |long |wrongly |mistakenly |initially |simply |at first )?"
    r"(?:assumed|suspected|presumed|supposed|mistook)\b|"
    r"오답|착각|혼동|헷갈|오해|잘못 알|떠올|(?:라고|으?로) (?:흔히 )?(?:생각|알고|아는|답하(?!시면)|답변|여기|추측)",
    re.I,
)
OTHERS_KEYS = folded(
    "suspected presumed supposed mistook "
    "misconception might may could mistake mistaken mistakenly mistaking confuse confused confusing confusion "
    "assume assumed assuming assumes think thinks thinking thought believe believes believed mix mixed say says "
    "said guess guessed guesses answer name picture expect imagine point credit credited attribute attributed cited "
    "named mentioned considered supposed taken mind instinct reaction choice alternative candidate error distractor "
    "first initially almost nearly originally briefly going about tempted read hear see find "
    "leaned leans lean convinced argued argue argues claim "
    "claims claimed insist insists insisted maintain maintains maintained"
)
CONCESSION = re.compile(
    r"(?:^|(?<=[.!?:;] )|(?<=\n))[-*•\s]{0,8}(?:but |yet |and )?"
    r"(?:while|although|though|even though|even if|whereas|despite|at first|I (?:\w+ )?(?:thought|assumed|considered)|"
    r"if you (?:said|guessed|thought|answered|picked|were thinking)|"
    r"it (?:could|may|might) (?:be|have been)|it (?:used to be|was (?:once|long)) (?:thought|believed))\b",
    re.I,
)
KOREAN_CONCESSION = re.compile(
    r"지만|[었였았겠]으나|(?:습|[입합됩])니다만|(?:생각|오해|대답|추측|답|착각|혼동)하(?:시)?(?:는데|나|ㄴ데)|(?:생각|대답|답)했(?:는데|으나)|"
    r"알고 있(?:는데|으나)|[었였]는데|인데요?,"
)
# What is so at the time asked about.
NOW = re.compile(
    r"\b(?:today|now|currently|these days|nowadays|at present|since (?:\d{4}|then)|modern)\b|지금|현재|오늘날",
    re.I,
)
# What was so at another time than the one asked about.
FORMERLY = re.compile(
    r"\b(?:until|used to|former|formerly|once|previously|originally|initially|no longer|temporar\w+|interim|earlier|"
    r"before that|at one time|for (?:a while|a time|decades|years|centuries|long)|"
    r"older|old|back then|briefly|from \d{4} to \d{4})\b|"
    r"까지|한때|과거|예전|이전|옛|당시|원래|임시|오랫동안",
    re.I,
)
IN_PASSING = re.compile(r"(?:also|better|otherwise) (?:known as|called)\s[\w\s]{0,20}$", re.I)
TURN = re.compile(r"\s*(?:but|however|yet|actually|in fact|in reality)\b", re.I)

# After these, what is granted and what is said may be two sentences: "If you said Sydney, no. It's Canberra."
THEN = re.compile(r"\W*(?:if|I|at first)\b", re.I)
NEGATING_KEYS = folded(
    "not never rather instead unlike other neither nor whether contrary far incorrect incorrectly wrong wrongly "
    "confuse confused confusing confusion mistake mistaken mistakenly mistaking if ruled eliminated excluded t "
    "cannot"
)
REJECTING_BEFORE = re.compile(
    r"(?:\b(?:not|never|rather than|instead of|unlike|other than|neither|nor|whether|contrary to|far from)|"
    r"\b(?:incorrect|wrong|confus|mistak)\w*|n't)\b"
    r"(?!.*\bbut\b)[^.!?,;:\n]{0,40}$|"
    r"\bif you (?:look|check|search|want|need|read|consult|go)\b[^.!?\n]{0,60}$|"
    r"\b(?:see|check|verify|confirm|tell|sure|sure,) if\b[^.!?,;:\n]{0,30}$|"
    r"\b(?:ruled out|eliminated|excluded|incorrect|wrong)[.,;]\s*(?:and )?so (?:can|is|are|was) (?:the )?\W{0,3}$",
    re.I,
)
REJECTING_AFTER = re.compile(
    r"[^.!?,\n]{0,12}?(?:\b(?:is|was|are|were)(?:n't| not| no| (?:also )?(?:incorrect|wrong|false|ruled out|"
    r"an? (?:\w+ )?(?:common|frequent|popular|typical) (?:mistake|error|misconception|wrong \w+|guess|answer)))\b|"
    r"\b(?:can|could|may|must) (?:also )?be (?:ruled out|excluded|eliminated)\b|"
    r"[이가은는도]? (?:아[니닌닙]|틀[렸린립]|오답|농담|거짓))|"
    r"[가-힣][^.!?\n]{0,40}(?:틀린 말|틀립니다|잘못된|사실이 아|정확하지 않)|"
    r"[!.… ]*(?:은|는) (?:훼이크|페이크|농담|장난)|"
    # "who did not" speaks of the one named, "did not" of whether it was that one.
    r"[^.!?;\n]{0,60}? but (?:never|did(?:n't| not)|was(?:n't| not)|is(?:n't| not)|could(?:n't| not))\b|"
    r"[\"”'’*]*\s(?:(?:did|does|do)(?:n't| not)|never|failed to|lost|came second|narrowly missed)\b|"
    r"[\"”'’*]*(?:\s\w{1,20}){0,3}\?[\"”'’*]*\s*(?:no\b(?! (?:doubt|question))|nope|not quite|wrong|close|아니|아닙)|"
    r"[\"”'’*]*(?::|\s[-–—])[*\s]*(?:(?:incorrect|wrong|false|no)\b(?! \w)|틀[렸린립]|오답)|"
    r"[\"”'’*]*\s?\((?:incorrect|wrong|false|no|x|오답|틀림)\)|~~|"
    r"[\"”'’*]*\s?\|[\s*]*(?:(?:no|incorrect|wrong|false)\b|[✗✘❌])|"
    r"[\"”'’*]*\s?(?:❌|✗|✘)|"
    r"[,;.…\s–—-]{1,4}(?:oh,? )?(?:no,? )?(?:wait|scratch that|I mean|correction)\b",
    re.I,
)
AFFIRMING = re.compile("[✅✓✔맞정]")
AFFIRMING_KEYS = folded("right correct leaves yes true o")
AFFIRMING_BEFORE = re.compile(
    r"\b(?:the (?:right|correct) (?:one|choice|option|name) (?:is|was)|(?:that|which|this) leaves(?: us with)?)"
    r"(?: the| an?)?[\s:*\"“'‘]+$|(?:✅|✓|✔)\s?\**$",
    re.I,
)
AFFIRMING_AFTER = re.compile(
    r"[\"”'’*]*(?:\s(?:is|was) (?:the )?(?:correct|right)(?: (?:one|answer|choice|option))?\**(?=[.,;!)\n]|$)|"
    r"(?::|\s[-–—])[*\s]*(?:correct|right)\b(?! \w)|"
    r"\s?\|[\s*]*(?:(?:yes|correct|right|true)\b|[✓✔✅])|"
    r"\s?(?:✅|✓|✔)|"
    r"\s?\((?:correct|right|o|정답)\)|[이가]? ?(?:맞(?:[습다아음]|는(?!지))|정답[이입]))",
    re.I,
)
# Between two names that are given in one breath.
OR = re.compile(
    r"(?:'s|’s)?[\"”'’*)\s]*(?:(?<=\"), (?=\")|,? (?:or|and/or)(?: (?:possibly|perhaps|maybe|even|else|rather))?|/|"
    r",? ?(?:또는|혹은|아니면|이거나|거나|이나|나)|(?:인|일)지,?(?: (?:아니면|혹은|또는))?)"
    r"(?: (?:the|in|by|it's|it is))?[\"“'‘*(\s]*",
    re.I,
)
AND = re.compile(r"(?:'s|’s)?[\"”'’*)\s]*(?: (?:and|&)|[와과]|이?랑|하고|[-–—]| to)(?: the)?[\"“'‘*(\s]*", re.I)
COMMA = re.compile(r"[\"”'’*)]*,[\"“'‘*(\s]*(?:and |or )?(?:the )?[\"“'‘*]*", re.I)
BOTH = re.compile(r"\b(?:both|either|between)\b|둘 (?:중|다)", re.I)
