"""Prompts in files: those that ship with a suite, and a user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from counterfoil.errors import UserError
from counterfoil.inputs import read_text
from counterfoil.suite.options import nearest
from counterfoil.suite.suite import Variant


def load_texts(
    names: Sequence[str], package: str, shipped: Sequence[str], parse: Callable[[str, str], Any]
) -> list[Variant]:
    """The variants of these names, or in these text files. A shipped one is `prompts/NAME.txt` of the package.

    `parse` makes the prompt of a text and its name. It refuses what is no prompt, in a sentence.
    """
    variants = []
    for name in names:
        ships = name in shipped
        text = (shipped_text(package, f"{name}.txt") if ships else text_of_user(name, shipped, "text file")).strip()
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        variants.append(Variant(name if ships else Path(name).stem, sha256, parse(text, name)))
    return with_different_names(variants)


def shipped_text(package: str, file: str) -> str:
    """A file in the folder `prompts` of a package."""
    return (resources.files(package) / "prompts" / file).read_text(encoding="utf-8")


def text_of_user(name: str, shipped: Iterable[str], kind: str, path: str | None = None) -> str:
    """What the user's file of this name holds. `kind` says what it should be; `path` is where it is, if not `name`."""
    file = Path(path or name)
    if not _is_there(file):
        raise UserError(
            f"There is no variant {name}{nearest(name, shipped)}, nor a {kind} of that name. "
            f"There are: {', '.join(shipped)}."
        )
    return read_text(file)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long for a name
        return False


def with_different_names(variants: list[Variant]) -> list[Variant]:
    """The variants, if no two have the same name."""
    names = [variant.name for variant in variants]
    if len(set(names)) < len(names):
        raise UserError(f"Two variants are called {max(names, key=names.count)}: give one of the files another name.")
    return variants
