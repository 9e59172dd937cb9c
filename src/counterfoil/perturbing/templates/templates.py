"""Reading templates from TOML files, and from the bank that ships with the package."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from counterfoil.errors import UserError
from counterfoil.perturbing.questions import Source
from counterfoil.perturbing.templates.parts import Template
from counterfoil.perturbing.templates.tables import template_from

__all__ = ["Template", "load_bank", "load_templates", "parse_templates", "template_from", "toml_tables"]


def load_bank() -> list[Template]:
    """The templates that ship with the package, over all topics."""
    folder = resources.files("counterfoil.memorization") / "samples"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return _unique(
        (file.name, template) for file in files for template in _parsed(file.read_bytes(), file.name, "bank")
    )


def load_templates(path: Path, source: Source = "file") -> list[Template]:
    """The templates of a TOML file."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error
    return parse_templates(raw, str(path), source)


def parse_templates(raw: bytes, where: str, source: Source = "file") -> list[Template]:
    """The templates of a file's content."""
    return _unique((where, template) for template in _parsed(raw, where, source))


def _parsed(raw: bytes, where: str, source: Source) -> list[Template]:
    tables = toml_tables(raw, where, "template")
    return [template_from(table, where, source, number) for number, table in enumerate(tables, start=1)]


def _unique(found: Iterable[tuple[str, Template]]) -> list[Template]:
    templates: dict[str, Template] = {}
    for where, template in found:
        if template.id in templates:
            raise UserError(f"{where}: template {template.id}: id: there is another template with it.")
        templates[template.id] = template
    return list(templates.values())


def toml_tables(raw: bytes, where: str, name: str) -> list[Any]:
    """The [[name]] tables of a TOML file that holds nothing else."""
    try:
        content = tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where} is not valid TOML: {str(error) or 'it is nested too deeply'}.") from error
    tables = content.pop(name, None)
    if not isinstance(tables, list) or not tables or content:
        found = f"; it has {', '.join(sorted(content)[:5])}" if content else ""
        raise UserError(f"{where} must hold [[{name}]] tables and nothing else{found}.")
    return tables
