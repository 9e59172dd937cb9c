"""Who may see and write what: asked of a real server, with whatever a browser or an attacker may send."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import counterfoil_process as counterfoil
from counterfoil.rating.store import About, Rater, Study
from counterfoil.suite.form import Task, choice_form
from counterfoil.suite.opinions import Source, StudyTask
from run_folders import make_run, record
from sites import Client, Site, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.web.app import access_for
from counterfoil.web.security import is_loopback
from counterfoil.web.served import NotHere, Served

pytestmark = pytest.mark.heavy

TOKEN = "a-token-that-is-long-enough"


def make_study(path: Path, raters: int = 2, tasks: int = 2) -> list[Rater]:
    """A study of three-choice replies; every rater rates all of them."""
    about = About(
        name="s",
        suite="bias",
        form=choice_form("bias", "ABC"),
        seed=0,
        per_question=raters,
        run="run",
    )
    made = [
        StudyTask(
            Task(id=i, question=f"question {i}", options=("x", "y", "z"), right="A: x", reply=f"reply {i}"),
            Source(model="secret-model", variant="v", question_id=f"q{i}", repeat=0, cluster="c"),
        )
        for i in range(1, tasks + 1)
    ]
    people = [Rater(id=i, name=f"rater-{i}", token=f"token-{i}-{'x' * 20}") for i in range(1, raters + 1)]
    Study.create(path, about, made, people, {it.id: list(range(1, tasks + 1)) for it in people}).close()
    return people


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("safe")
    root = base / "served"
    make_run(root / "run", [record(reply="inside")])
    make_study(root / "run" / "s.study.sqlite")
    # Beside the served directory, and reachable from within it by symbolic links.
    make_run(base / "secret", [record(reply="outside")])
    (root / "link").symlink_to(base / "secret")
    partly = root / "partly"
    make_run(partly, [record()])
    (partly / "records.parquet").unlink()
    (partly / "records.parquet").symlink_to(base / "secret" / "records.parquet")
    make_study(base / "other.study.sqlite")
    (root / "other.study.sqlite").symlink_to(base / "other.study.sqlite")
    return root


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with serving(folder) as up:
        yield up


@pytest.fixture
def client(site: Site) -> Client:
    return Client(site)


def ratings(folder: Path) -> int:
    with Study(folder / "run" / "s.study.sqlite") as study:
        return len(study.history())


@pytest.mark.parametrize("page", ["run", "records", "record", "study", "review", "review-question"])
@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "..%2fsecret",
        "%2e%2e/secret",
        "run/../../secret",
        "run/%2e%2e/%2e%2e/secret",
        "..\\secret",
        "/etc",
        "%2fetc",
        "link",
        "link/",
        "partly",
        "other.study.sqlite",
        "run/s.study.sqlite%00",
        "run%00",
        "",
        "." * 300,
        "x/" * 3000,
    ],
)
def test_nothing_outside_of_the_directory_is_served(client: Client, page: str, name: str) -> None:
    answer = client.get(f"/{page}/{name}?row=0&id=q")
    assert answer.status == 404
    assert "outside" not in answer.text


def test_what_leads_outside_is_not_listed(client: Client) -> None:
    text = client.get("/").text
    assert "/run/run" in text
    assert "link" not in text.partition("<tbody>")[2]
    assert "partly" not in text
    assert "other.study" not in client.get("/studies").text


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py"])
def test_static_files_are_those_of_their_folder(client: Client, path: str) -> None:
    assert client.get(path).status == 404
    assert client.get("/static/site.css").status == 200


PARTS = st.sampled_from(["..", ".", "/", "\\", "test_safe.py", "web", "~", "%2e", "\0"]) | st.text(max_size=5)


@given(st.lists(PARTS, max_size=8).map("".join))
def test_whatever_is_asked_for_lies_inside_or_is_not_here(name: str) -> None:
    served = Served(Path(__file__).parent)
    with suppress(NotHere):
        assert served.inside(name).is_relative_to(served.root)


def test_an_answer_without_a_csrf_token_or_with_a_wrong_one_is_refused(client: Client, folder: Path) -> None:
    [rater, *_] = _raters(folder)
    good = {"task": "1", "item": "answer", "value": "A", "csrf": client.csrf(f"{rater.link}?task=1")}
    before = ratings(folder)
    for form in (good | {"csrf": ""}, good | {"csrf": "x" * 43}, {k: v for k, v in good.items() if k != "csrf"}):
        answer = client.post(rater.link, form)
        assert (answer.status, "not from this visit" in answer.text) == (403, True)
    # Another visitor's token is not this one's, and without a cookie there is none.
    assert client.post(rater.link, good | {"csrf": Client(client.site).csrf(f"{rater.link}?task=1")}).status == 403
    assert Client(client.site).post(rater.link, good).status == 403
    assert ratings(folder) == before
    assert client.post(rater.link, good).status == 303
    assert ratings(folder) == before + 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_what_another_site_sends_is_refused(client: Client, folder: Path, headers: dict[str, str]) -> None:
    rater = _raters(folder)[1]
    form = {"task": "1", "item": "answer", "value": "B", "csrf": client.csrf(f"{rater.link}?task=1")}
    before = ratings(folder)
    assert client.post(rater.link, form, **headers).status == 403
    assert ratings(folder) == before


def test_only_forms_of_a_size_are_taken(client: Client, folder: Path) -> None:
    link = _raters(folder)[0].link
    form = {"csrf": client.csrf(f"{link}?task=1")}
    assert client.post(link, form, **{"Content-Type": "text/plain"}).status == 415
    assert client.post(link, form | {"value": "x" * 1_100_000}).status == 413
    assert client.post(link, form | {f"n{i}": "" for i in range(300)}).status == 400
    assert client._ask("DELETE", link, "", {"Origin": client.site.address}).status == 405


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "[::2]"])
def test_a_site_that_is_called_by_another_name_does_not_answer(client: Client, host: str) -> None:
    assert client.get("/", Host=host).status in (400, 421)


def test_every_answer_forbids_what_no_page_needs(client: Client) -> None:
    for path in ("/", "/nowhere", "/static/site.css", "/rate/nobody", "/run/../x"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self';")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"


def _raters(folder: Path) -> list[Rater]:
    with Study(folder / "run" / "s.study.sqlite") as study:
        return study.raters()


def test_a_rater_sees_and_changes_their_own_ratings_only(client: Client, folder: Path, tmp_path: Path) -> None:
    one, other = _raters(folder)
    form = {"task": "2", "item": "answer", "value": "C", "csrf": client.csrf(f"{one.link}?task=1")}
    assert client.post(one.link, form).status == 303
    pressed = 'value="C" data-key="c" aria-pressed="true"'
    assert pressed in client.get(f"{one.link}?task=2").text
    assert pressed not in client.get(f"{other.link}?task=2").text
    text = client.get(one.link).text
    # Blind: neither the model nor the way to the rest of the site.
    assert "secret-model" not in text
    assert 'href="/studies"' not in text
    assert other.token not in text
    assert client.get("/rate/nobody").status == 404
    assert client.post(one.link, form | {"task": "99"}).status == 400
    assert client.post(one.link, form | {"value": "D"}).status == 400
    assert client.post(one.link, form | {"item": "nothing"}).status == 400


def test_off_loopback_everything_needs_the_token_except_what_raters_have(folder: Path) -> None:
    with serving(folder, "--host", "0.0.0.0", COUNTERFOIL_TOKEN=TOKEN) as up:
        client = Client(up)
        assert "needs a token" in up.said
        assert f"/?token={TOKEN}" in up.said
        for path in ("/", "/run/run", "/studies", "/study/run/s.study.sqlite", "/?token=wrong", "/nowhere", "/?token="):
            answer = client.get(path)
            assert (answer.status, "needs its token" in answer.text) == (401, True)
        assert client.post("/review-freeze/x", {"token": TOKEN}).status == 401
        link = _raters(folder)[0].link
        assert client.get(link).status == 200
        opened = client.get(f"/records/run?token={TOKEN}&text=in")
        # The token leaves the address, and becomes a cookie that scripts can't read.
        assert (opened.status, opened.headers["location"]) == (303, "/records/run?text=in")
        assert client.get("/records/run?text=in").status == 200
        # Two slashes would lead to another server.
        assert Client(up).get(f"//elsewhere.example/?token={TOKEN}").headers["location"] == "/elsewhere.example/"
        client.cookies = {name: value[:-1] for name, value in client.cookies.items()}
        assert client.get("/").status == 401


def test_a_token_is_made_where_none_is_given() -> None:
    tokens = {access_for(host, 1, [], None).token for host in ("0.0.0.0", "::", "192.168.0.1", "example.org", "")}
    assert None not in tokens
    assert len(tokens) == 5
    assert min(len(token or "") for token in tokens) >= 32
    assert access_for("127.0.0.1", 1, [], None).token is None
    assert access_for("192.168.0.1", 1, ["me.example"], None).hosts == frozenset(
        ("192.168.0.1", "me.example", "127.0.0.1", "localhost", "[::1]")
    )


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.example", False),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer


def test_the_command_says_what_is_wrong(folder: Path, site: Site) -> None:
    taken = counterfoil("serve", str(folder), "--port", str(site.port), cwd=folder)
    assert (taken.returncode, "can't be listened on" in taken.stderr) == (2, True)
    nowhere = counterfoil("serve", "nowhere", cwd=folder)
    assert (nowhere.returncode, "nowhere is no folder" in nowhere.stderr) == (2, True)
    assert counterfoil("serve", "--port", "70000", cwd=folder).returncode == 2


def test_without_the_extra_the_command_says_how_to_get_it(folder: Path, tmp_path: Path) -> None:
    # A package of that name that can't be found: what an installation without the extra looks like.
    hook = tmp_path / "sitecustomize.py"
    hook.write_text(
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'starlette':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n",
        encoding="utf-8",
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    said = counterfoil("serve", str(folder), cwd=folder, PYTHONPATH=paths)
    assert said.returncode == 2
    assert "pip install 'counterfoil[web]'" in said.stderr


def test_a_manifest_names_no_file_outside_of_the_directory(tmp_path: Path) -> None:
    outside, inside = tmp_path / "secret.jsonl", tmp_path / "served" / "data.jsonl"
    run = {"given": str(outside), "name": "numbers", "asked": 1, "questions": 1, "sha256": ""}
    make_run(tmp_path / "served" / "run", [record()], data=run, options={"metadata": str(outside), "k": 3})
    for path in (outside, inside):
        path.write_text("", encoding="utf-8")
    served = Served(tmp_path / "served")
    manifest = served.run("run").manifest
    assert (manifest["data"]["given"], manifest["options"]) == (None, {"metadata": None, "k": 3})
    assert manifest["data"]["name"] == "numbers"
    make_run(tmp_path / "served" / "good", [record()], data=run | {"given": str(inside)})
    assert served.run("good").manifest["data"]["given"] == str(inside)


def test_a_run_that_names_a_module_as_its_suite_is_not_opened(tmp_path: Path) -> None:
    make_run(tmp_path / "run", [record()], suite="evil:suite")
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')", encoding="utf-8")
    with serving(tmp_path) as up:
        client = Client(up)
        for path in ("/run/run", "/records/run", "/record/run?row=0", "/compare?a=run"):
            answer = client.get(path)
            assert (answer.status, "no suite" in answer.text) == (400, True)
        assert client.get("/").status == 200
    assert not (tmp_path / "ran").exists()


def test_code_that_only_a_manifest_names_is_not_run(tmp_path: Path) -> None:
    for at, (summary, manifest) in enumerate([("evil", "evil"), ("bias", "evil:suite"), ("evil:suite", "evil")]):
        folder = tmp_path / f"run{at}"
        make_run(folder, [record(), record(variant="q")], suite=manifest, suite_at="evil:suite")
        content = json.loads((folder / "summary.json").read_bytes()) | {"suite": summary}
        (folder / "summary.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')", encoding="utf-8")
    with serving(tmp_path) as up:
        client = Client(up)
        pages = ("run", "records", "record", "compare")
        for at, shown in enumerate([(200, 200, 200, 400), (400, 400, 400, 400), (200, 200, 200, 400)]):
            run = f"run{at}"
            paths = (f"/run/{run}", f"/records/{run}", f"/record/{run}?row=0", f"/compare?a={run}")
            assert dict(zip(pages, shown, strict=True)) == {
                name: client.get(path).status for name, path in zip(pages, paths, strict=True)
            }
        assert "start the site with --suite" in client.get("/compare?a=run0").text
    assert not (tmp_path / "ran").exists()
