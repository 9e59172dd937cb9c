"""Fetching: what is kept is whole and right, and everything else is one sentence and leaves nothing behind."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from yarl import URL

from counterfoil import progress
from counterfoil.datasets import fetch, registry
from counterfoil.datasets.fetch import dataset_path, get_dataset, resolved
from counterfoil.datasets.registry import DATASETS, DataFile, Dataset, all_datasets, registered
from counterfoil.errors import UserError

PLAUSIBLEQA = "/datasets/JamshidJDMY/PlausibleQA/resolve/main/test.json"
CONTENT = b'[{"id": "q1"}]' * 100_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COUNTERFOIL_CACHE", str(tmp_path))
    return tmp_path / "data" / "plausibleqa"


@pytest.fixture(autouse=True)
def mirror(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.serve(PLAUSIBLEQA, CONTENT)


def get(name: str = "plausibleqa") -> list[str]:
    said: list[str] = []
    get_dataset(name, said.append)
    return said


def pinned(monkeypatch: pytest.MonkeyPatch, url: str, sha256: str | None) -> None:
    files = (DataFile(name="test.json", url=url, sha256=sha256),)
    dataset = Dataset(name="plausibleqa", suite="explain", what="", licence="CC BY 4.0", files=files)
    monkeypatch.setattr(registry, "DATASETS", (dataset,))


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_it_is_fetched_once_and_its_hash_is_kept(server: Any, cache: Path) -> None:
    first = get()
    assert "CC BY 4.0" in first[0]
    assert dataset_path("plausibleqa") == cache / "test.json"
    assert resolved("plausibleqa") == str(cache / "test.json")
    assert resolved("other.json") == "other.json"
    assert (cache / "test.json").read_bytes() == CONTENT
    assert (cache / "test.json.sha256").read_text() == f"{hashlib.sha256(CONTENT).hexdigest()}  test.json\n"
    assert files_in(cache) == ["test.json", "test.json.sha256"]
    (second,) = get()
    assert second == f"plausibleqa is here: {cache / 'test.json'}"
    assert server.paths == [PLAUSIBLEQA]


def test_before_it_is_fetched_the_command_is_named() -> None:
    with pytest.raises(UserError, match="`counterfoil data get plausibleqa`"):
        dataset_path("plausibleqa")
    with pytest.raises(UserError, match=r"There is no dataset plausibelqa \(did you mean plausibleqa\?\)"):
        registered("plausibelqa")


def test_a_file_that_was_changed_here_is_fetched_again(server: Any, cache: Path) -> None:
    get()
    (cache / "test.json").write_bytes(b"[]")
    with pytest.raises(UserError, match="is not what was fetched"):
        dataset_path("plausibleqa")
    assert "fetching it again" in get()[0]
    assert dataset_path("plausibleqa").read_bytes() == CONTENT


def test_a_file_that_was_changed_there_is_refused_until_the_user_agrees(server: Any, cache: Path) -> None:
    get()
    (cache / "test.json").unlink()
    server.serve(PLAUSIBLEQA, b"[1]")
    with pytest.raises(UserError, match=r"has changed since the first fetch: remove .*test\.json\.sha256"):
        get()
    assert files_in(cache) == ["test.json.sha256"]
    (cache / "test.json.sha256").unlink()
    get()
    assert dataset_path("plausibleqa").read_bytes() == b"[1]"


def test_a_pinned_hash_must_be_right(server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.serve("/a", CONTENT)
    pinned(monkeypatch, f"{server.url}/a", "0" * 64)
    with pytest.raises(UserError, match="is not the known file") as error:
        get()
    assert "remove" not in str(error.value)
    assert files_in(cache) == []
    pinned(monkeypatch, f"{server.url}/a", hashlib.sha256(CONTENT).hexdigest())
    get()
    assert files_in(cache) == ["test.json"]
    assert dataset_path("plausibleqa").read_bytes() == CONTENT


def test_redirects_are_followed(server: Any) -> None:
    server.redirect(PLAUSIBLEQA, "/one")
    server.redirect("/one", f"{server.url}/two?signed=a%2Fb")
    server.serve("/two?signed=a%2Fb", CONTENT)
    get()
    assert dataset_path("plausibleqa").read_bytes() == CONTENT


@pytest.mark.parametrize("location", ["", "file:///etc/passwd", "http://[", "ftp://127.0.0.1/x"])
def test_a_redirect_to_nowhere_is_not_followed(location: str, server: Any, cache: Path) -> None:
    server.redirect(PLAUSIBLEQA, location)
    with pytest.raises(UserError, match="which is no address"):
        get()
    assert files_in(cache) == []


def test_redirects_without_an_end(server: Any, cache: Path) -> None:
    server.redirect(PLAUSIBLEQA, PLAUSIBLEQA)
    with pytest.raises(UserError, match="without an end"):
        get()
    assert files_in(cache) == []


def test_from_a_safe_address_it_does_not_go_on_to_an_unsafe_one() -> None:
    safe, unsafe = URL("https://h/a"), URL("http://h/a")
    assert str(fetch._redirected(safe, safe, "https://other/b")) == "https://other/b"
    assert str(fetch._redirected(unsafe, unsafe, "https://other/b")) == "https://other/b"
    assert str(fetch._redirected(unsafe, URL("https://h/a"), "http://other/b")) == "http://other/b"
    with pytest.raises(UserError, match="not safe"):
        fetch._redirected(safe, safe, "http://h/b")


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (404, "not there any more"),
        (401, "not give it to everybody"),
        (503, "again later"),
        (429, "again later"),
        (418, "said 418"),
    ],
)
def test_what_the_server_says_is_one_sentence(status: int, sentence: str, server: Any, cache: Path) -> None:
    server.pages[PLAUSIBLEQA] = lambda handler: handler.send_error(status)
    with pytest.raises(UserError, match=sentence):
        get()
    assert files_in(cache) == []


def test_a_web_page_is_no_dataset(server: Any, cache: Path) -> None:
    server.serve(PLAUSIBLEQA, b"<html>Log in to this network</html>", kind="text/html; charset=utf-8")
    with pytest.raises(UserError, match="sent a web page in its place"):
        get()
    assert files_in(cache) == []


def test_a_download_that_breaks_off_leaves_nothing(server: Any, cache: Path) -> None:
    server.serve(PLAUSIBLEQA, CONTENT, says=len(CONTENT) + 1)
    with pytest.raises(UserError, match="broke off after 1,400,000 bytes, and nothing was kept"):
        get()
    assert files_in(cache) == []


def test_a_server_that_falls_silent(server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()
    server.pages[PLAUSIBLEQA] = lambda handler: done.wait(30)
    monkeypatch.setattr(fetch, "SILENT_SECONDS", 0.05)
    with pytest.raises(UserError, match="is silent"):
        get()
    done.set()
    assert files_in(cache) == []


def test_no_network(server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.close()
    with pytest.raises(UserError, match=r"No connection to 127\.0\.0\.1 can be made"):
        get()
    assert files_in(cache) == []


@pytest.mark.parametrize("endpoint", ["hf-mirror.com", "ftp://mirror", "https://", "http://["])
def test_a_mirror_that_is_no_address(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(UserError, match=r"HF_ENDPOINT .* is no address"):
        get()


def test_other_addresses_are_not_mirrored(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server.serve("/a", b"[]")
    pinned(monkeypatch, f"{server.url}/a", None)
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.invalid")
    get()
    assert server.paths == ["/a"]


def test_a_cache_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file in the way")
    with pytest.raises(UserError, match="plausibleqa can't be kept in"):
        get()


def test_a_long_download_says_how_far_it_is(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = threading.Event()

    def send_half_until_seen(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:700_000])
        seen.wait(30)
        handler.wfile.write(CONTENT[700_000:])

    def say(sentence: str) -> None:
        said.append(sentence)
        if sentence == "test.json: 0.7 of 1.4 MB":
            seen.set()

    said: list[str] = []
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINES_SECONDS", 0.01)
    server.pages[PLAUSIBLEQA] = send_half_until_seen
    get_dataset("plausibleqa", say)
    assert seen.is_set()
    assert dataset_path("plausibleqa").read_bytes() == CONTENT


def test_a_short_download_says_only_what_it_fetches_and_where_it_is() -> None:
    assert len(get()) == 2


def test_the_list_says_what_is_here() -> None:
    (before,) = [entry for entry in all_datasets() if entry.name == "plausibleqa"]
    assert (before.where, before.bytes, before.path) == ("not here", None, None)
    get()
    (after,) = [entry for entry in all_datasets() if entry.name == "plausibleqa"]
    assert (after.where, after.bytes) == ("cached", len(CONTENT))


def test_the_page_on_datasets_names_all_that_can_be_fetched() -> None:
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for dataset in DATASETS:
        assert f"| `{dataset.suite}` |" in rows[dataset.name], dataset.name
        assert rows[dataset.name].rstrip(" |").endswith(dataset.licence), dataset.name
