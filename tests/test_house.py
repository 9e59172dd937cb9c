"""The house stays tidy: rooms that can be overlooked, files that can be read in one go."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_FILES, MOST_LINES = 15, 520


def test_no_folder_has_more_files_than_one_can_overlook() -> None:
    source = ROOT / "src" / "counterfoil"
    folders = [source, *(path for path in source.rglob("*") if path.is_dir())]
    numbers = {str(folder.relative_to(source)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {name: n for name, n in numbers.items() if n > MOST_FILES} == {}


def test_no_file_is_longer_than_one_can_read() -> None:
    files = [path for name in ("src", "tests", "benchmarks", "examples") for path in (ROOT / name).rglob("*.py")]
    assert len(files) > 400
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}
