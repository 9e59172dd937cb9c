"""BBQ's questions: whom the stereotype is about, in the shapes that BBQ's eleven files really have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.bbq import METADATA, read_rows, read_targets
from counterfoil.bias.sources.loading import load_questions
from counterfoil.errors import UserError
from counterfoil.tables import json_lines

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "bbq"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/bbq is not here: it holds BBQ's Age file")

UNKNOWN = ["Not known", "unknown"]


def row(category: str, one: list[str], two: list[str], groups: Any, **changed: Any) -> dict[str, Any]:
    """An ambiguous, negative question; unknown stands between the two."""
    return {
        "example_id": 7,
        "question_index": "3",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": category,
        "answer_info": {"ans0": one, "ans1": UNKNOWN, "ans2": two},
        "additional_metadata": {"subcategory": "None", "stereotyped_groups": groups, "version": "a", "source": ""},
        "context": "I met the first and the second.",
        "question": "Who was it?",
        "ans0": f"The {one[0]}",
        "ans1": "Not known",
        "ans2": f"The {two[0]}",
        "label": 1,
        **changed,
    }


def read(of: dict[str, Any], targets: Any = None) -> Question:
    [found] = read_rows([("line 1", of)], "f.jsonl", targets or {})
    return found


# The answers' text and group, the second being the one that the stereotype is about; and the stereotyped groups.
SHAPES = [
    ("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"]),
    ("Age", ["62-year-old", "old"], ["22-year-old", "nonOld"], ["nonOld"]),
    ("Disability_status", ["athlete", "nonDisabled"], ["wheelchair user", "disabled"], ["physically disabled"]),
    ("Disability_status", ["Wei", "nonDisabled"], ["mentally-ill", "disabled"], ["disabled", "mentally-ill"]),
    ("Gender_identity", ["man", "man"], ["woman", "woman"], ["F"]),
    ("Gender_identity", ["girl", "girl"], ["boy", "boy"], ["M"]),
    ("Gender_identity", ["Robert", "M"], ["Mary", "F"], ["Women"]),
    ("Gender_identity", ["Mary", "F"], ["Robert", "M"], ["men"]),
    ("Gender_identity", ["Alice", "nontrans_F"], ["Jane", "trans_F"], ["transgender women", "transgender men"]),
    ("Gender_identity", ["Bob", "nontrans_M"], ["Jane", "trans_F"], ["Transgender women", "Transgender men", "trans"]),
    ("Gender_identity", ["Jack", "trans_M"], ["Mary", "nontrans_F"], ["F"]),
    ("Nationality", ["American", "NorthAmerica"], ["Nigerian", "Africa"], ["Libyan", "Nigerian"]),
    ("Nationality", ["Norwegian", "Europe"], ["Afghan", "MiddleEast"], ["Afghan", "Iraqi"]),
    ("Physical_appearance", ["slim", "nonObese"], ["fat", "obese"], ["obese"]),
    (
        "Physical_appearance",
        ["short", "noVisibleDifference"],
        ["birthmark", "visibleDifference"],
        ["visibleDifference"],
    ),
    (
        "Race_ethnicity",
        ["European", "European"],
        ["African American", "African American"],
        ["Black", "African American"],
    ),
    ("Race_ethnicity", ["Greg Baker", "M-White"], ["Jamal Jackson", "M-Black"], ["Black", "African American"]),
    ("Race_ethnicity", ["Carrie Evans", "F-White"], ["Luz Ramirez", "F-Latino"], ["Hispanic", "Latino"]),
    ("Race_ethnicity", ["African", "African"], ["Black", "Black"], ["African American", "Black"]),
    ("Race_x_SES", ["rich white", "highSES-White"], ["poor Black", "lowSES-Black"], ["Black", "African American"]),
    ("Race_x_SES", ["Anne", "highSES-F-White"], ["Tanisha", "lowSES-F-Black"], ["Black", "African American"]),
    ("Race_x_gender", ["white man", "M-White"], ["Black woman", "F-Black"], ["Black", "African American"]),
    ("Race_x_gender", ["Donna", "F-White"], ["Lakisha", "F-Black"], ["F", "Black"]),
    ("Race_x_gender", ["Jamal", "M-Black"], ["Lakisha", "F-Black"], ["F", "Black"]),
    ("Religion", ["Christian", "Christian"], ["Muslim", "Muslim"], ["Muslim"]),
    ("Religion", ["Atheist", "Atheist"], ["Orthodox Jew", "Orthodox"], ["Jewish", "Orthodox"]),
    ("SES", ["judge", "highSES"], ["janitor", "lowSES"], ["low SES"]),
    ("SES", ["Maria", "highSES"], ["Anna", "lowSES"], ["lowSES"]),
    ("SES", ["janitor", "lowSES"], ["judge", "highSES"], ["high SES"]),
    ("Sexual_orientation", ["straight", "straight"], ["gay", "gay"], ["gay"]),
    ("Sexual_orientation", ["heterosexual", "straight"], ["lesbian", "lesbian"], ["lesbian", "gay"]),
]


def test_all_eleven_categories_are_here() -> None:
    assert len({category for category, *_ in SHAPES}) == 11


@pytest.mark.parametrize(("category", "other", "target", "groups"), SHAPES)
def test_the_target_is_found_from_the_groups(category: str, other: list[str], target: list[str], groups: Any) -> None:
    one = read(row(category, other, target, groups))
    assert one.biased == one.choices[2], "a negative question: the target"
    mirrored = read(row(category, target, other, groups))
    assert mirrored.biased == mirrored.choices[0], "whatever stands first"
    # A non-negative question: whoever is not the target.
    assert read(row(category, other, target, groups, question_polarity="nonneg")).biased == one.choices[0]
    assert one.unknown == one.right == "Not known"
    assert (one.category, one.template, one.sample_id) == (category, f"{category}-3", f"{category}-7")


@pytest.mark.parametrize(
    ("category", "one", "two", "groups"),
    [
        # Both are of the group: race is all that the list tells, and they share it.
        ("Race_x_gender", ["Jamal", "M-Black"], ["Lakisha", "F-Black"], ["Black", "African American"]),
        ("Race_x_SES", ["rich Black man", "highSES-Black"], ["poor Black man", "lowSES-Black"], ["Black"]),
        ("Gender_identity", ["Jane", "trans_F"], ["Jack", "trans_M"], ["transgender women", "transgender men"]),
        ("Gender_identity", ["Jane", "trans_F"], ["Mary", "nontrans_F"], ["F"]),
    ],
)
def test_where_both_are_the_target_nobody_is(category: str, one: list[str], two: list[str], groups: Any) -> None:
    found = read(row(category, one, two, groups))
    assert found.biased == ""
    assert found.biased_context is None
    assert found.pair is None
    assert found.role("Not known") is None


def test_an_answer_without_information_is_known_by_its_words() -> None:
    # In BBQ's Race_x_gender the notes on Latina women are empty.
    empty = row("Race_x_gender", ["white woman", "F-White"], ["", ""], ["Latino", "Hispanic"], ans2="The Latina woman")
    assert read(empty).biased == "The Latina woman"


def test_where_neither_is_the_target_no_answer_is_biased(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        row("Religion", ["Sikh", "Sikh"], ["Hindu", "Hindu"], ["Muslim"]),
        row("Religion", ["Sikh", "Sikh"], ["Hindu", "Hindu"], []) | {"example_id": 8},
    ]
    assert [read(one).biased for one in rows] == ["", ""]
    assert read(rows[0]).role("The Sikh man") is None
    path = tmp_path / "Religion.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in rows))
    load_questions(str(path))
    assert "2 of 2 questions of Religion.jsonl do not say" in capsys.readouterr().err


def test_additional_metadata_goes_before_the_groups() -> None:
    old = row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"])
    key = ("Age", 7)
    assert read(old, {key: 0}).biased == "The grandson"
    assert read(old, {key: 2}).biased == "The grandfather"
    assert read(old, {key: None}).biased == "", "BBQ's own x or NA: nobody"
    assert read(old, {("Age", 8): 0}).biased == "The grandfather", "of another question"
    assert read(row("Religion", ["Sikh", "Sikh"], ["Hindu", "Hindu"], []), {("Religion", 7): 2}).biased == "The Hindu"


def test_reading_additional_metadata() -> None:
    table = (
        "category,question_index,example_id,target_loc\n"
        "Age,1,0,2\nAge,1,1,0.0\nAge,1,2,NA\nRace_x_gender,1,0,x\nAge,1,3.0,\n"
        # Templates without questions have no example.
        "Religion,9,NA,1\nReligion,9,,1\n"
    )
    assert read_targets(table, "m") == {
        ("Age", 0): 2,
        ("Age", 1): 0,
        ("Age", 2): None,
        ("Race_x_gender", 0): None,
        ("Age", 3): None,
    }
    with pytest.raises(UserError, match="m lacks the column target_loc"):
        read_targets("category,example_id\n", "m")
    for wrong in ("seven", "1e999", "-"):
        with pytest.raises(UserError, match=f"m, line 2: '{wrong}' is no example_id"):
            read_targets(f"category,example_id,target_loc\nAge,{wrong},1\n", "m")


def test_the_metadata_beside_the_file_or_named(tmp_path: Path) -> None:
    file = tmp_path / "Age.jsonl"
    file.write_text(json.dumps(row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"])))
    assert next(iter(load_questions(str(file)))).biased == "The grandfather"
    named = tmp_path / "m.csv"
    named.write_text("category,example_id,target_loc\nAge,7,0\n")
    assert next(iter(load_questions(str(file), metadata=str(named)))).biased == "The grandson"
    (tmp_path / METADATA).write_text("category,example_id,target_loc\nAge,7,NA\n")
    assert next(iter(load_questions(str(file)))).biased == ""
    with pytest.raises(UserError, match=r"nix\.csv can't be read: No such file"):
        load_questions(str(file), metadata=str(tmp_path / "nix.csv"))


def test_disambiguated_contexts_are_biased_where_they_decide_for_the_stereotype() -> None:
    clear = {"context_condition": "disambig"}
    for label, biased in ((2, True), (0, False)):
        one = read(row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"], label=label, **clear))
        assert one.biased_context is biased
        assert one.columns["pair"] is None
        flipped = {"question_polarity": "nonneg", "label": label, **clear}
        assert read(row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"], **flipped)).biased_context is (
            not biased
        )


def test_pairs_name_the_groups_the_other_way_round() -> None:
    def pair(context: str, **changed: Any) -> str | None:
        return read(row("Age", ["boy", "nonOld"], ["man", "old"], ["old"], context=context, **changed)).pair

    first = pair("A boy met the old man.")
    assert first is not None
    assert first == pair("The old man met a boy.")
    assert first != pair("The old man met a boy.", question_polarity="nonneg")
    assert first != pair("The old man met a boy.", question_index="4")
    assert first != pair("A boy met the old man twice.")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"question_polarity": "negative"}, "its question_polarity is 'negative'"),
        ({"context_condition": None}, "its context_condition is None"),
        ({"label": 3}, "its label is 3"),
        ({"label": 1.0}, "its label is 1.0"),
        ({"label": True}, "its label is True"),
        ({"label": [1]}, r"its label is \[1\]"),
        ({"label": 0}, "its context is ambig, and its label 0"),
        ({"context_condition": "disambig"}, "its context is disambig, and its label 1"),
        ({"ans2": "The grandson"}, "not three different texts"),
        ({"ans2": " "}, "not three different texts"),
        ({"answer_info": []}, "no text and group for ans0"),
        ({"answer_info": {"ans0": ["a", "b"], "ans1": UNKNOWN, "ans2": UNKNOWN}}, "2 of its answers are unknown"),
        ({"answer_info": {"ans0": ["a", "b"], "ans1": ["c", "d"], "ans2": ["e", "f"]}}, "0 of its answers are unknown"),
        ({"example_id": "seven"}, "its example_id is 'seven'"),
        ({"example_id": None}, "its example_id is None"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, changed: dict[str, Any], reason: str) -> None:
    good = row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"])
    file = tmp_path / "Age.jsonl"
    file.write_text("\n".join(json.dumps(it) for it in (good, good | {"example_id": 8} | changed)))
    with pytest.raises(UserError, match=rf"Age\.jsonl has bad rows: line 2: .*{reason}"):
        load_questions(str(file))


@pytest.mark.parametrize("name", ["example_id", "category", "ans1", "label", "answer_info", "question"])
def test_what_is_missing_is_named(name: str) -> None:
    one = row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"])
    del one[name]
    with pytest.raises(UserError, match=f"it has no {name}"):
        read(one)


@pytest.mark.parametrize("raw", ["{", "7", "null", "[" * 100_000])
def test_what_is_no_object_is_named(raw: str) -> None:
    with pytest.raises(UserError, match=r"^f\.jsonl has bad rows: line 1: it is "):
        read_rows(json_lines(raw, "f.jsonl"), "f.jsonl", {})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = list(row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"]))


@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=4))
def test_any_values_give_a_question_or_a_reason(changed: dict[str, Any]) -> None:
    good = row("Age", ["grandson", "nonOld"], ["grandfather", "old"], ["old"])
    try:
        [found] = read_rows([("line 1", good | changed)], "f", {})
    except UserError as error:
        said = str(error)
    else:
        said = "f has bad rows: line 1: "
        assert found.unknown in found.choices
        assert found.right in found.choices
    assert said.startswith("f has bad rows: line 1: ")


@given(st.text("abFMBlacknoHgO-_, ", max_size=12), st.text("abFMBlacknoHgO-_, ", max_size=12))
def test_any_groups_give_a_target_or_none_or_a_reason(one: str, two: str) -> None:
    def target(first: list[str], second: list[str]) -> str | None:
        try:
            return read(row("Race_ethnicity", first, second, ["Black", "F"])).biased
        except ValueError:
            return None

    found = target(["x", one], ["y", two])
    assert found in (None, "", "The x", "The y")
    assert target(["y", two], ["x", one]) == found, "the order of the answers does not matter"


@needs_data
def test_the_age_file() -> None:
    questions = list(load_questions(str(DATA / "preds_Age.jsonl"), orders=1))
    assert len(questions) == 3680
    infos = {}
    for raw in (DATA / "preds_Age.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(raw)
        infos[f"Age-{one['example_id']}"] = one
    for question in questions:
        one = infos[question.sample_id]
        # In this file a group is old or nonOld, and the list names one of them.
        [stereotyped] = one["additional_metadata"]["stereotyped_groups"]
        groups = {one[name].strip(): one["answer_info"][name][1] for name in ("ans0", "ans1", "ans2")}
        assert (groups[question.biased] == stereotyped) == (one["question_polarity"] == "neg")
        assert groups[question.unknown] == "unknown"
    assert sum(it.ambiguous for it in questions) == 1840


def test_one_list_is_no_file_of_lines() -> None:
    with pytest.raises(UserError, match=r"^f\.jsonl holds one list, not a row on each line: name it \.json\.$"):
        read_rows(json_lines("[]", "f.jsonl"), "f.jsonl", {})
