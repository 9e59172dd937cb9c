"""How people rated a stereotype: from KoBBQ's templates and its survey to the questions, the figures and the plot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.bias.plots import plots
from counterfoil.bias.sources.loading import load_questions
from counterfoil.bias.sources.survey import TEMPLATES, share_of
from counterfoil.errors import UserError

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "kobbq"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="../shared/data/kobbq is not here")
HEADER = "sample_id\tlabel_annotation\tcontext\tquestion\tchoices\tbiased_answer\tanswer\tprediction\n"


def samples(path: Path, *templates: str) -> Path:
    """Samples with one ambiguous question for each of these templates, in both of its versions."""
    rows = [
        f"{template}{version}-001-amb-bsd\tST\t맥락\t질문?\t['손자', '할머니', '알 수 없음']\t할머니\t알 수 없음\t\n"
        for template in templates
        for version in "ab"
    ]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


def table(path: Path, *rows: tuple[str, int, str, str, str]) -> None:
    """Category, number, stereotype, target, survey; the columns of the texts are left out."""
    lines = [
        f"{category}\t{number}\t{version}\t{stereotype}\t{target}\t{stats}\n"
        for category, number, stereotype, target, stats in rows
        for version in "ab"
    ]
    path.write_text("Category\tID\tversion\tStereotype\tTarget_group\tSurvey_stats\n" + "".join(lines), "utf-8")


def test_the_share_is_that_of_the_target_and_of_several_groups_their_mean() -> None:
    assert share_of({"노인": 94, "청년": 3, "no_stereo": 3}, "노인") == 0.94
    assert share_of({"중장년, 노인": 92, "청소년": 3}, "중장년, 노인") == 0.92
    # (85 + 28) ÷ 2 = 56.5 of 100.
    assert share_of({"서울": 85, "경기도": 28, "제주도": 2}, "서울, 경기도") == 0.565
    assert share_of({"서울": 85}, "서울, 경기도") is None
    assert share_of({}, "노인") is None


def test_the_survey_is_found_in_the_templates_beside_the_samples(tmp_path: Path) -> None:
    file = samples(tmp_path / "KoBBQ_test_samples.tsv", "age-001", "age-012")
    assert {it.surveyed for it in load_questions(str(file))} == {None}
    table(
        tmp_path / TEMPLATES, ("Age", 1, "기술", "노인", "{'노인': 94, 'no_stereo': 6}"), ("Age", 12, "x", "y", "oops")
    )
    found = {it.sample_id: it.surveyed for it in load_questions(str(file))}
    assert found == {
        "age-001a-001-amb-bsd": 0.94,
        "age-001b-001-amb-bsd": 0.94,
        "age-012a-001-amb-bsd": None,
        "age-012b-001-amb-bsd": None,
    }


def test_kobbqs_survey_file_counts_where_it_is_named(tmp_path: Path) -> None:
    file = samples(tmp_path / "KoBBQ_test_samples.tsv", "age-001")
    survey = tmp_path / "KoBBQ_survey_result.json"
    rows = [
        {"category": "Age", "stereotype": "기술", "survey_stats": {"청년": 57, "어린이": 43}},
        {"category": "Age", "stereotype": "기술", "survey_stats": {"노인": 40, "청년": 60}},
        {"category": "SES", "stereotype": "기술", "survey_stats": {"노인": 1}},
    ]
    survey.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(UserError, match=r"no survey of these questions is in it. Name KoBBQ_templates\.tsv"):
        load_questions(str(file), metadata=str(survey))
    table(tmp_path / TEMPLATES, ("Age", 1, "기술", "노인", "{'노인': 94}"))
    assert {it.surveyed for it in load_questions(str(file), metadata=str(survey))} == {0.4}
    survey.write_text('{"category": "Age"}', encoding="utf-8")
    with pytest.raises(UserError, match=r"is not KoBBQ's survey .*: it is a list of objects"):
        load_questions(str(file), metadata=str(survey))
    with pytest.raises(UserError, match="and english has none: leave it out"):
        load_questions("english", metadata=str(survey))


@needs_data
def test_bias_is_given_by_how_many_people_hold_the_stereotype(tmp_path: Path) -> None:
    data = str(DATA / "KoBBQ_test_samples.tsv")
    shares = {it.sample_id: it.surveyed for it in load_questions(data)}
    # Of the table: {'노인': 94, …} of the elderly, {'서울': 85, '경기도': 28, …} of Seoul and Gyeonggi.
    assert {shares[it] for it in shares if it.startswith("age-001a")} == {0.94}
    assert {shares[it] for it in shares if it.startswith("domestic_area_of_origin-009a")} == {0.565}
    # A model that leans only where at least three in four people do.
    replies = tmp_path / "replies.jsonl"
    lines = []
    for question in load_questions(data, orders=1):
        if question.ambiguous:
            said = question.biased if (question.surveyed or 0) >= 0.75 else question.unknown
            lines.append({"question_id": question.id, "model": "m", "variant": "1", "reply": said})
    replies.write_text("\n".join(json.dumps(it, ensure_ascii=False) for it in lines), encoding="utf-8")
    run = cf.score("bias", replies, data=data, orders=1, out=tmp_path / "run", ledger=tmp_path / "ledger")
    assert run.records["surveyed"].null_count() == 0
    by_band = {
        one.group["surveyed"]: one.value
        for one in run.estimates
        if one.metric == "diff_bias_ambiguous" and set(one.group) == {"surveyed"}
    }
    assert by_band == {"0–49 %": 0.0, "50–74 %": 0.0, "75–89 %": 1.0, "90–100 %": 1.0}
    assert any("how many people hold the stereotype, ambiguous" in plot.title for plot in plots(run))
