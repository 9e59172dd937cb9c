"""Where the questions of a run come from."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from counterfoil.errors import UserError
from counterfoil.memorization.questions import existing_path, load_set
from counterfoil.perturbing.questions import encode_set, write_set
from counterfoil.perturbing.templates.tables import load_bank

pytestmark = pytest.mark.heavy

ANNUITY = Path(__file__).parents[1] / "perturbing" / "annuity.toml"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "cfa"
needs_data = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data/cfa is not here")


def settings(**given: Any) -> dict[str, Any]:
    return {"levels": [1], "draws": 2, "controls": True, "lure": True, "set_seed": 0, "topic": None} | given


def arms(questions: Any) -> Counter[str]:
    return Counter(it.control or f"level {it.level}" for it in questions)


def test_the_bank_is_the_default() -> None:
    found = load_set(None, settings())
    assert found.name == "bank"
    assert len({it.template for it in found}) == len(load_bank()) >= 80
    assert found.sha256 == load_set("bank", settings()).sha256
    assert found.sha256 == hashlib.sha256(encode_set(found)).hexdigest()


def test_options_say_what_is_drawn() -> None:
    made = arms(load_set(str(ANNUITY), settings(levels=[1, 2], draws=3)))
    assert made["level 0"] == 1
    assert [made[arm] for arm in ("level 1", "level 2", "again", "reshuffled")] == [3] * 4
    # Lures come in mirrored pairs.
    assert made["lure"] == 4
    bare = arms(load_set(str(ANNUITY), settings(controls=False, lure=False)))
    assert bare == {"level 0": 1, "level 1": 2}


def test_a_topic_leaves_its_questions_alone(tmp_path: Path) -> None:
    found = load_set("bank", settings(topic=["physics", "equity"]))
    assert {it.topic for it in found} == {"physics", "equity"}
    write_set(tmp_path / "set.jsonl", found)
    path = str(tmp_path / "set.jsonl")
    assert {it.topic for it in load_set(path, settings(topic=["physics"]))} == {"physics"}
    with pytest.raises(UserError, match="has no questions of level 1 and the topic tax"):
        load_set(path, settings(topic=["tax"]))
    with pytest.raises(UserError, match=r"--topic phisics: there is no such topic \(did you mean physics\?\)"):
        load_set("bank", settings(topic=["phisics"]))


def test_another_seed_is_another_set() -> None:
    one, same, other = (load_set(str(ANNUITY), settings(set_seed=seed)).sha256 for seed in (0, 0, 1))
    assert one == same != other


def test_a_frozen_set_is_taken_as_it_is(tmp_path: Path) -> None:
    drawn = load_set(str(ANNUITY), settings(levels=[1, 2, 3]))
    sha256 = write_set(tmp_path / "set.jsonl", drawn)
    frozen = load_set(str(tmp_path / "set.jsonl"), settings(levels=None, draws=None))
    assert list(frozen) == list(drawn)
    assert frozen.sha256 == sha256 == drawn.sha256
    assert frozen.name == "set.jsonl"


def test_options_leave_a_part_of_a_frozen_set(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    write_set(path, load_set(str(ANNUITY), settings(levels=[1, 2], draws=3)))
    part = load_set(str(path), settings(levels=[2], draws=1, controls=False, lure=False))
    assert arms(part) == {"level 0": 1, "level 2": 1}
    assert part.sha256 != load_set(str(path), settings(levels=None, draws=None)).sha256
    with pytest.raises(UserError, match=r"set\.jsonl has no questions of level 3"):
        load_set(str(path), settings(levels=[3]))


@pytest.mark.parametrize(
    ("frozen_with", "wanted", "said"),
    [
        ({"controls": False, "lure": False}, {}, "set.jsonl was frozen without controls and lures: figures that need"),
        ({"controls": True, "lure": False}, {}, "set.jsonl was frozen without lures: figures that need"),
        ({"controls": True, "lure": False}, {"lure": False}, ""),
        ({"controls": True, "lure": True}, {}, ""),
    ],
)
def test_what_a_frozen_set_lacks_is_said(
    frozen_with: dict[str, bool],
    wanted: dict[str, bool],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_set(tmp_path / "set.jsonl", load_set(str(ANNUITY), settings(**frozen_with)))
    load_set(str(tmp_path / "set.jsonl"), settings(levels=None, draws=None, **wanted))
    told = capsys.readouterr().err
    assert told.startswith(said)
    assert bool(told) == bool(said)


def test_templates_of_the_user() -> None:
    found = list(load_set(str(ANNUITY), settings()))
    assert {it.status for it in found} == {"verified"}
    assert found[0].parent is None
    assert load_set(str(ANNUITY), settings()).name == "annuity.toml"


@pytest.mark.parametrize("data", ["nothing", "plausibleqa", "nothing.json"])
def test_unknown_names_are_refused(data: str) -> None:
    with pytest.raises(UserError, match=r"there is no such dataset, .*bank, cfa-easy"):
        load_set(data, settings())


def test_public_questions_must_be_fetched_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in ("cfa-easy", "cfa"):
        with pytest.raises(UserError, match="counterfoil data get cfa"):
            existing_path(name)


def test_questions_without_recipes_are_said_so(tmp_path: Path) -> None:
    rows = [{"text": "Q:What is 1 + 1?,CHOICES: A: 1,B: 2,C: 3", "gold": 1}]
    (tmp_path / "mine.json").write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(UserError, match="recipes for none of the 1 questions"):
        load_set(str(tmp_path / "mine.json"), settings())


@needs_data
def test_the_users_copy_of_public_questions(tmp_path: Path) -> None:
    copy = SHARED / "cfa_easy.json"
    found = load_set(str(copy), settings())
    originals = [it for it in found if it.parent is None]
    assert len(originals) >= 100
    assert {it.source for it in found} == {"recipe"}
    # The same questions as they come from Hugging Face.
    rows = [{"text": row["text"], "gold": row["gold"]} for row in json.loads(copy.read_bytes())]
    pl.DataFrame(rows).write_parquet(tmp_path / "test.parquet")
    assert load_set(str(tmp_path / "test.parquet"), settings()).sha256 == found.sha256
