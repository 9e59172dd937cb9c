"""Words that say that it can't be known, that this is not so, or that the reply won't answer."""

from __future__ import annotations

from counterfoil.reading.words.tables import Table


def _any(*ways: str) -> str:
    """One expression for several ways to say it."""
    return "|".join(ways)


# The text does not tell, said in other words than those of the choice "unknown": it can't be known, it does not say,
# there is too little to go by, who knows. English and Korean: `reading/unknown.py`.
UNTOLD: Table = {
    "es": _any(
        r"no (?:se |lo |la |me |nos ){0,2}(?:puede|puedo|podemos|pudo|es posible|resulta posible|cabe|"
        r"permite)(?: \w+){0,2}? "
        r"(?:saber|determinar|decir|afirmar|concluir|inferir|deducir|establecer|precisar|asegurar)\w*",
        r"no se (?:puede|podría) (?:responder|contestar)|no (?:es|resulta) posible (?:responder|contestar)",
        r"imposible (?:de )?(?:saber|determinar|decir|responder|establecer)\w*",
        r"no se sabe|no (?:lo )?sabemos|no (?:se )?(?:indica|menciona|dice|especifica|aclara|precisa|desprende|"
        r"deduce|infiere|concluye)|no lo sé",
        r"nada (?:\w+ ){0,4}?(?:indica|permite|sugiere|dice|apunta)",
        r"no (?:se )?(?:aporta|contiene|ofrece|da|dan|hay|existe|proporciona|proporcionan|tengo|tenemos)(?: \w+){0,2}? "
        r"(?:datos?|pistas?|indicios?|información|contexto|pruebas?|evidencias?|detalles)",
        r"no (?:tiene|tengo|hay|existe) una respuesta (?:clara|definitiva|única)",
        r"(?:faltan?|sin)(?: \w+)? (?:información|contexto|datos|pruebas|evidencia|indicios)",
        r"(?:información|contexto|datos) insuficientes?|se (?:necesita|necesitaría|requiere) más (?:información|"
        r"contexto)",
        r"no (?:queda|está|es) clar[oa]|indeterminad[oa]|ni idea|no hay manera de saber\w*",
    ),
    "de": _any(
        r"(?:lässt|läßt) sich(?: \w+){0,5}? nicht(?: \w+){0,2}? (?:sagen|feststellen|bestimmen|beantworten|ermitteln|"
        r"entscheiden|ableiten|entnehmen|schließen)",
        r"nicht (?:zu )?(?:bestimm\w+|beantwort\w+|feststell\w+|bekannt|klar|ersichtlich|genannt|angegeben|erwähnt|"
        r"gesagt|"
        r"beschrieben|entscheiden|sagen)|nicht möglich,?(?: \w+){0,3}? zu (?:bestimmen|sagen|beantworten|wissen|"
        r"entscheiden)",
        r"geht(?: \w+){0,5}? nicht hervor|(?:kann|können)(?: \w+){0,6}? nicht (?:wissen|beantwortet)",
        r"(?:steht|erfährt man|erfahren wir|sagt der text|sagt|verrät|wird)(?: \w+){0,5}? nichts?(?: gesagt| erwähnt)?|"
        r"(?:sagt|verrät|nennt)(?: \w+){0,4} nicht",
        r"(?:keinen?|keinerlei|zu wenig|fehlende|nicht genug|nicht genügend|unzureichende)(?: \w+)? (?:hinweis\w*|"
        r"anhaltspunkt\w*|beleg\w*|information\w*|angaben?|daten|aussage|auskunft|kontext)",
        r"fehl(?:en|t)(?: \w+)? (?:information\w*|angaben?|hinweise?|daten|kontext)",
        r"mehr (?:information\w*|kontext|angaben)(?: \w+)? (?:benötigt|nötig|erforderlich|gebraucht)",
        r"weiß (?:ich|man)(?: \w+)? nicht|ich weiß (?:es )?nicht|wissen(?: wir)?(?: es)? nicht|keine ahnung",
        r"unklar|unbekannt|unbestimmt|bleibt offen|ist offen",
    ),
    "fr": _any(
        r"(?:on )?ne (?:peut|peux|permet|permettent|sait|précise|dit|mentionne|indique|donne)(?: \w+){0,3}? pas",
        r"impossible (?:de|à) (?:savoir|déterminer|dire|trancher)",
        r"pas (?:assez|suffisamment) d'(?:informations?|éléments|indices)|(?:informations?|données) insuffisantes?",
        r"aucune (?:information|indication|précision)|indéterminé|rien (?:n'|ne )\w+",
    ),
    "nl": _any(
        r"(?:is|valt|kan|kunnen|wordt|werd|staat)(?: \w+){0,5}? niet(?: \w+){0,2}? (?:te (?:bepalen|zeggen|weten|"
        r"vinden|"
        r"beantwoorden|achterhalen)|vast te stellen|vaststellen|bekend|duidelijk|vermeld|genoemd|gegeven|bepaald|"
        r"beschreven|"
        r"beantwoord|gezegd|gesteld|besloten|zeggen|bepalen|weten|achterhalen)",
        r"(?:kan|kunnen) (?:\w+ ){0,3}?niet (?:\w+ ){0,2}?worden (?:bepaald|vastgesteld|beantwoord|gesteld|besloten|"
        r"gezegd)",
        r"(?:nergens|niet) (?:uit )?(?:op te maken|vermeld|genoemd|gezegd|af te leiden|te beantwoorden|te bepalen|"
        r"te zeggen|"
        r"bekend|duidelijk)",
        r"niet mogelijk (?:om )?(?:\w+ )?(?:vast te stellen|te (?:bepalen|zeggen|weten|beantwoorden))|"
        r"niet met zekerheid|weten(?: we)?(?: het)? niet|ik weet het niet|geen (?:flauw )?idee",
        r"(?:onvoldoende|te weinig|geen(?: enkele)?|niet (?:genoeg|voldoende))(?: \w+)? (?:info\w*|gegevens|"
        r"aanwijzing\w*|"
        r"indicatie\w*|bewijs|context|antwoord (?:is )?mogelijk)",
        r"(?:onvoldoende|niet (?:genoeg|voldoende)) (?:info\w*|context)|meer (?:informatie|context) nodig",
        r"onduidelijk|onbekend|onbepaald|staat (?:\w+ )?nergens|staat(?: er)?(?: \w+){0,4}? (?:niet|niets)|"
        r"zegt(?: \w+){0,4}? niets?",
    ),
    "tr": _any(
        r"(?:bil|belirle|söyle|anla|tespit ed|sapta|kestir|çıkar)\w{0,4}(?:em|am)(?:(?:iyor|ıyor)(?:um|uz)|eyiz|"
        r"ayız|em|am)",
        r"(?:bilin|belirlen|söylen|anlaşıl|tespit edil|saptan|çıkarıl|kestiril)(?:em|am)[ea]z",
        r"(?:cevap|yanıt)(?:lan)?amaz|(?:cevap|yanıt)(?:ı|lar)? (?:verilemez|yok)|kesin (?:bir )?(?:cevab|"
        r"yanıt)\w* yok",
        r"(?:bilmek|belirlemek|söylemek|anlamak|saptamak) (?:mümkün|olanaklı) değil",
        r"(?:belirtilm|bilinm|söylenm|açıklanm|verilm|belirlen[ea]m|anlaşıl[ma])\w*|bilmiyor(?:um|uz)|bilinemez",
        r"(?:hiç)?bir şey (?:söylemiyor|demiyor|belirtmiyor|yazmıyor|söylenmiyor)",
        r"(?:hiç )?(?:söz|bahs)\w* ?(?:edilm\w+|geçm\w+)|ipucu (?:yok|verm\w+)",
        r"(?:bilgi|kanıt|bağlam)\w*(?: \w+)? (?:yok|yetersiz|bulunm\w+|verilm\w+|sağlam\w+|içerm\w+|verm[ie]\w+|"
        r"sahip değil\w*)|yetersiz bilgi|(?:daha fazla|ek) bilgi\w* (?:gerek|ihtiyaç|lazım)\w*",
        r"hiçbir (?:bilgi|ipucu|kanıt|şey)(?: \w+)? (?:yok|verilm\w+|bulunm\w+|söylenm\w+)",
        r"kesin (?:olarak )?(?:söylenemez|bilinemez)|belirsiz|(?:belli|net|açık) değil",
    ),
    "ca": _any(
        r"no (?:es |se |ho )?(?:pot|podem|puc|és possible|permet|permeten)(?: \w+)? (?:saber|determinar|dir|afirmar|"
        r"establir|"
        r"concloure|deduir)(?:-\w+)?|no es pot(?: \w+)? (?:respondre|contestar)",
        r"impossible (?:de |d')?(?:saber|determinar|dir|respondre)(?:-ho)?",
        r"no (?:es|se|ho) (?:sap|sabem|sé)|no (?:ho |es |en |se |s'hi |s')?(?:diu|indica|especifica|menciona|"
        r"esmenta|aclareix|desprèn|dedueix)(?: \w+)?",
        r"no (?:en )?(?:dona|dóna|aporta|diu|conté|ofereix|proporciona)(?: \w+)? (?:cap|enlloc|res|informació|"
        r"context|dades)",
        r"res (?:\w+ ){0,4}?(?:indica|permet|diu)|es desconeix\w*",
        r"no (?:hi ha|tinc|tenim) (?:cap|prou)|(?:falt(?:a|en)|manquen)(?: \w+)? (?:dades|informació|proves|context)",
        r"cal(?:dria)? més (?:informació|context)|informació insuficient|indeterminat|no (?:queda|està|és) clar|"
        r"ni idea",
    ),
    "zh": _any(
        r"(?:无法|不能|没法|难以|无从)(?:从[^，。,.]{0,10})?(?:判断|确定|得知|知道|推断|回答|得出|断定|确认|辨别|知晓)",
        r"得不出(?:结论|答案)?|谁知道|说不清|说不准|不好说|看不出|不知道(?!怎么|如何|该)",
        r"(?:没有|未|没|并没有|根本没有)(?:明确|具体|足够)?(?:地)?(?:说明|提到|提及|交代|给出|描述|指出|提供|写|说)",
        r"没有(?:\w{0,6}?)(?:相关|任何|足够)(?:的)?(?:信息|描述|依据|证据|线索)|(?:信息|证据|线索|依据)不足",
        r"缺(?:乏|少)(?:\w{0,4}?)(?:信息|依据|证据|线索)|需要更多(?:的)?(?:信息|背景|上下文)",
        r"不(?:清楚|确定)(?!怎么|如何|该)|不(?:得而知|明确)|未知",
    ),
    "ja": _any(
        r"(?:特定|判断|断定|決定|確定)(?:する(?:こと)?)?(?:は|が)?でき(?:な|ませ|ず)|判断(?:が|は)?(?:つかな|"
        r"つきませ|つかず)",
        r"判断材料が(?:な|ありませ|不足)|読み取(?:れな|れませ|ることはでき)|分かるはずが(?:な|ありませ)",
        r"知る(?:こと|すべ|術)(?:は|が)?(?:でき(?:な|ませ)|な|ありませ)",
        r"(?:記述|記載|根拠|手がかり|情報|説明|言及)(?:は|が|も)(?:一切|全く|特に)?(?:ない|なく|な|ありませ|不足|"
        r"足り|不十分|"
        r"見当たら|書かれていな)",
        r"(?:書か|述べ|示さ|明記さ|触れ|言及さ|説明さ)(?:ら)?れてい(?:な|ませ)|"
        r"(?<!操作が)(?<!い方が)(?<!り方が)(?:分|わ)か(?:らない|りません(?!でした)|りかね)",
        r"不明|(?:とも)?言え(?:な|ませ)|決められ(?:な|ませ)",
    ),
}
# The reply declines to answer. English and Korean: `unknown.py`.
REFUSES: Table = {
    "es": r"como (?:un )?(?:modelo|asistente) de (?:ia|inteligencia|lenguaje)|no puedo (?:ayudar|responder|"
    r"contestar|participar|atender)\w*|no debo (?:responder|contestar)",
    "de": r"als (?:ki|ai)(?:-\w+)?|kann(?: ich)?(?: \w+){0,4} nicht (?:helfen|beantworten|antworten|behilflich)|"
    r"möchte(?: ich)?(?: \w+){0,4} nicht "
    r"(?:antworten|beantworten)|beantworte ich nicht|darauf antworte ich nicht|werde ich nicht beantworten",
    "fr": r"je ne (?:peux|puis|saurais|souhaite) pas (?:répondre|vous aider|aider|participer)",
    "nl": r"als (?:een )?ai(?:-\w+)?|kan ik(?: \w+){0,4} niet (?:helpen|beantwoorden|antwoorden)|"
    r"ik kan(?: \w+){0,4} niet (?:helpen|"
    r"beantwoorden)",
    "tr": r"yapay zek[aâ] (?:\w+ )?olarak|yardımcı olamam|cevap veremem|yanıtlayamam|cevaplayamam|yanıt veremem",
    "ca": r"com a (?:model|assistent) d|no puc (?:ajudar|respondre|contestar)\w*",
    "zh": r"^(?![^\n]*(?:根据|文中|信息|上下文|题目))[^\n]*我(?:无法|不能|不便|不会)(?:回答|作答)|"
    r"作为(?:一个|一款)?(?:人工智能|ai)|我?(?:无法|不能|不便)(?:回答这|协助|提供帮助|帮助|作答)",
    "ja": r"ai(?:モデル|アシスタント)?として|お答え(?:でき|する(?:こと)?(?:が|は)でき)|お手伝いでき|応じ(?:られ|"
    r"かね|ること)|お答えしかね",
}
# Right behind what it denies: "it may seem that A, but that is not so".
DENIES: Table = {
    "en": r"but (?:that(?:'s| is)|this is|it(?:'s| is)) (?:not|n't) (?:so|true|the case|right)|"
    r"but (?:there is|it is|it does|they are|we are)(?=[.:;,!])|that(?:'s| is) not (?:so|true|the case)",
    "ko": r"(?:하지만|그러나|지만),? ?(?:그렇지 않|사실은 그렇지)",
    "es": r"(?:pero|aunque) (?:eso )?no (?:es|fue) (?:así|cierto|verdad|el caso)",
    "de": r"(?:aber )?(?:das )?(?:stimmt|ist)(?: \w+)? nicht(?: so| der fall| richtig)?(?=[.:;,!])|"
    r"dem ist (?:aber )?nicht so",
    "fr": r"mais ce n'est pas (?:le cas|vrai|exact)",
    "nl": r"maar (?:dat|dit) (?:is|klopt) niet(?: zo| waar)?|niets is minder waar",
    "tr": r"(?:ama|ancak|fakat|oysa) (?:bu )?(?:öyle|doğru|böyle) değil",
    "ca": r"però (?:això )?no és (?:així|cert|veritat|el cas)",
    "zh": r"其实不然|并非如此|事实并非如此|实际上不是|但其实不是",
    "ja": r"そうではありませ|そうではな|そんなことはありませ|実際は違",
}
