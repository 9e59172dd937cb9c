"""Datasets: PlausibleQA's format, JSONL, CSV; the samples; every bad row named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterfoil.errors import UserError
from counterfoil.explain.prompts import ENGLISH, load_variants
from counterfoil.explain.questions import Question, load_questions, parse_questions
from counterfoil.explain.scoring import label_all
from counterfoil.inputs import Inputs, reading_inputs

SEEDS = Path(__file__).parents[2].parent / "shared" / "seeds"

CAPITAL = Question(
    id="q1",
    text="What is the capital of Australia?",
    gold="Canberra",
    aliases=("Canberra, ACT",),
    candidates={"Sydney": 85.0, "Melbourne": 60.0},
)


def test_plausibleqa_with_each_of_its_scores() -> None:
    raw = json.dumps(
        [
            {
                "id": "q1",
                "question": "What is the capital of Australia?",
                "answer": "Canberra",
                "candidate_answers": {
                    "Sydney": {"listwise": 85, "bradley_terry": 100.0, "plackett_luce": 90.5, "justification": "…"},
                    "Melbourne": {"listwise": 60, "bradley_terry": 70.0, "plackett_luce": 40.25},
                },
            }
        ]
    ).encode()
    for kind, sydney in (("listwise", 85.0), ("bradley_terry", 100.0), ("plackett_luce", 90.5)):
        (question,) = parse_questions(raw, "x.json", kind)
        assert question.candidates["Sydney"] == sydney


def test_jsonl_and_csv_give_the_same_question() -> None:
    line = {
        "id": "q1",
        "question": "What is the capital of Australia?",
        "answer": "Canberra",
        "aliases": ["Canberra, ACT"],
        "candidates": {"Sydney": 85, "Melbourne": 60},
    }
    assert parse_questions((json.dumps(line) + "\n\n").encode(), "x.jsonl") == [CAPITAL]
    table = (
        "id,question,answer,aliases,candidates\n"
        'q1,What is the capital of Australia?,Canberra,"Canberra, ACT",Sydney (85)|Melbourne (60)\n'
    )
    assert parse_questions(b"\xef\xbb\xbf" + table.encode(), "x.csv") == [CAPITAL]
    assert CAPITAL.stratum == "confusing"
    assert CAPITAL.cluster == "q1"


def test_candidates_with_brackets_of_their_own() -> None:
    table = "id,question,answer,candidates\nq,Q?,A,Paris (Texas) (20)|Io (5.5)\n"
    (question,) = parse_questions(table.encode(), "x.csv")
    assert question.candidates == {"Paris (Texas)": 20.0, "Io": 5.5}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"question": "Q?", "answer": "A", "candidates": {"B": 1}}', "its id is missing"),
        ('{"id": "x", "question": " ", "answer": "A", "candidates": {"B": 1}}', "its question is missing"),
        ('{"id": "x", "question": "Q?", "candidates": {"B": 1}}', "its answer is missing"),
        ('{"id": "x", "question": "Q?", "answer": "A"}', "it has no candidates"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": {}}', "it has no candidates"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": {"B": 101}}', "must be from 0 to 100"),
        (
            '{"id": "x", "question": "Q?", "answer": "A", "candidates": {"B": true}}',
            "is True, true or false, and must be",
        ),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": {"B": null}}', "has no listwise plausibility"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": {"B": "80"}}', "is '80', a text, and must be"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": ["B"]}', "are a list: write each with its plaus"),
        (
            '{"id": "x", "question": "Q?", "answer": 1952, "candidates": {"B": 1}}',
            "its answer is a number, and must be",
        ),
        (
            '{"id": "x", "question": "Q?", "answer": "A", "aliases": ["b"], "candidates": {"B": 1}}',
            "alias 'b' is one of",
        ),
        ('{"id": "x", "question": "Q?", "answer": "A", "alias": "a", "candidates": {"B": 1}}', "call it aliases"),
        ('{"id": "x", "question": "Q?", "answer": "A", "Aliases": "a", "candidates": {"B": 1}}', "call it aliases"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": "B (85);C (20)"}', "looks like several: put | be"),
        ('{"id": "x", "question": "Q\\ud800?", "answer": "A", "candidates": {"B": 1}}', "half a character"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": {"B": {"plackett_luce": 1}}}', "no listwise"),
        ('{"id": "x", "question": "Q?", "answer": "A", "candidates": "B 1"}', "plausibility in brackets"),
        ('{"id": "x", "question": "Q?", "answer": "A", "aliases": [1], "candidates": {"B": 1}}', "no list of texts"),
        ('{"id": "ok", "question": "Q?", "answer": "A", "candidates": {"B": 1}}', "its id ok was there before"),
        ("[1, 2]", "it is no object"),
        ('{"id": ', "it is not valid JSON"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_what_is_wrong(line: str, what: str) -> None:
    good = '{"id": "ok", "question": "Q?", "answer": "A", "candidates": {"B": 1}}'
    with pytest.raises(UserError, match=r"x\.jsonl has bad rows: line 3: ") as caught:
        parse_questions(f"{good}\n\n{line}\n".encode(), "x.jsonl")
    assert what in str(caught.value)


def test_files_that_are_no_datasets(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such dataset"):
        load_questions("nix")
    for name, content, what in (
        ("a.txt", b"", r"a \.json, \.jsonl or \.csv file"),
        ("a.json", b"{", "not valid JSON"),
        ("a.json", b"{}", "must hold a list"),
        ("a.csv", b"id,question\n", "lacks the columns answer, candidates"),
        ("a.jsonl", b"\xff\xfa", "is not UTF-8"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UserError, match=what):
            load_questions(str(tmp_path / name))


def test_the_samples_are_sound() -> None:
    english, korean = list(load_questions(None)), list(load_questions("korean"))
    assert len(english) >= 150
    assert len(korean) >= 60
    assert len(list(load_questions("samples"))) == len(english) + len(korean)
    for question in (*english, *korean):
        assert len(question.candidates) in (9, 10)
        right = {name.casefold() for name in (question.gold, *question.aliases)}
        assert not right & {name.casefold() for name in question.candidates}, question.id
        assert question.text.endswith("?")
    assert all(any("가" <= letter <= "힣" for letter in question.text) for question in korean)
    # About half are confusing, by either labelling.
    labels = label_all({question.id: list(question.candidates.values()) for question in english}).labels
    for index in range(2):
        share = sum(label[index] for label in labels.values()) / len(labels)
        assert 0.4 <= share <= 0.6


def test_the_dataset_has_the_hash_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "ok", "question": "Q?", "answer": "A", "candidates": {"B": 1}}\n')
    first = load_questions(str(path)).sha256
    path.write_text('{"id": "ok", "question": "Q!", "answer": "A", "candidates": {"B": 1}}\n')
    assert load_questions(str(path)).sha256 != first


def test_variants_by_name_and_by_file(tmp_path: Path) -> None:
    assert [variant.name for variant in load_variants([])] == list(ENGLISH)
    own = tmp_path / "my-prompt.txt"
    own.write_text("Be brief.\n")
    (variant,) = load_variants([str(own)])
    assert (variant.name, variant.prompt) == ("my-prompt", "Be brief.")
    with pytest.raises(UserError, match=r"There is no variant cfee \(did you mean cfe\?\)"):
        load_variants(["cfee"])


@pytest.mark.skipif(not SEEDS.exists(), reason="../shared/seeds is not here: it holds the prompts word for word")
def test_the_prompts_are_the_seeds_word_for_word() -> None:
    study = (SEEDS / "counterfactual-explanatory-qa.md").read_text()
    for variant in load_variants([]):
        assert f"\n{variant.prompt}\n```" in study, variant.name


@pytest.mark.parametrize(("numbers", "told"), [((0.85, 0.2), True), ((85, 0.2), False), ((1, 0), False)])
def test_plausibilities_that_look_like_shares_are_told(
    numbers: tuple[float, float], told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(
        json.dumps({"id": "x", "question": "Q?", "answer": "A", "candidates": dict(zip("BC", numbers, strict=True))})
    )
    with reading_inputs(Inputs(strict=False)) as inputs:
        load_questions(str(path))
    assert [note.startswith("q.jsonl: no plausibility is above 1") for note in inputs.notes] == [True] * told
