"""The worked example of docs/templates.md, which the prompts for models use as well."""

from __future__ import annotations

import re
from pathlib import Path

from counterfoil.perturbing.templates.tables import parse_templates
from counterfoil.perturbing.templates.template import Template

PAGE = Path(__file__).parents[2] / "docs" / "templates.md"


def worked_example() -> Template:
    block = re.search(r"```toml title=\"my-templates.toml\"\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    [template] = parse_templates(block[1].encode(), "my-templates.toml")
    return template
