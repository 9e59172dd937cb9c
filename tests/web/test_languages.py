"""In which language raters' questions are: of every language that datasets have, and no other one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

from counterfoil.bias.relatives.languages import LANGUAGES
from counterfoil.rating.store import ADJUDICATOR, About, Rater, Study
from counterfoil.suite.form import Task, choice_form
from counterfoil.suite.opinions import Source, StudyTask
from counterfoil.web.languages import NAMES, language_in, language_of_task, names_of
from run_folders import make_run, record
from sites import Client, serving

QUESTIONS = {
    "en": "A grandfather and his grandson sat down. Who was not comfortable with the phone?",
    "ko": "할아버지와 손자가 앉아 있었다. 누가 전화기를 불편해했는가?",
    "ja": "祖父と孫が座っていた。電話が苦手だったのは誰ですか。",
    "zh": "爷爷和孙子坐在外面。谁不习惯用手机？",
    "es": "Vi al abuelo y a su nieto. ¿Quién no se sentía cómodo con el teléfono?",
    "ca": "Vaig veure un avi i el seu net. Qui no se sentia còmode amb el telèfon?",
    "nl": "Ik zag een opa en zijn kleinzoon. Wie was niet op zijn gemak met het toestel?",
    "tr": "Bir büyükbaba ve bir torun gördüm. Telefonu kullanırken kim rahat değildi?",
    "de": "Ich sah einen Opa und seinen Enkel. Wer war nicht vertraut mit dem Telefon?",
}


def test_every_language_of_the_datasets_is_told_and_has_its_name() -> None:
    assert {code: language.name for code, language in LANGUAGES.items()} == NAMES
    assert {code: language_in(text) for code, text in QUESTIONS.items()} == dict(zip(NAMES, NAMES, strict=True))


@pytest.mark.parametrize("text", ["", "B", "42", "Canberra", "de la"])
def test_what_could_be_of_any_language_is_of_none(text: str) -> None:
    assert language_in(text) is None


def test_what_the_record_says_counts_before_the_words() -> None:
    tasks = [Task(question=QUESTIONS["es"], right="", reply="", language="ca"), Task(question="B", right="", reply="")]
    assert [language_of_task(task) for task in tasks] == ["ca", None]
    assert names_of([*tasks, *[Task(question=QUESTIONS["de"], right="", reply="")] * 2]) == ["German", "Catalan"]


@pytest.mark.heavy
def test_raters_read_first_in_which_languages_the_questions_are(tmp_path: Path) -> None:
    make_run(tmp_path / "run", [record()])
    source = Source(model="hidden", variant="v", question_id="q", repeat=0, cluster="c", algorithm={})
    tasks = [
        StudyTask(Task(id=1, question=QUESTIONS["tr"], options=("x", "y"), right="", reply="The one who sat."), source),
        StudyTask(Task(id=2, question="Qui?", options=("x", "y"), right="", reply="A", language="ca"), source),
    ]
    people = [Rater(id=1, name="r", token="t" * 24), Rater(id=2, name=ADJUDICATOR, token="a" * 24)]
    about = About(name="pilot", suite="bias", form=choice_form("bias", "AB"), seed=0, per_question=1, run="run")
    Study.create(tmp_path / "run" / "pilot.study.sqlite", about, tasks, people, {1: [1, 2]}).close()
    with serving(tmp_path) as up:
        client = Client(up)
        assert '<b id="languages">Turkish and Catalan</b>' in client.get(f"/rate/{'t' * 24}").text
        text = client.get(f"/rate/{'t' * 24}?task=1").text
        assert ('aria-label="What is rated" lang="tr"' in text, 'id="reply" lang="en"' in text) == (True, True)
