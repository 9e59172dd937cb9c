"""Which languages a text is in, told by its frequent words, its letters and its script."""

from __future__ import annotations

import re

from counterfoil.reading.words.tables import Table

# Words that are frequent in a language in Latin letters, and no English words; and words for an answer.
FREQUENT: Table = {
    "es": "el los las una del que por para es son está respuesta opción porque según puede fue quien pero como más "
    "lo se tanto ambos nadie quién sino había primera segunda texto ninguna",
    "de": "der das ein eine und ist sind nicht mit auf antwort richtige weil wird auch dass kann lösung nur aber ich "
    "nichts frage keine einen wer oder hatte nach sondern weder zweite",
    "fr": "le les une du est sont que qui pour dans avec réponse parce cette peut était bonne mais pas ce je donc",
    "nl": "de het een niet voor zijn antwoord juiste omdat wordt ook dat kan dus keuze ik maar er geen werd iets aan "
    "tekst vraag wie staat niets noch tweede",
    "tr": "bir ve bu için değil cevap doğru seçenek çünkü olarak yanıt göre daha ile kim hangisi cevabı yok olabilir "
    "metin metinde soru hiçbir ama ancak olan çok bunu ikisi geriye veya",
    "ca": "els les una del que per amb és són resposta opció perquè segons pot era correcta aquesta però més doncs "
    "hi ho cap només qui sinó tampoc segona prou dona home noia desconeix menciona",
}
_MARKS = {
    word: tuple(name for name, row in FREQUENT.items() if word in row.split())
    for row in FREQUENT.values()
    for word in row.split()
}
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("ko", re.compile("[가-힣]")),
    ("ja", re.compile("[\u3040-\u30ff\u4e00-\u9fff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
)
# Letters that hardly any other of these languages has.
_LETTERS = (
    ("tr", re.compile("[ığş]")),
    ("es", re.compile("[ñ¿¡]")),
    ("de", re.compile("ß")),
    ("ca", re.compile("l·l")),
)
_FEW, _SEEN = 30, 1_500


def languages_in(lower: str) -> tuple[str, ...]:
    """The languages whose words are looked for in a text: English, and those that its words and script speak for."""
    found = _WORD.findall(lower, 0, _SEEN)
    marks: dict[str, int] = {}
    for word in _MARKS.keys() & set(found):
        for language in _MARKS[word]:
            marks[language] = marks.get(language, 0) + 1
    least = 1 if len(found) <= _FEW else 2
    spoken = ["en", *sorted(language for language, count in marks.items() if count >= least)]
    if not lower.isascii():
        spoken += [language for language, letters in _LETTERS if language not in spoken and letters.search(lower)]
        spoken += [language for language, script in _SCRIPTS if script.search(lower)]
    return tuple(spoken)
