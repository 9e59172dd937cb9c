"""Does a judge's error grow with what a reply is like: its length, where the alternatives stand, who made it, its
language? From replies that people rated.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from counterfoil.figures.numbers import between, cell
from counterfoil.rating.regression import METHOD, slope
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.multiplicity import holm
from counterfoil.suite.opinions import OVER_ALL, Judged
from counterfoil.suite.people import JUDGE_BIAS

LENGTH, POSITION, FAMILY, LANGUAGE = "length", "position", "family", "language"
# What each factor does, in words: {} is how much more or less it gives.
_WORDS = {
    LENGTH: "with each doubling of a reply's length it gives {}",
    POSITION: "the later the first alternative stands in a reply (from its beginning to its end), it gives {}",
    FAMILY: "to replies of its own maker it gives {}",
    LANGUAGE: "to replies in another script than most it gives {}",
}
LEVEL = 0.05
# Parts of models' names that tell their makers.
MAKERS = {
    "openai": r"openai|gpt|\bo[134]\b|chatgpt",
    "anthropic": r"anthropic|claude",
    "google": r"google|gemini|gemma|palm",
    "meta": r"meta-?llama|\bmeta\b|llama",
    "mistral": r"mistral|mixtral",
    "alibaba": r"qwen|alibaba",
    "deepseek": r"deepseek",
    "microsoft": r"microsoft|\bphi\b",
    "naver": r"clova|naver",
    "cohere": r"cohere|command-r",
    "xai": r"\bxai\b|grok",
    "huggingface": r"smollm",
}
_MAKERS = {maker: re.compile(pattern, re.IGNORECASE) for maker, pattern in MAKERS.items()}


def maker_of(model: str) -> str | None:
    """Who made a model, by its name. What stands last tells most: azure/gpt-4o is OpenAI's; None where nothing does."""
    for part in reversed(re.split(r"[/:]", model.partition("?")[0])):
        for maker, pattern in _MAKERS.items():
            if pattern.search(part):
                return maker
    return None


def script_of(text: str) -> str | None:
    """The script of most letters: LATIN, HANGUL, CJK and so on."""
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text[:2000] if letter.isalpha())
    return names.most_common(1)[0][0] if names else None


def judge_bias(judged: Sequence[Judged]) -> list[Estimate]:
    """For each judge, measure and factor: how much more the judge gives than people do, by how much of the factor.

    Adjusted for the length, but for the length itself. The p-values of a judge are adjusted after Holm.
    """
    found: list[Estimate] = []
    for judge in dict.fromkeys(one.judge for one in judged):
        of_judge = [one for one in judged if one.judge == judge]
        made = [
            _estimate(judge, measure, factor, [one for one in of_judge if one.measure == measure], value)
            for measure in dict.fromkeys(one.measure for one in of_judge)
            for factor, value in _factors(judge, of_judge).items()
        ]
        for one, p in zip(made, holm([one.p for one in made]), strict=True):
            one.p = p
        found += made
    return found


def _factors(judge: str, judged: Sequence[Judged]) -> dict[str, Callable[[Judged], float | None]]:
    maker = maker_of(judge)
    scripts = Counter(script_of(one.task.task.reply) for one in judged)
    usual = scripts.most_common(1)[0][0] if scripts else None

    def same_maker(one: Judged) -> float | None:
        other = maker_of(one.task.source.model)
        return None if maker is None or other is None else float(maker == other)

    def other_script(one: Judged) -> float | None:
        script = script_of(one.task.task.reply)
        return None if script is None else float(script != usual)

    return {LENGTH: doublings, POSITION: _position, FAMILY: same_maker, LANGUAGE: other_script}


def doublings(one: Judged) -> float:
    """How often one word must be doubled to be as many as the reply has."""
    return math.log2(max(1, len(one.task.task.reply.split())))


def _position(one: Judged) -> float | None:
    """Where the first alternative stands, from 0 at the beginning of the reply to 1 at its end."""
    reply = one.task.task.reply.casefold()
    places = [place for name in one.task.task.alternatives if (place := reply.find(name.casefold())) >= 0]
    return min(places) / len(reply) if places else None


def _estimate(
    judge: str, measure: str, factor: str, judged: Sequence[Judged], value: Callable[[Judged], float | None]
) -> Estimate:
    known = [(one, x) for one, x in ((one, value(one)) for one in judged) if x is not None]
    errors = [one.said - one.people for one, _ in known]
    others = [] if factor == LENGTH else [[doublings(one) for one, _ in known]]
    found = slope(errors, [x for _, x in known], [one.task.source.cluster for one, _ in known], others)
    return Estimate(
        metric=JUDGE_BIAS.name,
        group={"judge": judge, "question": measure, "factor": factor},
        **OVER_ALL,
        **{name: getattr(found, name) for name in ("value", "low", "high", "p", "n", "clusters", "note")},
        method=METHOD,
    )


def bias_sentences(estimates: Sequence[Estimate]) -> list[str]:
    """What each judge's errors depend on, in words; that nothing can be told, where nothing can."""
    sentences = []
    of_bias = [one for one in estimates if one.metric == JUDGE_BIAS.name]
    for judge in dict.fromkeys(one.group["judge"] for one in of_bias):
        mine = [one for one in of_bias if one.group["judge"] == judge]
        told = [one for one in mine if one.p is not None and one.p < LEVEL and one.value is not None]
        sentences += [f"{judge} on {one.group['question']}: {_dependence(one)}." for one in told]
        tested = list(dict.fromkeys(str(one.group["factor"]) for one in mine if one.p is not None))
        if not told and tested:
            sentences.append(f"{judge}: no error that grows with {', '.join(tested)} can be told from chance.")
    return sentences


def _dependence(one: Estimate) -> str:
    value = one.value or 0.0
    bounds = between(one.low, one.high) if value > 0 else between(_negative(one.high), _negative(one.low))
    how = f"{cell(abs(value))}{bounds} {'more' if value > 0 else 'less'} than people do"
    return f"{_WORDS[str(one.group['factor'])].format(how)} (p = {cell(one.p)}, after Holm)"


def _negative(number: float | None) -> float | None:
    return None if number is None else -number
