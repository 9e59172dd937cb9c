"""The pages of the documentation as data: their code blocks, their links, their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
# Pages whose blocks need packages of the extras: tests/extras/test_pages.py runs them.
NEEDS_EXTRAS = ("inspect.md", "lm-eval.md", "scale.md", "training.md", "transformers.md")

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)$")
_TITLE = re.compile(r'title="([^"]+)"')
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_LIST_ITEM = re.compile(r"^\s*([-*]|\d+\.)\s")
_PROMPT = "$ "


class Block(NamedTuple):
    """A fenced block. `title` is the file that it shows, if it shows one."""

    page: Path
    line: int
    language: str
    title: str | None
    text: str

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


class Command(NamedTuple):
    """A command of a console block, and the output that the page shows for it."""

    text: str
    output: str


def pages() -> list[Path]:
    return [README, *sorted(DOCS.glob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in their order."""
    found: list[Block] = []
    lines: list[str] = []
    opened: tuple[int, re.Match[str]] | None = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened, lines = (number, fence), []
        elif opened is not None and fence and fence["ticks"] == opened[1]["ticks"] and not fence["info"].strip():
            first, start = opened
            language, _, rest = start["info"].strip().partition(" ")
            title = _TITLE.search(rest)
            text = "\n".join(it.removeprefix(start["indent"]) for it in lines)
            found.append(Block(page, first, language, title[1] if title else None, text))
            opened = None
        elif opened is not None:
            lines.append(line)
    assert opened is None, f"{page.name}:{opened[0]} opens a block that nothing closes" if opened else ""
    return found


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced blocks, with their numbers."""
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def indented_code(page: Path) -> list[int]:
    """Lines that markdown takes for code because they are indented; in a list they belong to its item."""
    found, after_blank, in_list = [], True, False
    for number, line in prose(page):
        if not line.strip():
            after_blank = True
            continue
        if _LIST_ITEM.match(line):
            in_list = True
        elif not line.startswith(" "):
            in_list = False
        elif line.startswith("    ") and after_blank and not in_list:
            found.append(number)
        after_blank = False
    return found


def links(page: Path) -> list[tuple[int, str]]:
    """The targets of a page's links and pictures, without those in code."""
    return [
        (number, target)
        for number, line in prose(page)
        for target in _LINK.findall(re.sub(r"`[^`]*`", "", line.replace("[`", "[").replace("`]", "]")))
    ]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the site and repository pages make them."""
    headings = [line.lstrip("#").strip() for _, line in prose(page) if re.match(r"^#{1,6} ", line)]
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def commands(block: Block) -> list[Command]:
    """The commands of a console block: lines behind a `$`, joined where they end in a backslash."""
    found: list[Command] = []
    lines = iter(block.text.splitlines())
    for line in lines:
        if line.startswith(_PROMPT):
            text = line.removeprefix(_PROMPT)
            while text.endswith("\\"):
                text = text.removesuffix("\\").rstrip() + " " + next(lines).strip()
            found.append(Command(text, ""))
        elif found:
            last = found.pop()
            found.append(last._replace(output=f"{last.output}{line}\n"))
        else:
            assert not line.strip(), f"{block.where}: a console block begins with a `$`"
    return found
