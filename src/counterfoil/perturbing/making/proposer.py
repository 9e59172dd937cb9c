"""Templates that a model proposes for existing questions. Accepted is only what gives back the original.

With the original values it must render the question's text, number by number, and its answer must be the gold option
and no other. The options and the words around their numbers are taken from the question, never from the model.
"""

from __future__ import annotations

import timeit
from collections import Counter
from collections.abc import Callable
from typing import Any

from counterfoil.datasets.judged import Judging
from counterfoil.errors import UserError
from counterfoil.judging.text import short
from counterfoil.perturbing.expressions.functions import FUNCTIONS
from counterfoil.perturbing.making.asking import Unfit, ask_twice, json_object, question_shown
from counterfoil.perturbing.making.existing import ExistingQuestion, Mark, occurrences, option_fields, options_of
from counterfoil.perturbing.questions import LETTERS
from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Rejected
from counterfoil.perturbing.templates.given import verify_given
from counterfoil.perturbing.templates.tables import template_from
from counterfoil.perturbing.templates.template import Template
from counterfoil.suite.prompts import shipped_text

IMPOSSIBLE = "the model says that it can't be computed"
NO_TEMPLATE = "it is no template"
NOT_COMPUTED = "the original can't be computed with it"
CHECK_DIFFERS = "its answer and its check differ"
OTHER_NUMBERS = "it does not give the original's numbers"
OTHER_WORDS = "it does not give the original's words"
OTHER_ANSWER = "it does not give the gold option, or another one, too"
TOO_SLOW = "it takes too long to compute"
NO_DRAWS = "no variants can be drawn from it"

# Thousands of draws may be tried: a formula that takes longer than this many seconds would hold up all others.
SLOWEST = 0.02
# What a proposal may say. The rest of a template comes from the question.
FIELDS = frozenset(
    {"topic", "text", "slots", "derived", "answer", "check", "distractors", "conditions", "percent", "steps", "names",
     "inverse"}
)  # fmt: skip
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})


def prompt() -> str:
    """What the model is asked to do, with the functions that expressions have."""
    text = shipped_text("counterfoil.perturbing", "propose.txt").strip()
    listed = ", ".join(f"{name}({', '.join(function.parameters)})" for name, function in FUNCTIONS.items())
    return text.replace("<functions>", f"{listed}.")


def content(question: ExistingQuestion) -> str:
    return question_shown(question.stem, question.options, LETTERS[question.right])


async def propose(judging: Judging, question: ExistingQuestion, draw: Callable[[Template], object]) -> Template | Unfit:
    """The template that the model proposes, if it holds and variants can be drawn from it."""
    return await ask_twice(judging, prompt(), content(question), lambda text: read_proposal(text, question, draw))


def read_proposal(text: str, question: ExistingQuestion, draw: Callable[[Template], object]) -> Template:
    """The template in a reply. Unfit says what does not hold; `draw` raises UserError if it gives no variants."""
    proposal = json_object(text, ("answer", "impossible"))
    if "impossible" in proposal:
        raise Unfit(IMPOSSIBLE, f"{IMPOSSIBLE}: {short(proposal['impossible'])}", final=True)
    try:
        template = template_from(_table(proposal, question), "the JSON object", "proposed")
    except (UserError, ValueError) as error:
        raise Unfit(NO_TEMPLATE, str(error).rstrip(".")) from error
    _check_text(template, question)
    assert template.given is not None
    try:
        verify_given(template, template.given)
    except UserError as error:
        raise Unfit(OTHER_ANSWER, str(error).rstrip(".")) from error
    slots = draws.original_slots(template)
    if min(timeit.repeat(lambda: draws.work_out(template, slots), number=1, repeat=3)) > SLOWEST:
        raise Unfit(TOO_SLOW, f"{TOO_SLOW}: write it without long sums")
    try:
        draw(template)
    except UserError as error:
        raise Unfit(NO_DRAWS, str(error).rstrip(".")) from error
    return template


def _table(proposal: dict[str, Any], question: ExistingQuestion) -> dict[str, Any]:
    """The proposal with what the question gives: options, gold, the words around their numbers, digits."""
    places, spans, _ = options_of(question)
    text = question.text
    marks = [Mark(span, name) for name, word in _first_names(proposal) for span in occurrences(word, text)]
    table = {name: value for name, value in proposal.items() if name in FIELDS}
    topic = table.get("topic")
    return {
        **table,
        **option_fields(text, places.options, spans, question.right, marks),
        "id": f"proposed-{question.sha256[:12]}",
        "topic": topic if isinstance(topic, str) and topic.strip() else question.topic,
    }


def _first_names(proposal: dict[str, Any]) -> list[tuple[str, str]]:
    """Each name with its word in the question; what is no name is left for the template's own checks."""
    names = proposal.get("names")
    if not isinstance(names, dict):
        return []
    return [
        (name, words[0])
        for name, words in names.items()
        if isinstance(words, list) and words and isinstance(words[0], str) and words[0]
    ]


def _check_text(template: Template, question: ExistingQuestion) -> None:
    """With the original values, it is the question's text: the same numbers, the same words."""
    try:
        draw = draws.work_out(template, draws.original_slots(template))
    except Rejected as error:
        raise Unfit(NOT_COMPUTED, f"with the original values, {error}") from error
    except UserError as error:
        raise Unfit(CHECK_DIFFERS, str(error).rstrip(".")) from error
    rendered = template.text.render(wording.printed(template, draw, template.first_names))
    wanted, found = numbers.in_text(question.stem), numbers.in_text(rendered)
    missing = list((Counter(wanted) - Counter(found)).elements())
    added = list((Counter(found) - Counter(wanted)).elements())
    if missing or added:
        lacks = f"it lacks the question's {', '.join(missing[:5])}" if missing else ""
        has = f"it has {', '.join(added[:5])}, which the question has not" if added else ""
        raise Unfit(OTHER_NUMBERS, f"with the original values, text does not give the question: {lacks or has}")
    if _folded(rendered) != _folded(question.stem):
        near = _first_difference(_folded(rendered), _folded(question.stem))
        raise Unfit(OTHER_WORDS, f"text is not the question word for word: it differs from {short(near)} on")


def _folded(text: str) -> str:
    """Without differences in white space and in the form of quotes."""
    return " ".join(text.translate(_QUOTES).split())


def _first_difference(found: str, wanted: str) -> str:
    differing = (at for at, (one, other) in enumerate(zip(found, wanted, strict=False)) if one != other)
    position = next(differing, min(len(found), len(wanted)))
    return wanted[max(0, position - 10) :]
