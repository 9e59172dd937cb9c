"""requirements-dev.lock pins what development needs, and pre-commit fetches nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked() -> dict[str, str]:
    """The version of each package."""
    lines = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def wanted(*extras: str) -> Iterator[Requirement]:
    """What the project depends on with these extras, and those that they name."""
    optional = PROJECT["optional-dependencies"]
    for line in [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]:
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            yield from wanted(*requirement.extras)
        else:
            yield requirement


@pytest.mark.parametrize("requirement", sorted(set(wanted("local", "web", "dev")), key=str), ids=str)
def test_every_dependency_is_pinned_to_a_version_that_is_allowed(requirement: Requirement) -> None:
    assert requirement.specifier.contains(locked()[canonicalize_name(requirement.name)])


def test_the_lock_file_holds_versions_and_nothing_else() -> None:
    lines = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()[1:]
    for line in lines:
        requirement = Requirement(line)
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], line
        assert requirement.url is None, line
    assert len(locked()) == len(lines), "each package once"
    assert PROJECT["name"] not in locked()


def test_pre_commit_needs_no_network() -> None:
    [repository] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local"
    assert {hook["language"] for hook in repository["hooks"]} == {"system"}
    assert [hook["id"] for hook in repository["hooks"]] == ["ruff-check", "ruff-format", "mypy", "lint-imports"]
