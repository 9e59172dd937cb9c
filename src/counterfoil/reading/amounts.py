"""Which number a reply states as its answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from counterfoil.reading.clauses import sentences
from counterfoil.reading.decisions import EXPLICIT, SAID, WEAK, Decision, behind, conclusions, cues_ahead, decided, last
from counterfoil.reading.numbers import PERCENT, Stated, in_digits, in_unit, number_at, numbers_in, of_size
from counterfoil.reading.text import (
    clean,
    emphasised,
    is_cut,
    is_last_line,
    last_paragraph,
    parts_to_read,
    sentence_end,
    sentence_start,
)
from counterfoil.reading.ways import Read, ReadBy

_LEAD = re.compile(
    r"(?:[\s:=≈~>\"'\[{<|→]|(?:approximately|approx\.?|about|around|roughly|circa|nearly|almost|closest|close|equal|"
    r"to|the"
    r"|an?|is|be|of|value|amount|loss|gain|profit|increase|decrease|decline|return|rate|price|option"
    r"|choice|[a-j]|exactly|rounded|final|result|answer|약|은|는)(?![a-z])[.:),]?)*+"
)
# The × of "25×" and the / of "5/share" calculate nothing.
_OPERATOR = re.compile(
    r" ?(?:[+*^÷·]|\((?=[^()\n]{0,30}[-+*/×][^()\n]{0,30}\))(?=[\d. a-z+*/×-]+\))|/(?![a-z]{3})|×(?= ?[\d(]|[a-z])|"
    r"- ?[\d(]|x \d)| ×"
)
_CALCULATED = re.compile(r"[*/^×÷+] ?\(?$")
_LINK = re.compile(r"\b(?:is|are|was|of|be|to|get|obtain|equals|gives|yields)\b|[=≈:]")
_RESULT = re.compile(r"[=≈]")
_CUT_OFF = re.compile(r" (?:of|and|or|then|so|where|is|the|plus|minus|times)$")
_EQUALS = re.compile(r"[=≈]|\bequals\b|\bgives\b|\byields\b")
_RANGE = re.compile(r" ?(?:-|to|and|~) ?(?=[\d(.])")
_SEVERAL = re.compile(r" ?(?:-|to|and|or|~) ?")
_AGAIN = re.compile(
    r",? ?(?P<word>or|i\.e\.,?|which is|equivalently|that is,?|=|≈|\(|/) ?(?:about |approximately |roughly )?"
)
_BEHIND = re.compile(
    r"(?:이|가) ?(?:정답|답)(?=[입이예])|[)\]\"']{0,2} (?:years |days |per share )?"
    r"(?:is|as|would be|must be) (?:the |my |our )?(?:final |correct |right )?answer\b"
)
_CLOSEST = re.compile(r"\b(?:is|are|=) (?:therefore |thus |then )?closest to\b")
# "12. There are two each year", and no list with numbers.
_FIRST_SENTENCE = re.compile(r"[-+]?\d[\d,.]*(?:%| [a-z]{1,10})?[.!](?= [a-z])(?!.{0,400}\n *\d{1,2}[.)] )", re.S)
_LINE = re.compile(r"[\s=≈~:]*+(?:approximately |about |roughly |around )?")
# "A: 18" and "#### 18" are how published solutions of school maths end.
_LAST_LINE = re.compile(rf"(?:#{{2,6}}|a(?:ns)? ?:)?{_LINE.pattern}")
_UNIT_WORDS = re.compile(
    r"(?! (?:more|less|higher|lower|fewer)\b)(?:[x×]|/[a-z]{3,12}|(?<=mio)\.|(?<=mn)\.)?"
    r"(?:(?: [a-z]{1,12}| ?[가-힣]{1,12})\.?){0,3}[ .!)\]\"']{0,3}"
)
# In brackets, words: what is said there is said by the way.
_ASIDE = re.compile(r"(?<=\S) ?\((?=[^()\n]{0,80}(?:[a-z]{2}|=))[^()\n]{1,80}\)")
# "In 3 years", "at a price of 94", "of which 31 is interest", "not 50": under which circumstances, or in contrast.
_CIRCUMSTANCE = re.compile(
    r"\b(?:in|after|at|over|for|within|by|from|since|per|every|with|on|than|vs\.?|versus|of which|compared to|not"
    r"|which (?:is|was))(?: (?:the|a|an|about|only|just|last|next|first)){0,2}(?: [a-z]{1,12} of)? ?$"
)
_WORKING = re.compile(
    r"\b(?:first|step|let|let's|(?:we|you|i|must) need to|need to (?:calculate|find|compute|determine)|formula|given|"
    r"where|calculate|assume|assuming|suppose|if)\b|\?"
)
_BLANKS = re.compile(r"[ \n]*")
# "It works out to", "rounds to", "stands at".
_COMES_TO = re.compile(
    r"\b(?:comes?(?: out)? to|came to|works? out (?:to|at)|amounts? to|stands at|rounds? to|put (?:it|the \w+) at|"
    r"totals|adds up to|i get|we get|i arrive at|leaves|leaving|must be|should be)(?: approximately| about| roughly|"
    r" around)? (?=[-+(]?[\d.])"
)
_CLOSING_LINK = re.compile(
    r"\b(?:is|are|was|of|be|to|get|obtain|equals|gives|yields|keeps?|costs?|needs?|pays?|takes?|has|have|earns?|"
    r"makes?)\b|[=≈:]|"
    r"(?<=[가-힣])(?:은|는|이|가|므로|니까|면|해서|따라서) (?:약 |대략 |총 )?(?=[-+]?\d)|"
    r"(?:是|为|等于|は|es de|ist|est de|beträgt) ?(?=[-+]?\d)"
)
_BY_THE_WAY = re.compile(
    r"\W*(?:to (?:double[- ])?check|to verify|double|check|verif\w+|sanity|note|for (?:more|further|context|"
    r"comparison|reference)|over the (?:life|term|course)|see|"
    r"as a check|참고|검산|확인)"
)
_SEVERAL_BEFORE = re.compile(r"\d[^\d\s]* ?(?:or|또는|혹은|oder|ou|and|~) ?(?:[a-z] ?=)? ?$")
_LABEL_BEHIND = re.compile(r"\s*:")
_SEVERAL_BEHIND = re.compile(r"(?: [a-z%]{1,10})? ?(?:or|and|to|-|~) (?:about |approximately )?[-+(]?[\d.]")
_SAME = Decimal("0.01")
# A range, two results, or one for each case. But "the difference between 48 and 30" is one number.
_OPEN = re.compile(
    r"(?<!difference )(?<!gap )(?<!distance )(?<!split )\bbetween [-+]?\d[\d,.]*(?: ?[a-z%]{1,9})? and [-+]?\d|"
    r"\b(?:two|2) (?:[a-z-]+ )?(?:prices|values|answers|solutions|roots|results|possibilities)\b[^.\n]{0,40}\d|"
    r"\d[^.;\n]{0,30}(?:\.\d+[^.;\n]{0,30})? if (?:[^.\n]|\.\d){0,80}\d(?:[^.;\n]|\.\d){0,30} if "
)
# Behind the result: what it amounts to otherwise, and what it would be under other conditions.
_REMARK = re.compile(
    r"\W*(?:(?:and |but )?(?:(?:that|this|which)(?:'s| is| gives| means| makes| implies| represents) (?:an? )?"
    r"(?:profit |net |gross |effective )?(?:margin|gain|return|markup|discount|yield|saving|growth|increase)(?: rate)? "
    r"of\b|"
    r"for (?:instance|example)\b|e\.g\.|by (?:way of )?comparison|as a rule of thumb|"
    r"(?:some|many|other|older|certain) (?:textbooks?|books|people|authors|analysts|sources|conventions|calculators)\b)"
    r"|(?:(?:but|and) )?(?:if|had|with|using|under|on an?|without|assuming|ignoring)\b[^.\n]{0,99}"
    r"(?:\bwould(?: have)?\b|'d\b))"
)
# Beside a payment, the sum of all payments.
_PAYMENT = re.compile(r"\b(?:payment|pmt|instal+ment|interest|annuity)\b[^\n]{0,60}[:=][^\n]{0,60}\d")
_SUM = re.compile(
    r"\W*(?:the )?total (?:amount )?(?:paid|payments?|repaid|repayments?|to (?:re)?pay|interest|cost of the loan)\b|"
    r"\W*so over (?:the )?\d"
)
_SUM_BEHIND = re.compile(r", (?:so|and|or|which means) (?:that )?(?:over|in total|the total|altogether)\b")
# "303 dollars: 168 from the cakes and 135 from the pies".
_MADE_UP_OF = re.compile(
    r"(?<=[\da-z%]):(?= [^.;=\n]{0,20}\d[\d.,]*[^.;=\n\d]{0,20}\b(?:from|for|of|in|on)\b[^.;=\n]*(?:,|\band\b|\bplus\b)"
    r"[^;=\n]{0,20}\d)"
)
# "Roughly 12; more precisely, 11.9", "150.77; since you can't buy a fraction, 150": what the number is in the end.
_IN_THE_END = re.compile(
    r"\b(?:more (?:precisely|exactly|accurately)|(?:precisely|exactly|strictly|strictly speaking)(?=[,:])|"
    r"to be (?:more )?(?:precise|exact))[,:]? (?:it(?:'s| is) |that(?:'s| is) |about )?(?=[-+(]?[\d.])|"
    r"\b(?:since|because|as) [^.,\n]{0,30}\b(?:fractions?|fractional|half|part|whole)\b[^.,\n]{0,20}, (?:so )?"
    r"(?:(?:it(?:'s| is)|that(?:'s| is)|that means|the answer is|(?:you|we|he|she|they) (?:can |will |must )?"
    r"(?:buy|get|need|have)) )?(?:only )?(?=\d)|"
    r"\b(?:which )?round(?:s|ed|ing)? (?:it |this |that )?(?:up|down|to (?:the nearest )?whole [a-z]+|to the nearest "
    r"[a-z]+)(?: to|,| gives| means|:)? (?:gives |that's |it's |we (?:get|need) |you (?:get|need) )?(?=\d)"
)
_TO_BE_EXACT = re.compile(r"(?<=\d)(?:%| [a-z]{1,9})? to be (?:exact|precise)\b|(?<=\d)(?:%| [a-z]{1,9})? exactly\)")
# The reply says that it gives no number.
_UNABLE = re.compile(
    r"\b(?:can't|cannot|unable to|not able to|not possible to|impossible to) (?:\w+ )?(?:calculate|compute|determine|"
    r"give (?:you )?an?|work out|provide|pin down|say what)\b|\b(?:not enough|insufficient) (?:information|data)\b|"
    r"(?:계산할|구할|산출할) 수(?:가|는)? 없"
)
_GOING_ON = re.compile(r"\n *(?:now|next|then|finally|let's|let me|we|summing|adding)\b[^\n.!?:\d]*$")
# What follows gives the reason for what was said.
_REASON = re.compile(r"때문(?:입니다|이다|이에요|임)|^\W*(?:because|this is because)\b")
_DIGIT = re.compile(r"\d")
_PERCENT = re.compile("%|percent")
_LIMIT, _SHORT, _DIGITS, _PARAGRAPHS = 300, 160, 2, 3


def read_number(
    reply: str, *, percent: bool = False, digits: int | None = None, around: Decimal | None = None
) -> Decimal | None:
    """The number that a reply states as its answer; None where it states none. For percentages, 15.5 for 15.5 %.

    The last stated answer counts. With `percent` a percentage was asked for, and a number with a unit of its own is
    converted: basis points, and a share where it plainly is one. With `around`, an answer of the expected size, the
    reading that is nearer to it in size counts. Without, a number below 1 with more than `digits` digits behind the
    point (2 unless told) is a share where a percentage was asked for: 0.155 is 15.5, 0.45 is 0.45, and 0.155% is always
    0.155. A comma is a decimal one where it can't separate thousands. Brackets around a number make it negative; words
    like "a loss of" do not.

    >>> read_number("Ten payments, discounted: 2,000 × 7.0236. So the answer is $14,047.16.")
    Decimal('14047.16')
    >>> read_number("ANSWER: 45 bps", percent=True)
    Decimal('0.45')
    >>> read_number("It depends on the rate.") is None
    True
    """
    read = number_of(reply, PERCENT if percent else Decimal(1), _DIGITS if digits is None else digits, around)
    return None if read is None else read.said


def number_of(reply: str, unit: Decimal, digits: int, around: Decimal | None) -> Read[Decimal] | None:
    """The number that a reply states, in this unit (0.01 for percent, 1,000,000 for millions), and how it was read.

    A number without a unit of its own is in the unit asked for, unless it plainly is a share or the whole amount.

    >>> number_of("The answer is $8,600 thousand.", Decimal(1_000_000), 2, None)
    Read(said=Decimal('8.6'), by='stated')
    """
    for part in parts_to_read(reply):
        lower = clean(part).lower()
        bold = [clean(bold).lower() for bold in emphasised(part)]
        read = None
        # Small numbers in words are looked at only where there is no other: "two" may count anything.
        for small in (False, True):
            spelled = in_digits(lower, small)
            if small and spelled == in_digits(lower, False):
                break
            decisions = list(amounts_stated(spelled, [in_digits(text, small) for text in bold], unit == PERCENT))
            read = decided(spelled, decisions, _same_amount)
            if read is not None:
                break
        if read is not None:
            by = ReadBy.FINAL_LINE if read.by == ReadBy.STATED and is_last_line(part) else read.by
            return Read(of_size(in_unit(read.said, unit, digits, around), read.said.value, around), by)
    return None


def amounts_stated(lower: str, bold: Iterable[str] = (), percent: bool = False) -> Iterator[Decision[Stated]]:
    """The numbers that plain text, in lower case, states as the answer; with what is in bold letters in it."""
    cut = is_cut(lower, 0) or _GOING_ON.search(lower, lower.rfind("\n") if "\n" in lower else len(lower)) is not None
    result = lower if cut else _without_remarks(lower, percent)
    yield from _in_bold(result, bold)
    for cue in cues_ahead(lower):
        stated = _stated_behind(lower, cue.end())
        if stated is not None:
            yield Decision(EXPLICIT, cue.start(), stated.end, stated)
        else:
            first, end = _right_here(lower, cue.end())
            if first is not None and _said_again(lower, first, end) is None:
                yield Decision(EXPLICIT, cue.start(), first.end, None)
    for match in _BEHIND.finditer(lower):
        before = numbers_in(lower, max(0, match.start() - 40), match.start() + 1)
        if before and before[-1].end >= match.start():
            yield Decision(EXPLICIT, before[-1].start, match.end(), before[-1])
    for match in _CLOSEST.finditer(lower):
        stated = _stated_behind(lower, match.end())
        if stated is not None:
            yield Decision(SAID, match.start(), stated.end, stated)
    if cut:
        return
    yield from _in_the_end(result)
    if _UNABLE.search(result) or _stays_open(result):
        return
    for match in _COMES_TO.finditer(result, last_paragraph(result)):
        stated = _stated_behind(result, match.end())
        if stated is not None and not _supposed(result, match.start()):
            yield Decision(WEAK, match.start(), stated.end, stated)
    plain = _ASIDE.sub(lambda aside: " " * len(aside[0]), result) if "(" in result else result
    yield from _on_a_line(plain)
    yield from _concluded(result)
    yield from _closing(plain)


def _without_remarks(lower: str, percent: bool) -> str:
    """The text up to its result, if what follows is said by the way. A share is none where a percentage is asked."""
    end = len(lower)
    for begin, stop in reversed(sentences(lower)):
        if not _DIGIT.search(lower, begin, stop):
            continue
        is_sum = _SUM.match(lower, begin, stop) and _PAYMENT.search(lower, max(0, begin - _LIMIT), begin)
        if is_sum or (_REMARK.match(lower, begin, stop) and not (percent and _PERCENT.search(lower, begin, stop))):
            end = begin
            continue
        parts = _MADE_UP_OF.search(lower, begin, stop)
        if parts is not None and _DIGIT.search(lower, begin, parts.start()) and not _OPEN.search(lower, begin, stop):
            return lower[: parts.start()]
        tail = _SUM_BEHIND.search(lower, begin, stop)
        if tail is not None and _PAYMENT.search(lower, begin, tail.start()):
            end = tail.start()
        return lower[:end].rstrip()
    return lower


def _in_the_end(lower: str) -> Iterator[Decision[Stated]]:
    """The number that the last paragraph makes more precise, or whole, if nothing is calculated with it."""
    start = last_paragraph(lower)
    for match in _IN_THE_END.finditer(lower, start):
        stated = number_at(lower, match.end(), len(lower))
        if stated is not None and "=" not in lower[stated.end :] and _DIGIT.search(lower, start, match.start()):
            yield Decision(EXPLICIT, match.start(), stated.end, stated)
    for match in _TO_BE_EXACT.finditer(lower, start):
        before = numbers_in(lower, max(start, match.start() - 20), match.end())
        if before:
            yield Decision(EXPLICIT, before[-1].start, match.end(), before[-1])


def _stays_open(lower: str) -> bool:
    """Whether the last sentence with a number gives several."""
    for begin, end in reversed(sentences(lower)):
        if _DIGIT.search(lower, begin, end):
            return _OPEN.search(lower, begin, end) is not None
    return False


def _supposed(lower: str, at: int) -> bool:
    return _WORKING.search(lower, sentence_start(lower, at), at) is not None


def _in_bold(lower: str, bold: Iterable[str]) -> Iterator[Decision[Stated]]:
    """The one number in bold letters, in the last paragraph, or in the first where there is none in the last."""
    last = last_paragraph(lower)
    first_end = lower.find("\n\n")
    stated: dict[bool, list[Stated]] = {True: [], False: []}
    for text in bold:
        at = lower.rfind(text)
        found = numbers_in(lower, at, at + len(text)) if at >= 0 else []
        # "NPV = 4,000 - 3,000 = **1,000**": the last one is the result.
        if found and not _LABEL_BEHIND.match(lower, at + len(text)) and not _supposed(lower, at):
            if at >= last:
                stated[True].append(found[-1])
            elif 0 <= at < first_end:
                stated[False].append(found[-1])
    for is_last in (True, False):
        numbers = stated[is_last]
        if numbers and all(_same_amount(numbers[0], other) for other in numbers):
            yield Decision(SAID if is_last else WEAK, numbers[-1].start, numbers[-1].end, numbers[-1])
        if numbers:
            return


def _closing(lower: str) -> Iterator[Decision[Stated]]:
    """What the last sentence that states a number says that something is, in the last paragraphs."""
    for _ in range(_PARAGRAPHS):
        start = last_paragraph(lower)
        said = None if _BY_THE_WAY.match(lower, start) else _closed_with(lower, start)
        if said is not None:
            if said.said is not None:
                yield said
            return
        lower = lower[:start].rstrip()


def _closed_with(lower: str, start: int) -> Decision[Stated] | None:
    """The same for the text from here on; None where it states no number."""
    for begin, end in reversed(sentences(lower[start:])):
        begin, end = start + begin, start + end
        numbers = [one for one in numbers_in(lower, begin, end) if not _is_compared(lower, one)]
        if not numbers or "?" in lower[max(begin, end - 3) : end] or _BY_THE_WAY.match(lower, begin):
            continue
        if _REASON.search(lower, begin, end):
            continue
        nothing: Decision[Stated] = Decision(WEAK, begin, end, None)
        if _OPEN.search(lower, begin, end):
            return nothing
        if _WORKING.search(lower, begin, end) or _CUT_OFF.search(lower.rstrip(), max(begin, end - 8)):
            return nothing
        link = last(_CLOSING_LINK, lower, begin, end)
        stated = None if link is None else number_at(lower, behind(_LEAD, lower, link.end(), end), end)
        if stated is None or _OPERATOR.match(lower, stated.end) or _is_circumstance(lower, stated):
            stated = _only_one(lower, begin, end)
        if stated is None or _SEVERAL_BEHIND.match(lower, stated.end):
            return nothing
        if _SEVERAL_BEFORE.search(lower, max(begin, stated.start - 14), stated.start):
            return nothing
        return Decision(WEAK, begin, end, _said_again(lower, stated, end), ReadBy.CONCLUDED)
    return None


def _same_amount(one: Stated, other: Stated) -> bool:
    """Whether they are one number, rounded differently or in different units."""
    return abs(abs(one.absolute) - abs(other.absolute)) <= _SAME * abs(other.absolute)


def _stated_behind(lower: str, at: int) -> Stated | None:
    """The number that stands here as an answer: right behind, or as the result of a calculation in the sentence.

    None where there is none, where several stand side by side, or where a calculation has no result.
    """
    first, end = _right_here(lower, at)
    if first is not None:
        return _said_again(lower, first, end)
    at = behind(_BLANKS, lower, at)
    end = sentence_end(lower, at)
    if lower[end : end + 1] == "?":
        return None
    result = last(_EQUALS, lower, at, end)
    found = numbers_in(lower, at if result is None else result.end(), end)
    if not found:
        return None
    # Behind the last sign of equality, or else, between words, the last number of the sentence.
    one = found[0 if result is not None else -1]
    if _OPERATOR.match(lower, one.end) or _CALCULATED.search(lower, max(at, one.start - 3), one.start):
        return None
    if result is not None:
        return _said_again(lower, one, end)
    return None if len(found) > 1 and _SEVERAL.fullmatch(lower, found[-2].end, one.start) else one


def _right_here(lower: str, at: int) -> tuple[Stated | None, int]:
    """The number right behind words that do not matter, unless a calculation begins with it; the end of its line."""
    start = behind(_LEAD, lower, at, at + _LIMIT)
    line = lower.find("\n", start, start + _LIMIT)
    end = line if line >= 0 else min(len(lower), start + _LIMIT)
    first = number_at(lower, start, end)
    return (None if first is None or _OPERATOR.match(lower, first.end) else first), end


def _said_again(lower: str, first: Stated, end: int) -> Stated | None:
    """ "0.155 or 15.5%", "1.5 million (1,500,000)": the same number again, with the unit if either has one.

    None where it is another number: the end of a range, or an alternative.
    """
    upto = _RANGE.match(lower, first.end)
    if upto is not None and number_at(lower, upto.end(), end) is not None:
        return None
    again = _AGAIN.match(lower, first.end, end)
    second = None if again is None else number_at(lower, again.end(), end)
    if again is None or second is None:
        return first
    same = _same_amount(first, second)
    if same and first.unit is None and second.unit is not None:
        # Brackets around the second number say nothing about its sign.
        return second._replace(value=abs(second.value).copy_sign(first.value))
    if again["word"] in ("=", "≈"):
        # What is rounded further than the first number adds nothing to it.
        return first if same and second.decimals < first.decimals and second.unit == first.unit else second
    return None if again["word"] in ("or", "/") and not same else first


def _on_a_line(lower: str) -> Iterator[Decision[Stated]]:
    """A number that is all there is on the first line or on the last, or that the last line ends with.

    In one short line also the only number, or the only one that is no circumstance.
    """
    first_end = lower.find("\n")
    if first_end < 0:
        spans = [(0, len(lower), SAID)]
    else:
        spans = [(lower.rfind("\n") + 1, len(lower), SAID), (0, first_end, WEAK)]
    head = _FIRST_SENTENCE.match(lower)
    if head is not None and "=" not in lower:
        stated = number_at(lower, behind(_LINE, lower, 0), head.end())
        if stated is not None and stated.value != 1:
            yield Decision(SAID, 0, stated.end, stated)
    for start, end, firmness in spans:
        line = _LAST_LINE if start and end == len(lower) else _LINE
        stated = number_at(lower, behind(line, lower, start, end), end)
        if stated is not None and _UNIT_WORDS.fullmatch(lower, stated.end, end):
            yield Decision(firmness, start, end, stated, ReadBy.FINAL_LINE if end == len(lower) else ReadBy.STATED)
        elif end == len(lower):
            linked = last(_LINK if first_end < 0 else _RESULT, lower, start, end)
            if first_end >= 0 and _CUT_OFF.search(lower, max(start, end - 8)):
                continue
            stated = None if linked is None else number_at(lower, behind(_LEAD, lower, linked.end()), end)
            if stated is not None and _UNIT_WORDS.fullmatch(lower, stated.end) and not _is_circumstance(lower, stated):
                yield Decision(WEAK, start, end, stated, ReadBy.CONCLUDED)
            elif first_end < 0 and end <= _SHORT and not _WORKING.search(lower):
                stated = _only_one(lower, start, end)
                if stated is not None:
                    yield Decision(WEAK, start, end, stated, ReadBy.ONLY_MENTIONED)


def _concluded(lower: str) -> Iterator[Decision[Stated]]:
    """What the last sentence, if it begins with "therefore", says that something is."""
    for start, end in conclusions(lower):
        if len(lower) - end > 2:
            continue
        for link in reversed(list(_LINK.finditer(lower, start, end))):
            stated = number_at(lower, behind(_LEAD, lower, link.end(), end), end)
            if stated is not None:
                if not _OPERATOR.match(lower, stated.end):
                    yield Decision(WEAK, start, end, stated, ReadBy.CONCLUDED)
                break
        else:
            only = _only_one(lower, start, end)
            if only is not None:
                yield Decision(WEAK, start, end, only, ReadBy.CONCLUDED)


def _only_one(lower: str, start: int, end: int) -> Stated | None:
    """The only number, or the only one that is no circumstance, once or again; None where it is being calculated."""
    found = numbers_in(lower, start, end)
    if len(found) > 1:
        found = [one for one in found if not _is_circumstance(lower, one)]
    if not found or _OPERATOR.match(lower, found[0].end) or not all(_same_amount(found[0], one) for one in found):
        return None
    if len({one.value < 0 for one in found}) > 1:
        return None
    if _CALCULATED.search(lower, max(start, found[0].start - 3), found[0].start):
        return None
    return next((one for one in found if one.unit is not None), found[0])


def _is_compared(lower: str, stated: Stated) -> bool:
    """The 0 of "NPV > 0"."""
    return lower[max(0, stated.start - 2) : stated.start].strip() in ("<", ">", "≥", "≤")


def _is_circumstance(lower: str, stated: Stated) -> bool:
    return (
        _is_compared(lower, stated) or _CIRCUMSTANCE.search(lower, max(0, stated.start - 32), stated.start) is not None
    )
