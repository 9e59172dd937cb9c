"""What a table of words is: one idea, with a row for each language that says how it is worded there.

A row is a regular expression for text in lower case. Rows in Latin letters are looked for as whole words, the others
anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Table = Mapping[str, str]
_OTHER_SCRIPTS = ("ko", "zh", "ja")


def either(table: Table, languages: Iterable[str] | None = None) -> str:
    """One expression for some languages of a table, or all: whole words in Latin letters, the others anywhere."""
    rows = {language: table[language] for language in languages or table if language in table}
    latin = "|".join(row for language, row in rows.items() if language not in _OTHER_SCRIPTS)
    others = "|".join(row for language, row in rows.items() if language in _OTHER_SCRIPTS)
    return "|".join(part for part in (rf"(?<!\w)(?:{latin})(?!\w)" if latin else "", others) if part) or "(?!)"


# Before a noun or a name, in all languages that have them; of prepositions that hold one, only these.
ARTICLES = (
    "the|an?|el|la|los|las|una?|al|del|els|les|en|na|der|die|das|den|dem|des|eine?[nmrs]?|de|het|een|le|une|au|du|l'|d'"
)
