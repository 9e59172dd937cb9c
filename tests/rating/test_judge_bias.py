"""What a judge's errors depend on: slopes by hand, false alarms, makers and scripts by name, sentences."""

from __future__ import annotations

import random

import numpy as np
import pytest

from counterfoil.rating.judge_bias import bias_sentences, judge_bias, maker_of, script_of
from counterfoil.rating.regression import slope
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.student import t_quantile, t_two_sided
from counterfoil.suite.form import Task
from counterfoil.suite.opinions import Judged, Source, StudyTask

JUDGE = "openai/gpt-5"


def judged(number: int, words: int, error: float, *, model: str = "openai/gpt-4o", text: str = "word") -> Judged:
    """A reply of so many words, on which the judge gives so much more than people do."""
    reply = " ".join([text] * words)
    source = Source(model=model, variant="v", question_id=f"q{number}", repeat=0, cluster=f"q{number}")
    task = StudyTask(Task(id=number, question="?", right="Gold", reply=reply), source)
    return Judged(JUDGE, "correct", task, 0.5 + error, 0.5)


def factor(estimates: list[Estimate], name: str) -> Estimate:
    [found] = [one for one in estimates if one.group["factor"] == name]
    return found


def test_a_slope_by_hand() -> None:
    # x̄ = 2, ȳ = 5.2; Σ(x − 2)(y − ȳ) = (−2)(−4.2) + (−1)(−3.2) + 0 + 1 · 2.8 + 2 · 4.8 = 24, so 24 ÷ 10 = 2.4.
    found = slope([1, 2, 5, 8, 10], [0, 1, 2, 3, 4], list("abcde"))
    assert found.value == pytest.approx(2.4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 2.4 < found.high
    assert found.p is not None
    assert 0.001 < found.p < 0.05, "five points are few"


def test_what_can_not_be_told_has_a_note() -> None:
    same = slope([0, 1, 0, 1, 0], [3, 3, 3, 3, 3], list("abcde"))
    assert (same.value, same.note) == (None, "it is the same in all replies that were rated")
    few = slope([0, 1, 0, 1], [1, 2, 3, 4], list("abcd"))
    assert few.note == "fewer than 5 clusters (4)"
    lone = slope([0, 1, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], list("abcdef"))
    assert lone.p is None
    assert "one cluster decides" in (lone.note or "")


@pytest.mark.parametrize("df", [1.0, 4.0, 12.3, 200.0])
def test_p_values_are_those_of_the_quantiles(df: float) -> None:
    for level in (0.5, 0.05, 0.001):
        assert t_two_sided(float(t_quantile(1 - level / 2, df)), df) == pytest.approx(level, rel=1e-6)


def test_a_judge_that_loves_length_is_told_of() -> None:
    luck = random.Random(1)
    # 0.1 more for each doubling, from 8 to 128 words.
    some = [judged(i, 2 ** (3 + i % 5), 0.1 * (i % 5) + luck.uniform(-0.05, 0.05)) for i in range(60)]
    found = judge_bias(some)
    length = factor(found, "length")
    assert length.value == pytest.approx(0.1, abs=0.01)
    assert length.p is not None
    assert length.p < 0.001
    # All replies are of one maker and in one script.
    assert factor(found, "family").value is None
    [sentence] = bias_sentences(found)
    assert sentence.startswith("openai/gpt-5 on correct: with each doubling of a reply's length it gives 0.")
    assert " more than people do (p = " in sentence
    assert sentence.endswith("after Holm).")


def test_a_judge_of_the_same_maker_is_told_of_apart_from_length() -> None:
    luck = random.Random(2)
    some = []
    for i in range(80):
        own = i % 2 == 0
        # Its own maker's replies are longer, and longer ones are not rated better for it.
        words, error = (64 if own else 16) + luck.randint(-8, 8), (-0.2 if own else 0.0) + luck.uniform(-0.1, 0.1)
        some.append(judged(i, words, error, model="azure/gpt-4o" if own else "anthropic/claude-opus-4"))
    family = factor(judge_bias(some), "family")
    assert family.low is not None
    assert family.high is not None
    assert family.low < -0.2 < family.high < 0
    assert "to replies of its own maker it gives 0." in " ".join(bias_sentences([family]))


def test_other_scripts_count_as_another_language() -> None:
    some = [
        judged(i, 10 + i % 7, 0.3 * (i % 3 == 0) + 0.01 * (i % 2), text="낱말" if i % 3 == 0 else "word")
        for i in range(60)
    ]
    language = factor(judge_bias(some), "language")
    assert language.value == pytest.approx(0.3, abs=0.02)


@pytest.mark.heavy
def test_a_fair_judge_is_rarely_called_unfair() -> None:
    # 40 questions with 3 replies each, errors by chance; by the first p-value alone.
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(400):
        clusters = np.repeat(np.arange(40), 3)
        length = rng.normal(5, 1, 120)
        errors = rng.integers(-1, 2, 120) + rng.normal(0, 0.3, 40)[clusters]
        alarms += (slope(errors, length, [str(c) for c in clusters]).p or 1) < 0.05
    # 5 % of 400 is 20; more than 34 in one of 1,000 tests.
    assert alarms <= 34


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("openai/gpt-4o", "openai"),
        ("azure/gpt-35-turbo-0125-v1", "openai"),
        ("openrouter/anthropic/claude-3.5-sonnet", "anthropic"),
        ("together/meta-llama/Llama-3-8b", "meta"),
        ("ollama/qwen2.5:7b", "alibaba"),
        ("smollm2", "huggingface"),
        ("planted/explain?judge=gpt", None),
        ("vllm/mine", None),
    ],
)
def test_makers_by_name(name: str, maker: str | None) -> None:
    assert maker_of(name) == maker


def test_scripts() -> None:
    assert script_of("The answer is 42") == "LATIN"
    assert script_of("답은 GPT입니다, 그렇습니다") == "HANGUL"
    assert script_of("42") is None
