"""Links between pages lead somewhere, on the site and on a repository's pages alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages import DOCS, README, ROOT, anchors, links, pages

pytestmark = pytest.mark.heavy

SITE = ROOT / "mkdocs.yml"


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for line, target in links(page):
        if target.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.is_relative_to(ROOT), f"{page.name}:{line} leads out of the repository: {target}"
        assert there.is_file(), f"{page.name}:{line} leads nowhere: {target}"
        assert page == README or there.is_relative_to(DOCS), f"{page.name}:{line} leads out of the site: {target}"
        if anchor:
            assert anchor in anchors(there), f"{page.name}:{line}: {there.name} has no heading #{anchor}"


def test_the_site_names_every_page_once() -> None:
    named = re.findall(r"^ +- (\S+\.md)$", SITE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(page.name for page in DOCS.glob("*.md"))


def test_the_site_loads_nothing_from_elsewhere() -> None:
    assert "http" not in SITE.read_text(encoding="utf-8")
    assert "font: false" in SITE.read_text(encoding="utf-8")
    assert "url(" not in (DOCS / "site.css").read_text(encoding="utf-8")
