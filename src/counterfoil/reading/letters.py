"""Which of the options A, B and C a reply decides for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from counterfoil.reading.amounts import amounts, stated_amount
from counterfoil.reading.letters_text import plain
from counterfoil.reading.option_texts import LETTERS, checked, option_of, quoted, text_of
from counterfoil.reading.stated import (
    EXPLICIT,
    SAID,
    WEAK,
    Decision,
    behind,
    conclusions,
    decided,
    explicit,
    last,
    sentence_end,
)

_FILL = re.compile(
    r"(?:[\s:=>\"'(\[{<|→-]|(?:the|option|choice|answer|letter|clearly|definitely|most|likely|probably|therefore|thus|is"
    r"|indeed|simply|then|would|be|closest|nearest|to|correct|one|as follows|approximately|about|roughly|around|i think"
    r"|number|for me|given by|은|는)(?![a-z]))*+"
)
_LETTER = re.compile(r"[abc](?![a-z0-9_°]|'[a-z]|\.\w)")
_MARK_BEFORE = re.compile(r"(?:[(\[\"']|\b(?:option|choice|answer|letter) [(\[\"']?)$")
_NOT = re.compile(
    r"not (?:the )?(?:option |choice |answer )?[(\[\"']?[abc][)\]\"']?(?![\w'])"
    r"(?: (?:or|nor) (?:option )?[(\[\"']?[abc][)\]\"']?(?![\w']))?"
    r"(?:[,;.]? ?(?:but(?: rather)?|it is|it's|instead|rather))*+"
)
# Behind an article stands a noun; behind the option A, one of these.
_AFTER_A = re.compile(
    r" (?:because|since|as|is|and|or|with|which|for|but|due|given|by|at|that|based|from|in|on|if|when|we|\d|[^\w\s])"
)
_SYMBOL = re.compile(r" ?[=*/+^×÷≈](?!=)|\(|-\w")
_JOINED = re.compile(
    r"[)\]\"'.]{0,3}(?:,? ?(?:,|/|\||&|\band/or\b|\bor\b|\band\b|또는|혹은|이나|와|과) ?)"
    r"(?:both |also )?(?:option |choice )?[(\[\"']?([bc](?![a-z0-9_'])|a(?![a-z0-9_']| [a-z]))"
)
# "A, B is wrong": the second letter begins a clause of its own.
_ANOTHER_CLAUSE = re.compile(r"[)\]\"'.]{0,3} ?, ?[(\[]?[abc][)\]]? (?:is|was|has|would|uses)\b")
_OPEN = re.compile(r"[)\]\"']{0,3} ?(?:\?|if\b|only if\b|unless\b|중|일 수도)")
_MARKED = re.compile(r"\b(?:option|choice|answer|letter) [(\[\"']?([abc])(?![\w'])|[(\[]([abc])[)\]]")
_VERDICT = re.compile(
    r"(?:is|must be|seems|appears to be|looks|would be|was) "
    r"(?:the |therefore |thus |clearly |most |likely |indeed |hence |then |our |my |also |definitely )*+"
    r"(?:correct|right|best|closest|accurate|nearest|answer)\b(?! if| when| for)"
)
_SUBJECT = re.compile(
    r"(?:\b(?:option|choice|answer|letter) [(\[\"']?|[(\[\"'])(?P<marked>[abc])(?![\w'])[)\]\"'.:]{0,3}"
    r"|(?<![\w'.$])(?P<bare>[abc]),? $"
)
_BETWEEN = re.compile(r"(?:[^\n.]|\.(?=\d)){0,60} ")
_KOREAN = re.compile(
    r"[abc](?<![a-z0-9'][abc])\)?(?:번)?(?:가|이|이가)? ?(?:정답|맞|옳|입니다|이다|예요|이에요|를 선택|을 선택)"
)
_CHOSEN = re.compile(
    r"\b(?:i|we)(?:'d|'ll| would| will| should| must| can)?(?: therefore| thus| then)? "
    r"(?:choose|select|pick|go with|went with|opt for|say|take|chose|selected)\b"
    r"|\b(?:corresponds?|corresponding|matches|matching|match|closest|nearest|equal|equivalent|points|leads|leading|aligns?"
    r"|select|choose|selecting|choosing|leaves|leaving|it (?:has to|must) be)"
    r"(?: most closely| closely| best| exactly)?(?: to| with| is)?\b"
)
_NEGATED = re.compile(r"\b(?:not|n't|neither|nor|isn't|incorrect|wrong|never|rule out|eliminate)\b")
_OPTION_LINE = re.compile(r"[(\[\"']?([abc])(?:[)\]\"'.:]|$| ?[-=:] )")
_TRYING = re.compile(r"\b(?:check|consider|evaluate|look at|test|try|start|examine|let's|let us|maybe|perhaps)\b")
_LAST_WORD = re.compile(r"\b(?:[Ii]t's|[Ii]t is|[Tt]hat's|think|believe|say|be) ([A-C]|[bc])[.!)]{0,2}$")
# The last sentence, or what follows from it, is nothing but a letter.
_LAST_SENTENCE = re.compile(
    r"(?:(?:^|[.!?;] |\n|: (?=\W?[A-C]\W?[.!]$))(?:(?:[Ii]t is|[Ii]t's|[Hh]owever|[Oo]ption|[Cc]hoice)[ ,:]+)*"
    r"|\b(?:so|thus|hence|therefore|it is|it's|est|ist|es|es la)[ ,:]+|→ ?)[(\"']?([A-C])[)\"']?[.!]{0,2}$"
)
# A heading of whatever wording, and a letter: "Respuesta: B".
_HEADED = re.compile(r"(?:^|\n)[^\W\d][^\n:=\d]{2,30}: ?[(\[\"']?([abc])[)\]\"']?\.?$")
_SHORT, _LIMIT = 160, 200


def letter_of(reply: str, options: Sequence[str]) -> str | None:
    """The option that plain text decides for, by letter, by text, or by a number that is one option's alone."""
    text = plain(reply)
    if not text:
        return None
    lower = text.lower()
    texts = tuple(text_of(option) for option in options)
    decisions: list[Decision[str]] = []
    for cue in explicit(lower):
        decisions += _pointed_at(text, lower, cue.start, cue.end, options, texts, EXPLICIT)
    for match in _CHOSEN.finditer(lower):
        found = _letter_behind(text, lower, match.end())
        if found is not None and not _NEGATED.search(lower, max(0, match.start() - 15), match.start()):
            decisions.append(Decision(SAID, match.start(), found[1], checked(lower, found, options, texts)))
    decisions += _said_of(text, lower)
    decisions += _on_a_line(text, lower, options, texts)
    decisions += _concluded(lower)
    decisions += _at_the_end(text, lower)
    if not decisions and len(lower) <= _SHORT:
        decisions += _only_one(text, lower, texts)
    if not any(one.firmness >= SAID for one in decisions):
        for firmness, start, end, stated in amounts(lower):
            letter = None if stated is None else option_of(stated, options)
            if letter is not None:
                decisions.append(Decision(firmness, start, end, letter))
    return decided(lower, decisions)


def _pointed_at(
    text: str, lower: str, start: int, at: int, options: Sequence[str], texts: Sequence[str], firmness: int
) -> Iterator[Decision[str]]:
    """What stands behind words like "the answer is": a letter, an option's text, or a number."""
    found = _letter_behind(text, lower, at)
    if found is not None:
        yield Decision(firmness, start, found[1], checked(lower, found, options, texts))
        return
    end = sentence_end(lower, at)
    if lower[end : end + 1] == "?":
        return
    marked = _marked(lower, at, end)
    if len(marked) == 1:
        yield Decision(firmness, start, end, marked.pop().upper())
        return
    if 1 < len(marked) < len(LETTERS):
        yield Decision(firmness, start, end, None)
        return
    words = quoted(lower, at, texts)
    if words is not None:
        yield Decision(firmness, start, end, words)
        return
    stated = stated_amount(lower, at)
    letter = None if stated is None else option_of(stated, options)
    if stated is not None and letter is not None:
        yield Decision(firmness, start, stated.end, letter)


def _letter_behind(text: str, lower: str, at: int) -> tuple[str | None, int] | None:
    """The letter right here, behind words that do not matter, and where it ends; (None, …) if it stays open."""
    for _ in range(2):
        at = behind(_FILL, lower, at, at + _LIMIT)
        rejected = _NOT.match(lower, at)
        if rejected is None:
            break
        at = rejected.end()
    match = _LETTER.match(lower, at)
    if match is None or not _is_option(text, lower, at):
        return None
    end = match.end()
    if _OPEN.match(lower, end):
        return None
    joined = _JOINED.match(lower, end)
    if (
        joined is not None
        and joined[1] != match[0]
        and not _ANOTHER_CLAUSE.match(joined[0] + lower[joined.end() :][:8])
    ):
        third = _JOINED.match(lower, joined.end())
        # "A, B or C" repeats the form that was asked for.
        return None if third is not None else (None, joined.end())
    return match[0].upper(), end


def _is_option(text: str, lower: str, at: int) -> bool:
    """Whether a letter is an option's: neither an article nor a symbol of a formula."""
    if _MARK_BEFORE.search(lower, max(0, at - 12), at):
        return True
    if _SYMBOL.match(lower, at + 1):
        return lower.startswith((" =", "/"), at + 1)
    if lower[at] == "a" and re.match(r" [a-z0-9]", lower[at + 1 : at + 3]):
        return text[at] == "A" and _AFTER_A.match(lower, at + 1) is not None
    return True


def _marked(lower: str, start: int, end: int) -> set[str]:
    """Letters that are named as options and not rejected."""
    found = set()
    for match in _MARKED.finditer(lower, start, end):
        rest = lower[match.end() : match.end() + 16]
        if not _NEGATED.search(lower[max(start, match.start() - 12) : match.start()]) and not _NEGATED.search(rest):
            found.add(match[1] or match[2])
    return found


def _said_of(text: str, lower: str) -> Iterator[Decision[str]]:
    """ "Option B is correct", "B가 정답"; not a small a without a mark, not if it is rejected, supposed or asked."""
    for verdict in _VERDICT.finditer(lower):
        low, end = max(0, verdict.start() - 80), verdict.start()
        subject = last(_SUBJECT, lower, low, end)
        if subject is None or _NEGATED.search(lower, max(0, subject.start() - 12), end):
            continue
        if subject["bare"] == "a" and text[subject.start()] == "a":
            continue
        if subject["marked"] and not _BETWEEN.fullmatch(lower, subject.end(), end):
            continue
        supposed = lower.rfind("if ", low, end) > lower.rfind(".", low, end)
        stop = sentence_end(lower, verdict.end())
        if not supposed and lower[stop : stop + 1] != "?":
            yield Decision(SAID, subject.start(), verdict.end(), (subject["marked"] or subject["bare"]).upper())
    if not lower.isascii():
        for match in _KOREAN.finditer(lower):
            yield Decision(SAID, match.start(), match.end(), match[0][0].upper())


def _on_a_line(text: str, lower: str, options: Sequence[str], texts: Sequence[str]) -> Iterator[Decision[str]]:
    """A letter that begins the reply, or that the last line holds, alone or with its option; but no list of options."""
    cut = lower.find("\n")
    second = lower[cut + 1 : cut + 20] if cut >= 0 else ""
    first = _LETTER.match(lower, behind(_FILL, lower, 0, 3))
    if first is not None and _is_option(text, lower, first.start()) and not _OPTION_LINE.match(second):
        found = _letter_behind(text, lower, 0)
        if found is not None:
            alone = not lower[found[1] :].strip(" .)]\"'")
            yield Decision(SAID if alone else WEAK, 0, found[1], checked(lower, found, options, texts))
    if cut < 0:
        return
    start = lower.rfind("\n") + 1
    before = lower[lower.rfind("\n", 0, start - 1) + 1 : start - 1]
    line = _OPTION_LINE.match(lower, start)
    above = _OPTION_LINE.match(before)
    if line is None or (above is not None and ord(line[1]) == ord(above[1]) + 1):
        return
    found = _letter_behind(text, lower, start)
    if found is None or found[0] is None:
        return
    rest = lower[found[1] :].strip(" .:)]\"'=-")
    letter = checked(lower, found, options, texts)
    own = rest == texts[LETTERS.index(found[0])].strip(" .:)]\"'=-")
    if not rest or own or (rest[0].isdigit() and letter is not None):
        yield Decision(SAID, start, len(lower), letter)


def _concluded(lower: str) -> Iterator[Decision[str]]:
    """What a sentence that begins with "therefore" names as an option, where that is one."""
    for start, end in conclusions(lower):
        marked = _marked(lower, start, end)
        if len(marked) == 1:
            yield Decision(SAID, start, end, marked.pop().upper())
            continue
        bare = re.match(r"[ ,]{0,3}(?:it is |it's |the )?([abc])[ )]?$", lower[start:end])
        if bare is not None:
            yield Decision(SAID, start, end, bare[1].upper())


def _at_the_end(text: str, lower: str) -> Iterator[Decision[str]]:
    """ "Not A or C; B.", "…, so B", "Antwort: B": a letter by itself that ends the reply."""
    for pattern, where in ((_LAST_SENTENCE, text), (_HEADED, lower)):
        match = pattern.search(where, max(0, len(where) - 60))
        if match is not None and not _TRYING.search(lower, match.start()) and not _NEGATED.search(lower, match.start()):
            yield Decision(SAID, match.start(1), len(lower), match[1].upper())


def _only_one(text: str, lower: str, texts: Sequence[str]) -> Iterator[Decision[str]]:
    """In a short reply: the one option that is named, or whose words are repeated."""
    if _TRYING.search(lower) or lower.endswith("?"):
        return
    marked = _marked(lower, 0, len(lower))
    word = _LAST_WORD.search(text)
    if word is not None and not _NEGATED.search(lower):
        marked.add(word[1].lower())
    if len(marked) == 1:
        yield Decision(WEAK, 0, len(lower), marked.pop().upper())
    elif not marked:
        words = quoted(lower, 0, texts)
        if words is not None and not _NEGATED.search(lower):
            yield Decision(WEAK, 0, len(lower), words)
