"""The simulated respondent: what it is told to do comes out, and the estimates cover it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterfoil as cf
from commands import counterfoil
from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import parse_settings
from counterfoil.bias.planted import Settings, respondent, true_values
from counterfoil.bias.prompts import load_variants
from counterfoil.bias.questions import UNKNOWN
from counterfoil.bias.sources.loading import load_questions
from counterfoil.bias.suite import suite
from counterfoil.errors import UserError

IN_KOREAN = [(None, "ko")]

pytestmark = pytest.mark.heavy

chances = st.floats(0, 1)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def name_of(**given: float | str) -> str:
    return "planted/bias?" + "&".join(f"{key}={value}" for key, value in given.items())


def test_true_values_by_hand() -> None:
    # unknown 0.5, else biased 0.8: biased 0.4, counter-biased 0.1.
    made = true_values(Settings(unknown=0.5, biased=0.8, aligned=0.9, conflicting=0.6, unread=0.1))
    assert made["out_of_choice"] == 0.1
    assert made["accuracy_ambiguous"] == 0.5
    assert made["diff_bias_ambiguous"] == made["bbq_bias_ambiguous"] == pytest.approx(0.3)
    assert made["accuracy_disambiguated"] == pytest.approx(0.75)
    assert made["diff_bias_disambiguated"] == pytest.approx(0.3)
    # Biased: right in aligned contexts, 0.9, and half of the wrong in conflicting ones, 0.2; else 0.6 + 0.05.
    assert made["bbq_bias_disambiguated"] == pytest.approx((1.1 - 0.65) / 1.75)
    assert made["flip_rate"] == pytest.approx(1 - 0.25 - 0.16 - 0.01)
    # All three the same: ambiguous 0.125 + 0.064 + 0.001; aligned 0.729 + 2·0.05³; conflicting 0.216 + 2·0.2³.
    same = (0.190 + (0.729 + 0.00025 + 0.216 + 0.016) / 2) / 2
    assert made["position_bias"] == pytest.approx(1 - same)


def test_who_takes_what_stands_first_is_unbiased_and_guesses() -> None:
    made = true_values(Settings(first=1))
    assert made["accuracy_ambiguous"] == pytest.approx(1 / 3)
    assert made["accuracy_disambiguated"] == pytest.approx(1 / 3)
    for metric in ("diff_bias_ambiguous", "diff_bias_disambiguated", "bbq_bias_disambiguated"):
        assert made[metric] == pytest.approx(0, abs=1e-12)


@given(chances, chances, chances, chances, chances)
def test_true_values_are_possible(
    unknown: float, biased: float, aligned: float, conflicting: float, first: float
) -> None:
    made = true_values(Settings(unknown, biased, aligned, conflicting, 0.0, first))
    for metric, value in made.items():
        assert -1 - 1e-9 <= value <= 1 + 1e-9, metric


SETTINGS = [
    Settings(unknown=0.6, biased=0.7, aligned=0.9, conflicting=0.8),
    Settings(unknown=0.2, biased=0.9, aligned=0.95, conflicting=0.5),
    Settings(unknown=0.5, biased=0.5, aligned=0.7, conflicting=0.7, unread=0.15),
    Settings(unknown=0.7, biased=0.2, aligned=0.6, conflicting=0.85, unread=0.05),
    Settings(unknown=0.6, biased=0.7, aligned=0.9, conflicting=0.8, first=0.3),
]


def test_the_estimates_cover_the_truth() -> None:
    covered = []
    for data in ("korean", "english"):
        for settings in SETTINGS:
            model = name_of(**{name: getattr(settings, name) for name in settings.__struct_fields__[:-1]}, data=data)
            run = cf.run("bias", model=model, data=data, limit=352, variant="1" if data == "korean" else "en")
            truth = true_values(settings)
            for it in run.estimates:
                if not it.group and it.metric in truth:
                    assert it.value is not None
                    assert it.low is not None
                    assert it.high is not None
                    # The interval, or in the worst case one twice as wide.
                    assert abs(it.value - truth[it.metric]) <= it.high - it.low, (model, it.metric)
                    covered.append(it.low <= truth[it.metric] <= it.high)
    # Nine metrics, or seven where something is preferred for its place.
    assert len(covered) == 2 * (4 * 9 + 7)
    assert sum(covered) / len(covered) >= 0.93


def test_its_replies_are_read_as_they_were_meant() -> None:
    certain = name_of(unknown=1, aligned=1, conflicting=1)
    for variant in ("1", "2", "3", "4", "5", "1-debiased", "5-debiased"):
        run = cf.run("bias", model=certain, limit=48, variant=variant)
        assert run.records["correct"].to_list() == [True] * 144, variant
    run = cf.run("bias", model=name_of(unknown=0, biased=1, data="english"), data="english", limit=44)
    roles = run.records.filter(ambiguous=True)["role"].unique().to_list()
    assert roles == ["biased"]
    nobody = cf.run("bias", model=name_of(unread=1), limit=8, variant="1")
    assert nobody.records["outcome"].unique().to_list() == ["out_of_choice"]
    assert cf.run("bias", model=name_of(first=1), limit=8, variant="1").records["choice"].unique().to_list() == ["A"]


def test_it_answers_the_same_again_and_repeats_apart() -> None:
    question = next(iter(load_questions(None)))
    [variant] = load_variants(["1"], IN_KOREAN)
    respond = respondent({"unknown": "0.5"})
    said = [respond(suite.messages(question, variant), sample) for sample in range(30)]
    assert said == [respond(suite.messages(question, variant), sample) for sample in range(30)]
    assert len(set(said)) > 1


def test_parts_may_have_colons_and_brackets(tmp_path: Path) -> None:
    header = "sample_id\tlabel_annotation\tcontext\tquestion\tchoices\tbiased_answer\tanswer\n"
    choices = f"['손자 (갑) 님', '할머니: 을', '{UNKNOWN}']"
    row = f"age-001a-001-amb-bsd\tST\t주의: (가) 맥락: 둘\t누구: (나) 입니까?\t{choices}\t할머니: 을\t{UNKNOWN}\n"
    (tmp_path / "s.tsv").write_text(header + row, encoding="utf-8")
    model = name_of(unknown=0, biased=1, data="s.tsv")
    run = cf.run("bias", model=model, data="s.tsv")
    assert run.records["role"].to_list() == ["biased"] * 15


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("planted/bias?unknown=2", "unknown is a chance from 0 to 1, and is 2"),
        ("planted/bias?biased=-0.1", "biased is a chance"),
        ("planted/bias?first=nan", "first is a chance"),
        ("planted/bias?unknwn=0.5", "planted/bias: "),
        ("planted/bias?unknown=much", "planted/bias: "),
        ("planted/bias?data=nix", "there is no such dataset"),
        ("planted/bias?data=english", "planted/bias does not know these questions: name them with data="),
    ],
)
def test_wrong_settings_are_one_sentence(model: str, sentence: str) -> None:
    done = counterfoil("run", "bias", "--model", model, "--limit", "2", "--variant", "1", cwd=Path())
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_messages_of_another_kind_are_not_its_own() -> None:
    with pytest.raises(UserError, match="does not know these questions"):
        respondent({})([Message("user", "Hello?")], 0)
    assert parse_settings("bias", {"unknown": "0.25"}, Settings).unknown == 0.25
