"""All steps of a judge on one reply, with a judge that answers from a function."""

from __future__ import annotations

import ast
import asyncio
import csv
import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import NotAsked
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.replay import ReplayModel
from counterfoil.explain.judging.judge import Judgement, judge_mentions, judge_reply, overlap
from counterfoil.explain.questions import Question
from counterfoil.judging.parsing import read_list

SHARED = Path(__file__).parents[2].parent / "shared"
STUDY = SHARED / "seeds" / "counterfactual-explanatory-qa.md"
RESPONSES = SHARED / "data" / "cfe" / "responses_dev.csv"

QUESTION = Question(
    id="q1",
    text="What is the capital of Australia?",
    gold="Canberra",
    aliases=("Canberra, ACT",),
    candidates={"Sydney": 80, "Melbourne": 60, "Perth": 10, "Córdoba": 0},
)
REPLY = "Canberra, not Sydney (the largest city) or Melbourne (the old seat of government)."


def prompt(name: str) -> str:
    return (resources.files("counterfoil.explain") / "prompts" / f"judge-{name}.txt").read_text(encoding="utf-8")


STEPS = {
    prompt(name).strip(): name
    for name in ("confusion", "alternatives", "intersection", "quality", "restraint", "correct", "mentions")
}
Answer = str | Reply | Callable[[Sequence[Message]], str]
GOOD: Mapping[str, Answer] = {
    "confusion": "Explanation: Sydney is larger.\nScore: 80",
    "alternatives": "Alternatives:\n- Sydney\n- Melbourne\n- Brisbane\n- Adelaide",
    "intersection": "Intersection:\n- Sydney\n- Melbourne",
    "quality": "Ratings:\n- Sydney | clarity: 90 | accuracy: 60 | convincingness: 30\n"
    "- Melbourne | clarity: 40 | accuracy: 20 | convincingness: 0\n"
    "- Perth | clarity: 0 | accuracy: 0 | convincingness: 0",
    "restraint": "Explanation: x\nVerdict: no",
    "correct": "Explanation: x\nVerdict: yes",
    "mentions": "Mentioned:\n- sydney\n- Cordoba (as a joke)\n- Hobart",
}


class Judge:
    """Answers each step as it is told, and remembers what it was asked."""

    judges = ("j",)

    def __init__(self, **answers: Answer) -> None:
        self.asked: list[tuple[str, tuple[Message, ...]]] = []
        self._answers = {**GOOD, **answers}

    @property
    def steps(self) -> list[str]:
        return [name for name, _ in self.asked]

    def contents(self, step: str) -> list[str]:
        return [messages[1].content for name, messages in self.asked if name == step]

    async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
        name = STEPS[messages[0].content]
        self.asked.append((name, tuple(messages)))
        answer = self._answers[name]
        if callable(answer):
            answer = answer(messages)
        return answer if isinstance(answer, Reply) else Reply(status="ok", text=answer)


def judged(
    judge: Judge,
    mentioned: Sequence[str] = ("Sydney", "Melbourne", "Perth"),
    question: Question = QUESTION,
    **settings: Any,
) -> Judgement:
    return asyncio.run(judge_reply(judge, "j", question, REPLY, mentioned, **settings))


def test_a_confusing_question() -> None:
    judge = Judge()
    result = judged(judge)
    assert judge.steps == ["confusion", "alternatives", "intersection", "quality"]
    # Two of three mentioned are ideal, of four ideal ones: p = 2/3, r = 2/4, F1 = 2 · 1/3 ÷ 7/6 = 4/7.
    # Sydney (90 + 60 + 30) / 3 = 60, Melbourne 20, Perth 0: mean 80 / 3.
    assert result == Judgement(
        confusion=80,
        confusing=True,
        ideal=("Sydney", "Melbourne", "Brisbane", "Adelaide"),
        intersection=("Sydney", "Melbourne"),
        precision=pytest.approx(2 / 3),  # type: ignore[arg-type]
        recall=0.5,
        f1=pytest.approx(4 / 7),  # type: ignore[arg-type]
        quality=pytest.approx(80 / 3),  # type: ignore[arg-type]
        explanation="Sydney is larger.",
        # (90 + 40 + 0) / 3, (60 + 20 + 0) / 3, (30 + 0 + 0) / 3.
        clarity=pytest.approx(130 / 3),  # type: ignore[arg-type]
        accuracy=pytest.approx(80 / 3),  # type: ignore[arg-type]
        convincingness=10,
    )


def test_a_plain_question() -> None:
    # 50 is not above 50.
    judge = Judge(confusion="Score: 50")
    result = judged(judge)
    assert judge.steps == ["confusion", "restraint"]
    assert result == Judgement(confusion=50, confusing=False, restraint=1.0)
    assert judged(Judge(confusion="Score: 50", restraint="Verdict: yes")).restraint == 0.0
    assert judged(Judge(confusion="Score: 50"), confusing_at=49.5).confusing is True
    assert judged(Judge(), confusing_at=80).confusing is False


def test_the_answer_is_checked_on_both_kinds_of_question() -> None:
    for score in (10, 90):
        judge = Judge(confusion=f"Score: {score}")
        assert judged(judge, check_answer=True).correct is True
        (content,) = judge.contents("correct")
        assert "Canberra / Canberra, ACT" in content
        assert REPLY in content
    assert judged(Judge(correct="Verdict: no"), check_answer=True).correct is False
    assert judged(Judge()).correct is None


def test_overlap_by_hand() -> None:
    assert overlap(2, 3, 4) == pytest.approx((2 / 3, 0.5, 4 / 7))
    assert overlap(3, 3, 3) == (1, 1, 1)
    assert overlap(0, 3, 4) == (0, 0, 0)
    # Nothing mentioned: precision is not defined. Nothing ideal: recall is not.
    assert overlap(0, 0, 4) == (None, 0, 0)
    assert overlap(0, 3, 0) == (0, None, 0)
    assert overlap(0, 0, 0) == (None, None, 0)
    # Three names of the one ideal alternative are all of it, not three times all of it.
    assert overlap(3, 3, 1) == (1, 1, 1)


def test_overlap_on_the_judge_of_the_cfe_study() -> None:
    """Its lists are JSON of two kinds: [{"answer": …}] and [{"mentioned": …, "ideal": …}]."""
    if not RESPONSES.exists():
        pytest.skip(f"{RESPONSES} is not here")
    with RESPONSES.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["gpt_cands"]]
    assert len(rows) == 502
    for row in rows:
        mentioned = ast.literal_eval(row["mentioned_cands"])
        common = read_list(row["gpt_cands_intersection"], "Intersection")
        assert set(common) <= set(mentioned)
        result = overlap(len(common), len(mentioned), len(read_list(row["gpt_cands"], "Alternatives")))
        for value, column in zip(result, ("gpt_precision", "gpt_recall", "gpt_f1_score"), strict=True):
            assert value == (pytest.approx(float(row[column]), abs=1e-9) if row[column] else None)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_overlap_stays_in_its_bounds(common: int, others: int, ideal: int) -> None:
    result = overlap(common if ideal else 0, common + others, ideal)
    assert all(value is None or 0 <= value <= 1 for value in result)


def test_without_mentions_nobody_is_asked_to_compare() -> None:
    judge = Judge()
    result = judged(judge, [], swap=True)
    assert judge.steps == ["confusion", "alternatives"]
    assert result.intersection == ()
    assert (result.precision, result.recall, result.f1, result.quality) == (None, 0, 0, None)
    assert result.changed is None


def test_without_ideal_alternatives_nobody_is_asked_to_compare() -> None:
    judge = Judge(alternatives="Alternatives:\n- None")
    result = judged(judge, swap=True)
    assert judge.steps == ["confusion", "alternatives", "quality"]
    assert (result.ideal, result.intersection) == ((), ())
    assert (result.precision, result.recall, result.f1) == (0, None, 0)
    assert result.failures == ()


def test_an_empty_intersection_is_one() -> None:
    result = judged(Judge(intersection='{"intersection": []}'))
    assert (result.intersection, result.precision, result.recall, result.f1) == ((), 0, 0, 0)
    assert result.failures == ()


def test_what_was_not_mentioned_is_not_common() -> None:
    judge = Judge(intersection='["SYDNEY", "Brisbane", "cordoba", "Córdoba", "Adelaide"]')
    result = judged(judge, ["Sydney", "Córdoba"], swap=True)
    assert result.intersection == ("Sydney", "Córdoba")
    assert result.precision == 1


def test_mentions_are_counted_once() -> None:
    result = judged(Judge(), ["Sydney", "sydney ", "Melbourne", "Perth", ""])
    assert result.precision == pytest.approx(2 / 3)


def test_question_level_asks_are_the_same_for_all_replies() -> None:
    one, other = Judge(), Judge()
    asyncio.run(judge_reply(one, "j", QUESTION, "Canberra.", []))
    asyncio.run(judge_reply(other, "j", QUESTION, REPLY, ["Sydney"], swap=True))
    assert one.asked[:2] == other.asked[:2]
    assert one.contents("confusion") == one.contents("alternatives") == [QUESTION.text]


def test_lists_are_in_an_order_of_their_own() -> None:
    one, other = Judge(), Judge()
    judged(one, ["Sydney", "Melbourne", "Perth"])
    judged(other, ["Perth", "Sydney", "Melbourne"])
    assert one.asked == other.asked
    orders = set()
    for number in range(20):
        judge = Judge()
        judged(judge, question=msgspec.structs.replace(QUESTION, id=f"q{number}"))
        orders.update(judge.contents("intersection"))
    assert len(orders) > 10


def lists_in(content: str) -> dict[str, list[str]]:
    """The lists below their headings, in the order they come in."""
    return {
        heading: re.findall(r"- (.*)", body) for heading, body in re.findall(r"(List [AB]):\n((?:- .*\n?)+)", content)
    }


def test_swapped_lists_are_the_same_lists_the_other_way_round() -> None:
    judge = Judge()
    result = judged(judge, swap=True)
    first, second = map(lists_in, judge.contents("intersection"))
    assert list(first) == ["List A", "List B"]
    assert list(second) == ["List B", "List A"]
    assert sorted(first["List A"]) == ["Melbourne", "Perth", "Sydney"]
    assert sorted(first["List B"]) == ["Adelaide", "Brisbane", "Melbourne", "Sydney"]
    assert all(second[name] == first[name][::-1] for name in first)
    assert result.changed is False


def test_a_judge_that_looks_at_positions_is_found_out() -> None:
    def first_of_list_a(messages: Sequence[Message]) -> str:
        return f"Intersection:\n- {lists_in(messages[1].content)['List A'][0]}"

    judge = Judge(intersection=first_of_list_a)
    result = judged(judge, swap=True)
    assert result.changed is True
    # The scores are those of the first order.
    assert result.intersection == (lists_in(judge.contents("intersection")[0])["List A"][0],)
    # The same set in another order, and with other things besides, is the same.
    replies = iter(["Intersection:\n- Sydney\n- Perth", "Intersection:\n- perth\n- SYDNEY\n- Hobart"])
    assert judged(Judge(intersection=lambda _: next(replies)), swap=True).changed is False


def test_bad_json_twice_then_good() -> None:
    replies = iter(['{"score": ', '{"explanation": "x"}', '{"explanation": "x", "score": 80}'])
    judge = Judge(confusion=lambda _: next(replies))
    assert judged(judge).confusion == 80
    assert judge.steps[:3] == ["confusion"] * 3
    assert [len(messages) for _, messages in judge.asked[:3]] == [2, 4, 6]


def test_a_failed_confusion_score_leaves_what_depends_on_it_open() -> None:
    judge = Judge(confusion="Explanation: x\nScore: 250")
    result = judged(judge, check_answer=True, swap=True)
    assert judge.steps == ["confusion"] * 3 + ["correct"]
    (failure,) = result.failures
    assert failure.startswith("confusion: unreadable, asked 3 times: the score must be")
    assert result == Judgement(correct=True, failures=(failure,))


def test_failed_alternatives_leave_the_quality() -> None:
    result = judged(Judge(alternatives=Reply(status="refused")))
    assert result.failures == ("alternatives: refused",)
    assert (result.ideal, result.intersection, result.precision, result.recall, result.f1) == (None,) * 5
    assert result.quality == pytest.approx(80 / 3)
    # What is not known is not 0, not even without mentions.
    assert judged(Judge(alternatives=Reply(status="refused")), []).f1 is None


def test_a_failed_intersection_leaves_the_ideal_alternatives() -> None:
    judge = Judge(intersection=Reply(status="truncated", text="Intersection:\n- Syd"))
    result = judged(judge, swap=True)
    assert judge.steps == ["confusion", "alternatives", "intersection", "quality"]
    assert result.failures == ("intersection: truncated",)
    assert result.ideal is not None
    assert (result.intersection, result.precision, result.recall, result.f1, result.changed) == (None,) * 5


def test_a_failed_swap_leaves_the_first_result() -> None:
    replies = iter(["Intersection:\n- Sydney", "?", "?", "?"])
    result = judged(Judge(intersection=lambda _: next(replies)), swap=True)
    assert result.intersection == ("Sydney",)
    assert result.changed is None
    assert [failure.partition(":")[0] for failure in result.failures] == ["intersection, swapped"]


@pytest.mark.parametrize("step", ["quality", "restraint", "correct"])
def test_other_failed_steps_are_none(step: str) -> None:
    score = 10 if step == "restraint" else 90
    result = judged(Judge(confusion=f"Score: {score}", **{step: "I'd rather not say."}), check_answer=True)
    assert getattr(result, step) is None
    assert [failure.partition(":")[0] for failure in result.failures] == [step]


def test_a_judge_that_refuses_everything() -> None:
    class Refusing(Judge):
        async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
            return Reply(status="refused", error="content filter")

    result = judged(Refusing(), check_answer=True)
    assert result == Judgement(failures=("confusion: refused: content filter", "correct: refused: content filter"))


def test_where_asking_has_stopped_so_does_the_judgement() -> None:
    def stop(messages: Sequence[Message]) -> str:
        raise NotAsked("interrupted")

    with pytest.raises(NotAsked):
        judged(Judge(quality=stop))


def test_mentions_by_a_judge() -> None:
    judge = Judge()
    assert asyncio.run(judge_mentions(judge, "j", QUESTION, REPLY)) == ("Sydney", "Córdoba")
    (content,) = judge.contents("mentions")
    assert all(f"- {name}" in content for name in QUESTION.candidates)
    assert asyncio.run(judge_mentions(Judge(mentions="- None"), "j", QUESTION, REPLY)) == ()
    assert asyncio.run(judge_mentions(Judge(mentions="?"), "j", QUESTION, REPLY)) is None


def test_canned_replies_go_through_all_steps(tmp_path: Path) -> None:
    file = tmp_path / "judge.jsonl"
    lines = [
        {"when": ["expert question evaluator", "This can't be used"], "text": '```json\n{"score": 80}\n```'},
        {"when": ["expert question evaluator"], "text": "Score: 250"},
        {"when": ["expert question analyst"], "text": "Alternatives:\n- Sydney\n- Hobart"},
        {"when": ["find the intersection"], "text": "Intersection:\n- Sydney"},
        {
            "when": ["clarity", "convincingness"],
            "text": '{"Sydney": {"clarity": 9, "accuracy": 9, "convincingness": 9}}',
        },
        {"text": "I can't say.", "status": "refused"},
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    model = ReplayModel(ModelSpec(name=f"replay/{file}"))

    class Canned(Judge):
        async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
            return (await model.send(model.ask(messages, {}, 0), 1.0)).reply

    result = judged(Canned(), ["Sydney"], swap=True, check_answer=True)
    assert result == Judgement(
        confusion=80,
        confusing=True,
        ideal=("Sydney", "Hobart"),
        intersection=("Sydney",),
        precision=1,
        recall=0.5,
        f1=pytest.approx(2 / 3),  # type: ignore[arg-type]
        quality=9,
        clarity=9,
        accuracy=9,
        convincingness=9,
        changed=False,
        failures=("correct: refused",),
    )


@pytest.mark.parametrize("name", ["confusion", "alternatives", "intersection"])
def test_the_prompts_are_those_of_the_cfe_study(name: str) -> None:
    if not STUDY.exists():
        pytest.skip(f"{STUDY} is not here")
    blocks = re.findall(
        r"^( *)```(?:text)? *\n(.*?)^\1``` *$", STUDY.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert prompt(name) in [textwrap.dedent(block) for _, block in blocks]
