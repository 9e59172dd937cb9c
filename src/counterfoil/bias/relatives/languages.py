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
        Language(
            code=ENGLISH,
            name="English",
            unknown=("Not enough information", "Can't be determined", "Not known", "Cannot answer", "Undetermined"),
        ),
        Language(
            code="es",
            name="Spanish",
            prompts=("es-1",),
            unknown=(
                "No se puede determinar",
                "No hay suficiente información",
                "No se sabe",
                "No se puede saber",
                "No lo sé",
            ),
        ),
        Language(
            code="ca",
            name="Catalan",
            prompts=("ca-1",),
            unknown=("No es pot determinar", "No hi ha prou informació", "No se sap", "No es pot saber", "No ho sé"),
        ),
        Language(
            code="nl",
            name="Dutch",
            prompts=("nl-1",),
            unknown=(
                "Kan niet worden bepaald",
                "Niet genoeg informatie",
                "Onbekend",
                "Niet bekend",
                "Niet te beantwoorden",
            ),
        ),
        Language(
            code="tr",
            name="Turkish",
            prompts=("tr-1",),
            unknown=("Belirlenemez", "Yeterli bilgi yok", "Bilinmiyor", "Belirsiz", "Cevaplanamaz"),
        ),
        Language(
            code="de",
            name="German",
            prompts=("de-1",),
            unknown=(
                "Kann nicht bestimmt werden",
                "Nicht genügend Informationen",
                "Unbekannt",
                "Nicht bekannt",
                "Keine Antwort",
            ),
        ),
        Language(
            code="zh",
            name="Chinese",
            prompts=("zh-1",),
            unknown=("无法确定", "信息不足", "不确定", "不知道", "无法判断"),
        ),
        Language(
            code="ja",
            name="Japanese",
            prompts=("ja-1",),
            unknown=("判断できない", "情報が足りない", "わからない", "不明", "特定できない"),
        ),
    )
}
