"""Tags and notes of runs, and the search that finds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterfoil.errors import UserError
from run_folders import make_run, record
from sites import Client, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.web.notes import NOTES, Note, read_note, write_note

pytestmark = pytest.mark.heavy


def test_a_note_is_kept_and_an_empty_one_is_no_file(tmp_path: Path) -> None:
    write_note(tmp_path, " paper,  second  try, paper,", " The one to show. ")
    assert read_note(tmp_path) == Note(("paper", "second try"), "The one to show.")
    write_note(tmp_path, "", " ")
    assert not (tmp_path / NOTES).exists()
    (tmp_path / NOTES).write_text("{", encoding="utf-8")
    assert read_note(tmp_path) == Note()
    with pytest.raises(UserError, match="at most 20 tags"):
        write_note(tmp_path, ",".join(map(str, range(21))), "")


def test_a_run_whose_name_has_a_line_break_is_shown(tmp_path: Path) -> None:
    make_run(tmp_path / "a\nb", [record()])
    with serving(tmp_path) as site:
        client = Client(site)
        assert "/run/a%0Ab" in client.get("/").text
        for page in ("run", "records"):
            assert client.get(f"/{page}/a%0Ab").status == 200, page
        assert client.get("/run/a%0Ac").status == 404


def test_runs_are_found_by_what_is_known_of_them(tmp_path: Path) -> None:
    for name, model in (("one", "alpha"), ("two", "beta")):
        make_run(tmp_path / name, [record(model=model)])
    with serving(tmp_path) as site:
        client = Client(site)
        form = {"csrf": client.csrf("/run/one"), "tags": "paper", "text": "<b>keep</b>"}
        assert client.post("/note/one", form).status == 303
        assert client.post("/note/one", form | {"csrf": "x"}).status == 403
        assert client.post("/note/nowhere", form).status == 404

        def found(query: str) -> list[str]:
            return re.findall(r'<th scope="row"><a href="/run/([^"]+)"', client.get(f"/?{query}").text)

        assert found("text=BETA") == ["two"]
        assert found("text=keep+alpha") == ["one"]
        assert found("tag=paper") == ["one"]
        assert found("text=nothing") == []
        assert "&lt;b&gt;keep" in client.get("/").text
