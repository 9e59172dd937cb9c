"""The questions of a run: a frozen set, or templates that are drawn from as the options say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from counterfoil.console import say
from counterfoil.datasets.registry import is_registered, no_dataset
from counterfoil.errors import UserError
from counterfoil.figures.numbers import listed
from counterfoil.files import read_bytes
from counterfoil.memorization.options import DRAWS
from counterfoil.perturbing.leaning import without_leaning
from counterfoil.perturbing.making.existing import load_existing
from counterfoil.perturbing.making.recipes import apply, recipe_id, shipped_recipes
from counterfoil.perturbing.noise.noise import ON_CHANGED, ON_ORIGINAL, STRENGTHS, with_noise
from counterfoil.perturbing.questions import PerturbedSet, Question, encode_set, read_set, with_source_id
from counterfoil.perturbing.symbolic.sources import GSM8K, Published, is_published, load_published
from counterfoil.perturbing.templates.tables import load_bank, load_templates, of_topics
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import CONTROLS, make_variants, variants_as_far_as_possible

BANK = "bank"
# What a run keeps in its folder: the set, what became of each original, and the results as the CFA study has them.
SET, ITEMS, RESULTS = "set.jsonl", "items.json", "results.json"
# Arms whose draws come in groups: there may be more than were asked for.
_IN_GROUPS = ("lure", ON_ORIGINAL, ON_CHANGED)
# What the manifest says of a set beside its name and hash: the file it was drawn from, and levels that it lacks.
FROM, LEFT_OUT = "from", "levels_left_out"
# Levels that some of its originals lack: how many of how many have them.
IN_PART = "levels_in_part"
# Of a frozen set, the arms that it lacks.
ARMS_LEFT_OUT = "arms_left_out"
# Of published templates, those that could not be used, with the reasons.
REFUSED = "refused"
# The names of the public questions in the CFA study and in the registry.
PUBLIC = {"cfa-easy": "cfa", "cfa": "cfa"}


def load_set(data: str | None, settings: Mapping[str, Any]) -> PerturbedSet:
    """A set that was frozen before (.jsonl); or one that is drawn now: from the bank, from templates (.toml), or from
    public questions (cfa-easy, or the user's copy) by the recipes that ship.
    """
    if data is not None and data.endswith(".jsonl") and not is_published(Path(data)):
        found = _part(read_set(Path(data)), settings)
        wanted = {"controls": settings["controls"], "lures": settings["lure"], "noise": settings.get("noise")}
        kinds = {"lure": "lures", ON_ORIGINAL: "noise", ON_CHANGED: "noise"}
        arms = {kinds.get(question.control, "controls") for question in found if question.control}
        lacking = [arm for arm in wanted if wanted[arm] and arm not in arms]
        found.about = {**found.about, **({ARMS_LEFT_OUT: lacking} if lacking else {})}
    else:
        found = _drawn(data, settings)
    missing = sorted(set(settings["levels"] or ()) - {question.level for question in found})
    if missing:
        found.about = {**found.about, LEFT_OUT: missing}
    originals = sum(question.parent is None for question in found)
    parts = {
        level: len({one.unit for one in found if one.level == level}) for level in sorted(settings["levels"] or ())
    }
    parts = {level: count for level, count in parts.items() if 0 < count < originals}
    if parts:
        found.about = {**found.about, IN_PART: [[level, count, originals] for level, count in parts.items()]}
    for sentence in sentences_about(found.name, found.about):
        say(sentence)
    return found


_LACKS = {
    1: "in the others no number can change alone",
    2: "in the others no two numbers can change",
    3: "the others have no number that could be asked for instead",
}


def sentences_about(name: str, about: Mapping[str, Any]) -> list[str]:
    """What a set lacks of what it was drawn from, and of what was asked for; from its manifest, too."""
    sentences = []
    source = about.get(FROM)
    if source is not None:
        by = "published templates" if REFUSED in source else "the recipes that ship"
        sentences.append(
            f"Of the {source['questions']:,} questions of {source['name']}, {source['changed']:,} can be changed by "
            f"numbers with {by}: these alone can be asked, and the figures are about them."
        )
    missing = about.get(LEFT_OUT)
    if missing:
        levels = f"Level {missing[0]} is" if len(missing) == 1 else f"Levels {listed(map(str, missing))} are"
        sentences.append(f"{levels} left out: {name} has no such question.")
    for level, count, originals in about.get(IN_PART, ()):
        sentences.append(f"Level {level} is asked of {count:,} of the {originals:,} questions: {_LACKS[level]}.")
    if lacking := about.get(ARMS_LEFT_OUT):
        sentences.append(f"{name} was frozen without {listed(lacking)}: figures that need them are not given.")
    return sentences


def _drawn(data: str | None, settings: Mapping[str, Any]) -> PerturbedSet:
    """A set that is drawn now."""
    levels = settings["levels"] or [1]
    source = source_of(data, settings["topic"] or ())
    questions = questions_of(source, settings)
    if not any(question.level for question in questions):
        raise UserError(f"None of these templates has level {' or '.join(map(str, levels))}: ask for another --levels.")
    content = encode_set(questions)
    found = PerturbedSet(Path(data or BANK).name, hashlib.sha256(content).hexdigest(), questions)
    found.about = source.about
    return found


def questions_of(source: Source, settings: Mapping[str, Any]) -> list[Question]:
    """What is made of all its templates, as the options say."""
    levels, count = settings["levels"] or [1], settings["draws"] or DRAWS
    controls = CONTROLS if settings["controls"] else ()
    questions: list[Question] = []
    for template in source.templates:
        make = _as_far_as_possible if template.source in ("published", "recipe") else make_variants
        made = make(template, settings["set_seed"], levels, controls, settings["lure"], count)
        made = without_leaning(made)
        made = with_noise(made, settings["set_seed"], count) if settings.get("noise") else made
        questions += with_source_id(made, source.ids.get(template.id))
    return questions


def _as_far_as_possible(*arguments: Any) -> list[Question]:
    return variants_as_far_as_possible(*arguments)[0]


def _part(frozen: PerturbedSet, settings: Mapping[str, Any]) -> PerturbedSet:
    """What the options leave of a frozen set; its hash stays that of the file where they leave all of it."""
    levels, draws, topics = settings["levels"], settings["draws"], settings["topic"] or ()
    most = max((question.draw for question in frozen if question.control not in _IN_GROUPS), default=0) + 1
    if draws is not None and draws > most:
        raise UserError(f"--draws {draws}: {frozen.name} is frozen with {most}; make a larger set with `data perturb`.")
    if settings["set_seed"]:
        raise UserError(f"--set-seed {settings['set_seed']}: {frozen.name} is drawn already: leave it out.")

    def is_asked_for(question: Question) -> bool:
        most = draws
        if question.control in (ON_ORIGINAL, ON_CHANGED):
            wanted = settings.get("noise") is not False
            most = draws and -(-draws // STRENGTHS) * STRENGTHS
        elif question.control == "lure":
            wanted = bool(settings["lure"])
            # Lures come in pairs, and mean nothing apart.
            most = draws and draws + draws % 2
        elif question.control is not None:
            wanted = bool(settings["controls"])
        else:
            wanted = not question.level or not levels or question.level in levels
        of_topic = not topics or question.topic in topics
        return wanted and of_topic and (most is None or question.draw < most)

    left = [question for question in frozen if is_asked_for(question)]
    if len(left) == sum(1 for _ in frozen):
        return frozen
    if not any(question.level for question in left):
        asked = [f"level {' or '.join(map(str, levels))}"] if levels else []
        asked += [f"the topic {' or '.join(topics)}"] if topics else []
        raise UserError(f"{frozen.name} has no questions of {' and '.join(asked) or 'a level'}.")
    return PerturbedSet(frozen.name, hashlib.sha256(encode_set(left)).hexdigest(), left)


class Source(NamedTuple):
    """Templates; the ids of their questions, by the templates', where they are of existing ones; what they are of."""

    templates: Sequence[Template]
    ids: Mapping[str, str] = {}
    about: Mapping[str, Any] = {}


def source_of(data: str | None, topics: Sequence[str] = ()) -> Source:
    """The templates behind a dataset's name, or in a file."""
    if data is None or data == BANK:
        return Source(load_bank(topics))
    if data.endswith(".toml"):
        return Source(of_topics(load_templates(Path(data)), topics))
    if data == GSM8K or is_published(Path(data)):
        return _of_published(load_published(None if data == GSM8K else Path(data)), topics)
    path = existing_path(data)
    existing = load_existing(path)
    templates, _ = apply(shipped_recipes(), [{"text": one.text, "gold": one.gold} for one in existing])
    if not templates:
        raise UserError(
            f"There are recipes for none of the {len(existing):,} questions of {data}: let a model propose "
            "templates with `counterfoil data perturb --proposer`."
        )
    ids = {recipe_id(one.sha256): one.source_id(public=True) for one in reversed(existing)}
    sha256 = hashlib.sha256(read_bytes(path)).hexdigest()
    about = {"name": path.name, "sha256": sha256, "questions": len(existing), "changed": len(templates)}
    return Source(of_topics(templates, topics), ids, {FROM: about})


def _of_published(found: Published, topics: Sequence[str]) -> Source:
    ids = {template.id: template.id.replace("-", "_") for template in found.templates}
    about = {
        "name": found.name, "sha256": found.sha256, "questions": found.questions, "changed": len(found.templates),
        REFUSED: {one.id: one.reason for one in found.refused},
    }  # fmt: skip
    return Source(of_topics(found.templates, topics), ids, {FROM: about})


def existing_path(data: str) -> Path:
    """Where existing questions are: the fetched file of public ones, or the user's own."""
    if data in PUBLIC:
        from counterfoil.datasets.fetch import dataset_path  # loads aiohttp

        return dataset_path(PUBLIC[data])
    path = Path(data)
    if not path.is_file() or is_registered(data):
        raise no_dataset(data, [BANK, *PUBLIC, GSM8K])
    return path
