"""Questions of KoBBQ: orders, ids, and bad rows that are named."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.bias.questions import UNKNOWN, Question
from counterfoil.bias.sources.kobbq import parse_id, read_samples
from counterfoil.bias.sources.loading import load_questions
from counterfoil.errors import UserError
from counterfoil.running.sampling import Sample, chosen_units

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "kobbq"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/kobbq is not here: it holds KoBBQ's files")

HEADER = "sample_id\tlabel_annotation\tcontext\tquestion\tchoices\tbiased_answer\tanswer\n"
# A row for each kind of context of one made-up template; the stereotype is about 할머니.
GOOD = {
    "age-001a-001-amb-bsd": ("할머니", UNKNOWN),
    "age-001a-001-dis-bsd": ("할머니", "손자"),
    "age-001b-001-amb-bsd": ("할머니", UNKNOWN),
    "age-001b-001-dis-bsd": ("할머니", "할머니"),
}


def line(sample_id: str, **changed: str) -> str:
    biased, right = GOOD.get(sample_id, ("할머니", UNKNOWN))
    cells = {
        "sample_id": sample_id,
        "label_annotation": "ST",
        "context": "손자와 할머니가 있었습니다.",
        "question": "누가 늦었습니까?",
        "choices": f"['손자', '할머니', '{UNKNOWN}']",
        "biased_answer": biased,
        "answer": right,
    }
    return "\t".join((cells | changed).values()) + "\n"


def written(folder: Path, *lines: str, name: str = "samples.tsv") -> str:
    path = folder / name
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
    return str(path)


def question(choices: tuple[str, str, str] = ("c0", "c1", "c2"), order: int = 0) -> Question:
    return Question("s", "", "", choices, "c2", "c0", "c2", "k", "", "t", True, False, None, order)


def test_the_three_orders_are_those_of_the_official_script() -> None:
    # Order i of c is (c[i], c[i−1], c[i−2]), modulo 3.
    assert question(order=0).shown == ("c0", "c2", "c1"), "first, third, second"
    assert question(order=1).shown == ("c1", "c0", "c2"), "second, first, third"
    assert question(order=2).shown == ("c2", "c1", "c0"), "third, second, first"


@given(st.integers(0, 2), st.permutations(["c0", "c1", "c2"]))
def test_each_order_shows_every_choice_once(order: int, choices: list[str]) -> None:
    one, two, three = choices
    shown = question((one, two, three), order).shown
    assert sorted(shown) == ["c0", "c1", "c2"]
    assert shown[0] == choices[order]


def test_over_the_orders_each_choice_stands_first_once() -> None:
    for place in range(3):
        assert {question(order=order).shown[place] for order in range(3)} == {"c0", "c1", "c2"}


def test_ids_tell_the_order_and_records_know_both(tmp_path: Path) -> None:
    name = written(tmp_path, *map(line, GOOD))
    asked = list(load_questions(name))
    assert [it.id for it in asked[:4]] == [
        "age-001a-001-amb-bsd-0",
        "age-001a-001-amb-bsd-1",
        "age-001a-001-amb-bsd-2",
        "age-001a-001-dis-bsd-0",
    ]
    assert len(asked) == 12
    assert asked[2].columns["question_id"] == "age-001a-001-amb-bsd"
    assert asked[2].columns["order"] == 2
    assert [it.id for it in load_questions(name, orders=1)] == [f"{sample_id}-0" for sample_id in GOOD]
    assert [it.order for it in load_questions(name, orders=2)][:2] == [0, 1]


def test_what_an_id_says() -> None:
    about = parse_id("race_ethnicity_nationality-012d-034-dis-cnt")
    assert about.category == "race_ethnicity_nationality"
    assert about.template == "race_ethnicity_nationality-012"
    assert not about.ambiguous
    # a, c: the counter-biased context; b, d: the biased one.
    kinds = {version: parse_id(f"age-001{version}-002-amb-bsd").biased_context for version in "abcd"}
    assert kinds == {"a": False, "b": True, "c": False, "d": True}
    # a and b differ only in which group is which, so do c and d; nothing else is a pair.
    pairs = [parse_id(f"age-001{version}-002-amb-bsd").pair for version in "abcd"]
    assert pairs[0] == pairs[1] != pairs[2] == pairs[3]
    assert parse_id("age-001a-002-amb-cnt").pair != pairs[0]
    assert parse_id("age-001a-003-amb-bsd").pair != pairs[0]


@given(st.text(max_size=30))
def test_any_text_is_an_id_or_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="is not category-templateX"):
        parse_id(f"{text}-001x-001-amb-bsd")
    with suppress(ValueError):
        assert parse_id(text).category


def test_roles() -> None:
    one = question()
    assert [one.role(choice) for choice in ("c0", "c1", "c2")] == ["biased", "counter_biased", "unknown"]


def test_a_question_without_a_target_has_no_roles() -> None:
    # Were unknown a role here, it would count in the bias's denominator, and the other answers would not.
    nobody = Question("s", "", "", ("c0", "c1", "c2"), "c2", "", "c2", "k", "", "t", True, None)
    assert [nobody.role(choice) for choice in nobody.choices] == [None, None, None]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (line("age-001-001-amb-bsd"), "is not category-templateX-sample-amb|dis-bsd|cnt"),
        (line("age-001a-001-amb-bsd", context=" "), "its context is empty"),
        (line("age-001a-001-amb-bsd", question=""), "its question is empty"),
        (line("age-001a-001-amb-bsd", choices="손자, 할머니"), "its choices are no list"),
        (line("age-001a-001-amb-bsd", choices="[__import__('os').system('touch evil'), 'a', 'b']"), "are no list"),
        (line("age-001a-001-amb-bsd", choices="['손자', '할머니']"), "not three different texts"),
        (line("age-001a-001-amb-bsd", choices="['손자', '손자', '할머니']"), "not three different texts"),
        (line("age-001a-001-amb-bsd", choices="['손자', 3, '할머니']"), "not three different texts"),
        (line("age-001a-001-amb-bsd", choices="['손자', [], '할머니']"), "not three different texts"),
        (line("age-001a-001-amb-bsd", choices="['손자', '할머니', '모름']"), f"none of its choices is {UNKNOWN}"),
        (line("age-001a-001-amb-bsd", biased_answer="삼촌"), "its biased_answer '삼촌' is not among its choices"),
        (line("age-001a-001-dis-bsd", answer="삼촌"), "its answer '삼촌' is not among its choices"),
        (line("age-001a-001-amb-bsd", answer="손자"), "its context is ambiguous, and its answer '손자'"),
        (line("age-001a-001-dis-bsd", answer=UNKNOWN), "its context is clear, and its answer"),
        (line("age-001a-001-dis-bsd", answer="할머니"), "its id and its biased_answer disagree"),
        ("age-001a-001-amb-bsd\tST\n", "its context is empty"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_reason(tmp_path: Path, bad: str, reason: str) -> None:
    name = written(tmp_path, line("age-001b-001-amb-bsd"), bad)
    with pytest.raises(UserError) as raised:
        load_questions(name)
    # The header is line 1, the good row line 2.
    assert f"{name} has bad rows: line 3: " in str(raised.value)
    assert reason in str(raised.value)
    assert not (tmp_path / "evil").exists()
    assert not Path("evil").exists()


def test_every_bad_row_is_counted(tmp_path: Path) -> None:
    rows = [line(f"age-001a-{number:03}-amb-bsd", context="") for number in range(8)]
    with pytest.raises(UserError) as raised:
        load_questions(written(tmp_path, *rows))
    # Five by name (lines 2 to 6), three more.
    assert [f"line {number}:" in str(raised.value) for number in range(2, 10)] == [True] * 5 + [False] * 3
    assert "and 3 more" in str(raised.value)


def test_other_things_that_are_wrong_with_a_file(tmp_path: Path) -> None:
    twice = written(tmp_path, line("age-001a-001-amb-bsd"), line("age-001a-001-amb-bsd"))
    with pytest.raises(UserError, match=r"bad rows: the id age-001a-001-amb-bsd was there before"):
        load_questions(twice)
    (tmp_path / "latin.tsv").write_bytes(HEADER.encode() + "ü".encode("latin-1"))
    with pytest.raises(UserError, match="is not UTF-8"):
        load_questions(str(tmp_path / "latin.tsv"))
    (tmp_path / "short.tsv").write_text("sample_id\tcontext\n")
    with pytest.raises(UserError, match="lacks the columns label_annotation, question, choices"):
        load_questions(str(tmp_path / "short.tsv"))
    (tmp_path / "begun.tsv").write_text("Category\tID\tversion\n")
    with pytest.raises(UserError, match="lacks the columns Label_annotation, Names, Ambiguous_context"):
        load_questions(str(tmp_path / "begun.tsv"))
    (tmp_path / "x.docx").write_text("x")
    with pytest.raises(UserError, match=r"x\.docx: a dataset is"):
        load_questions(str(tmp_path / "x.docx"))
    with pytest.raises(UserError, match="there is no such dataset"):
        load_questions("koreen")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"there are no \.jsonl files"):
        load_questions(str(tmp_path / "empty"))


def test_a_byte_order_mark_and_cells_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "bom.tsv"
    text = HEADER + line("age-001a-001-amb-bsd", context='"손자와\n할머니"') + line("age-001b-001-amb-bsd", answer="x")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    # The first row takes lines 2 and 3, so the bad one is line 4.
    with pytest.raises(UserError, match=r"bom\.tsv has bad rows: line 4: its answer 'x'"):
        load_questions(str(path))


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\t\x00"), max_size=12)


@given(st.lists(cells, min_size=7, max_size=7), st.integers(0, 6))
def test_any_cells_give_a_question_or_a_reason(values: list[str], kept: int) -> None:
    good = line("age-001a-001-amb-bsd").rstrip("\n").split("\t")
    row = [old if place == kept else new for place, (old, new) in enumerate(zip(good, values, strict=True))]
    # No question has an empty or a foreign answer.
    with pytest.raises(UserError, match=r"^f has bad rows: line 2: "):
        read_samples(HEADER + "\t".join(f'"{value.replace(chr(34), "")}"' for value in row), "f")


def test_a_limit_counts_questions_before_orders() -> None:
    dataset = load_questions("korean")
    sample = list(Sample(dataset, chosen_units(dataset, 24, seed=0)))
    assert len(sample) == 72
    assert set(Counter(it.sample_id for it in sample).values()) == {3}
    # Twelve categories, ambiguous or not, two kinds of context: 48 strata of the same size, one of each in 48.
    sample = list(Sample(dataset, chosen_units(dataset, 48, seed=0)))
    assert set(Counter(it.category for it in sample).values()) == {4 * 3}
    assert Counter((it.ambiguous, it.biased_context) for it in sample).most_common(1)[0][1] == 12 * 3


def test_language_and_aggregation_are_known_from_the_data(tmp_path: Path) -> None:
    assert load_questions("korean").language == "ko"
    assert load_questions("english").language == "en"
    assert not load_questions("korean").by_template
    rows = map(line, GOOD)
    assert load_questions(written(tmp_path, *rows, name="KoBBQ_all_samples.tsv")).by_template
    assert not load_questions(written(tmp_path, *map(line, GOOD), name="KoBBQ_test_samples.tsv")).by_template


@needs_data
def test_the_test_set() -> None:
    questions = list(load_questions(str(DATA / "KoBBQ_test_samples.tsv"), orders=1))
    assert len(questions) == 2280
    assert len({it.cluster for it in questions}) == 269
    assert Counter(it.ambiguous for it in questions) == {True: 1140, False: 1140}
    for it in questions:
        assert {it.unknown, it.biased} < set(it.choices)
        if not it.ambiguous:
            assert it.biased_context == (it.right == it.biased)
    # Pairs: each ambiguous question has the one with the groups swapped.
    assert set(Counter(it.pair for it in questions if it.ambiguous).values()) == {2}
