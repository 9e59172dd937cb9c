"""The languages that questions are asked in: their codes, names, usual prompts and wordings of “unknown”."""

from __future__ import annotations

import msgspec

KOREAN, ENGLISH = "ko", "en"


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """A language by its ISO 639-1 code.

    `prompts`: the variants that are asked where neither the user nor the dataset names any; English ones where a
    language has none of its own. `unknown`: wordings of the choice “unknown” beside those of its datasets.
    """

    code: str
    name: str
    prompts: tuple[str, ...] = ("en",)
    unknown: tuple[str, ...] = ()


LANGUAGES = {
    language.code: language
    for language in (
        Language(code=KOREAN, name="Korean", prompts=("1", "2", "3", "4", "5")),
        Language(code=ENGLISH, name="English"),
        Language(code="es", name="Spanish"),
        Language(code="ca", name="Catalan"),
        Language(code="nl", name="Dutch"),
        Language(code="tr", name="Turkish"),
        Language(code="de", name="German"),
        Language(code="zh", name="Chinese"),
        Language(code="ja", name="Japanese"),
    )
}
