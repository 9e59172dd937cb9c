"""KoBBQ's templates, expanded to questions.

A template row holds texts with placeholders, each with the forms that its words take there:
`[N1: 손자와, 손녀와] [N2: 할아버지를, 할머니를]`. The columns Names and Lexical_diversity say how many words a
placeholder has; word i is form i wherever the placeholder stands. Every combination of words is one sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from counterfoil.bias.questions import UNKNOWN, Question
from counterfoil.tables import Row, kept

# How KoBBQ's authors number samples: names turn slowest, then the words tied to a name, then the free ones.
FAMILIES = "NXW"

_PLACEHOLDER = re.compile(r"\[([NXW][12]):([^\[\]]*)\]")
_DECLARATION = re.compile(r"\s*([A-Z]+\d)\s*:\s*\[([^\[\]]*)\]\s*")
# Stray control characters in the templates: the published samples keep them in texts, and not in choices.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")

_CONTEXT, _DECISION = "Ambiguous_context", "Disambiguating_context"
_QUESTIONS = ("Biased_question", "Counter-biased_question")
_ANSWERS = ("Biased_question_answer", "Counter-biased_question_answer")
_TEXTS = (_CONTEXT, _DECISION, *_QUESTIONS, *_ANSWERS)
# Lexical_diversity and Target_group may be there as well.
COLUMNS = ("Category", "ID", "version", "Label_annotation", "Names", *_TEXTS)

# What is written, or a placeholder's name with its forms.
Piece = str | tuple[str, tuple[str, ...]]


class Template(NamedTuple):
    """A row, read and checked."""

    category: str
    number: int
    version: str
    label: str
    sizes: dict[str, int]  # words of each placeholder, the slowest first
    texts: dict[str, list[Piece]]


def expand(rows: Iterable[Row], where: str) -> list[Question]:
    """The questions of all templates in a file.

    Each sample gives four: ambiguous and disambiguated, biased and counter-biased question. The choices are the answer
    that is right for the biased question, the one that is right for the counter-biased question, and unknown. In
    versions a and c the context decides against the stereotype, in b and d for it.
    """
    seen: dict[tuple[str, int, str], str] = {}

    def questions_of(place: str, row: Mapping[str, str]) -> list[Question]:
        template = _template(row)
        first = seen.get(template[:3])
        if first is not None:
            name = f"{template.category} {template.number}{template.version}"
            raise ValueError(f"template {name} is already on {first}; give it another ID or version")
        seen[template[:3]] = place
        return list(_questions(template))

    return [question for some in kept(rows, where, questions_of) for question in some]


def _questions(template: Template) -> Iterator[Question]:
    for sample, chosen in enumerate(product(*map(range, template.sizes.values())), start=1):
        words = dict(zip(template.sizes, chosen, strict=True))
        texts = {column: _filled(pieces, words) for column, pieces in template.texts.items()}
        biased, counter_biased = (_CONTROL.sub("", texts[column]) for column in _ANSWERS)
        yield from sample_questions(
            (f"{template.category}-{template.number:03d}", template.version, sample),
            contexts=(texts[_CONTEXT], _squeezed(f"{texts[_CONTEXT]} {texts[_DECISION]}")),
            asked={"bsd": texts[_QUESTIONS[0]], "cnt": texts[_QUESTIONS[1]]},
            answers=(biased, counter_biased),
            unknown=UNKNOWN,
            choices=(biased, counter_biased, UNKNOWN),
            category=template.category,
            label=template.label,
        )


def sample_questions(
    names: tuple[str, str, int],
    *,
    contexts: tuple[str, str],
    asked: Mapping[str, str],
    answers: tuple[str, str],
    unknown: str,
    choices: tuple[str, str, str],
    category: str,
    label: str = "",
) -> Iterator[Question]:
    """The four questions of a sample. `names`: the template's, its version and the sample's number.

    `contexts` are the ambiguous and the disambiguated one. Of the two questions in `asked`, by the ends of their ids,
    the first answer is right for the first, the second for the second. Versions b and d decide for the stereotype.
    """
    template, version, sample = names
    if len({*answers, unknown}) < 3:
        raise ValueError(f"sample {sample} has a choice twice: {', '.join(answers)}; reword the answers")
    aligned = version in "bd"
    family = "ab" if version in "ab" else "cd"
    for kind, context in zip(("amb", "dis"), contexts, strict=True):
        for (polarity, text), decided, other in zip(asked.items(), answers, answers[::-1], strict=True):
            yield Question(
                sample_id=f"{template}{version}-{sample:03d}-{kind}-{polarity}",
                context=context,
                text=text,
                choices=choices,
                unknown=unknown,
                biased=decided if aligned else other,
                right=unknown if kind == "amb" else decided,
                category=category,
                label=label,
                template=template,
                ambiguous=kind == "amb",
                biased_context=aligned,
                pair=f"{template}{family}-{sample:03d}-{kind}-{polarity}",
            )


def _template(row: Mapping[str, str]) -> Template:
    version, number = cell(row, "version"), cell(row, "ID")
    if version not in ("a", "b", "c", "d"):
        raise ValueError(f"version is {version!r}; it must be a, b, c or d")
    declared = declarations(cell(row, "Names"), "Names")
    if not {"N1", "N2"} <= declared.keys():
        raise ValueError("Names must list the words of N1 and of N2, as in N1: [손자]; N2: [할머니]")
    declared |= declarations(row.get("Lexical_diversity") or "", "Lexical_diversity")
    for name in declared:
        if len(name) != 2 or name[0] not in FAMILIES:
            raise ValueError(f"there is no placeholder {name}; there are N1, N2, X1, X2, W1 and W2")
    # The slowest first. b and d swap N1 with N2 and X1 with X2: sample i is about the same words in all versions.
    swapped = "NX" if version in "bd" else ""
    names = sorted(declared, key=lambda name: (FAMILIES.index(name[0]), (name[1] == "2") != (name[0] in swapped)))
    sizes = {name: len(declared[name]) for name in names}
    texts = {column: _pieces(column, cell(row, column), sizes) for column in _TEXTS}
    _check_version(row, version, texts[_ANSWERS[0]])
    return Template(
        category=cell(row, "Category").lower(),
        number=number_of(number, "ID"),
        version=version,
        label=cell(row, "Label_annotation"),
        sizes=sizes,
        texts=texts,
    )


def _check_version(row: Mapping[str, str], version: str, answer: Iterable[Piece]) -> None:
    """ValueError where the row says itself whom the stereotype is about, and its version's letter says otherwise: with
    a wrong letter, every bias has the wrong sign.
    """
    infos = {name: (row.get(f"{name}_info") or "").strip() for name in ("N1", "N2")}
    target = (row.get("Target_group") or "").strip()
    about = [name for name, info in infos.items() if info and info == target]
    answering = [piece[0] for piece in answer if isinstance(piece, tuple) and piece[0] in infos]
    if len(about) != 1 or not answering:
        return
    decides_for = answering[0] == about[0]
    if decides_for != (version in "bd"):
        raise ValueError(
            f"version is {version}, but its context decides {'for' if decides_for else 'against'} the stereotype: "
            f"{_ANSWERS[0]} is {infos[answering[0]]}, Target_group is {target}, and that is version "
            f"{'b or d' if decides_for else 'a or c'}"
        )


def _pieces(column: str, text: str, sizes: Mapping[str, int]) -> list[Piece]:
    pieces: list[Piece] = []
    # re.split with two groups: text, name, forms, text, name, forms, …, text
    parts = _PLACEHOLDER.split(text)
    for written, name, forms in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        words = tuple(word.strip() for word in forms.split(","))
        if name not in sizes:
            raise ValueError(f"{column} has {name}, which neither Names nor Lexical_diversity lists")
        # More forms than words is a slip that the published templates have: the authors leave the rest unused.
        if len(words) < sizes[name]:
            raise ValueError(f"{column} has {len(words)} forms of {name} for its {sizes[name]} words")
        pieces += [written, (name, words)]
    pieces.append(parts[-1])
    if any(isinstance(piece, str) and ("[" in piece or "]" in piece) for piece in pieces):
        raise ValueError(f"{column} has a bracket that is not a placeholder such as [N1: 손자가, 손녀가]")
    return pieces


def _filled(pieces: Iterable[Piece], words: Mapping[str, int]) -> str:
    return _squeezed("".join(piece if isinstance(piece, str) else piece[1][words[piece[0]]] for piece in pieces))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def cell(row: Mapping[str, str], column: str) -> str:
    """A cell that must not be empty."""
    value = (row.get(column) or "").strip()
    if not value:
        raise ValueError(f"{column} is missing or empty")
    return value


def number_of(text: str, column: str) -> int:
    """A template's number."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{column} is {text!r}; it must be a whole number")
    return int(text)


def declarations(text: str, column: str) -> dict[str, tuple[str, ...]]:
    """The words of each placeholder, from `N1: [a, b]; N2: [c]`."""
    declared: dict[str, tuple[str, ...]] = {}
    for part in filter(str.strip, text.split(";")):
        match = _DECLARATION.fullmatch(part)
        if match is None:
            raise ValueError(f"{column} has {part.strip()!r}; write lists such as N1: [one, two]")
        if match[1] in declared:
            raise ValueError(f"{column} lists {match[1]} twice")
        declared[match[1]] = tuple(word.strip() for word in match[2].split(","))
    return declared
