"""Words that say that it can't be known, that this is not so, or that the reply won't answer."""

from __future__ import annotations

from counterfoil.reading.words.tables import Table

# The text does not tell, said in other words than those of the choice "unknown". English and Korean: `unknown.py`.
UNTOLD: Table = {
    "es": r"ni idea|no lo sé|no se (?:desprende|deduce|infiere|concluye)|nada (?:\w+ ){0,4}?(?:indica|permite|"
    r"sugiere|dice|"
    r"apunta)|"
    r"no (?:se )?(?:aporta|contiene|ofrece|da|hay|existe)(?: \w+)? (?:datos?|pistas?|indicios?|información|pruebas?)|"
    r"falta (?:información|contexto)|no (?:es|resulta) posible (?:saber|determinar|responder)\w*|"
    r"no (?:se )?(?:puede|puedo|podemos|es posible|cabe|permite)(?: \w+){0,2}? (?:saber|determinar|decir|afirmar|"
    r"concluir|inferir|deducir)\w*|no (?:se )?(?:sabe|sabemos|indica|menciona|dice|especifica|aclara|precisa)|"
    r"(?:faltan?|no hay|sin|no (?:se )?(?:da|dan|ofrece|proporciona))(?: \w+)? (?:información|datos|pruebas|evidencia|"
    r"indicios)|información insuficiente|datos insuficientes|no (?:queda|está) claro|imposible (?:saber|determinar)\w*|"
    r"indeterminad[oa]",
    "de": r"keine ahnung|(?:kann|können)(?: \w+){0,6}? nicht wissen|"
    r"(?:steht|erfährt man|erfahren wir|sagt der text|sagt|verrät)(?: \w+){0,5}? nichts?|"
    r"(?:keinen?|keinerlei)(?: \w+)? (?:hinweis\w*|anhaltspunkt\w*|beleg\w*|information\w*|angaben?)|"
    r"(?:lässt|läßt) sich(?: \w+){0,5}? nicht (?:sagen|feststellen|bestimmen|beantworten|ermitteln|entscheiden|"
    r"ableiten|entnehmen|schließen)|"
    r"nicht (?:zu )?(?:bestimm\w+|beantwort\w+|feststell\w+|bekannt|klar|ersichtlich|genannt|angegeben|erwähnt|"
    r"entscheiden|sagen)|geht(?: \w+){0,5}? nicht hervor|(?:keine|zu wenig|fehlende|nicht genug|nicht genügend|"
    r"unzureichende)(?: \w+)? (?:information\w*|angaben?|hinweise?|daten|aussage)|unklar|unbekannt|"
    r"wissen(?: wir)? nicht|"
    r"weiß man(?: \w+)? nicht|(?:sagt|verrät|nennt)(?: \w+){0,4} nicht",
    "fr": r"(?:on )?ne (?:peut|peux|permet|permettent|sait|précise|dit|mentionne|indique|donne)(?: \w+){0,3}? pas|"
    r"impossible (?:de|à) (?:savoir|déterminer|dire|trancher)|pas (?:assez|suffisamment) d'(?:informations?|éléments|"
    r"indices)|(?:informations?|données) insuffisantes?|aucune (?:information|indication|précision)|indéterminé|"
    r"rien (?:n'|ne )\w+",
    "nl": r"geen (?:flauw )?idee|niet mogelijk (?:om )?(?:vast te stellen|te (?:bepalen|zeggen|weten))|"
    r"kan niet worden (?:bepaald|vastgesteld|beantwoord)|niet te beantwoorden|(?:nergens|"
    r"niet) (?:uit )?(?:op te maken|vermeld|genoemd|gezegd|af te leiden)|"
    r"staat (?:\w+ )?nergens|"
    r"geen (?:enkele )?(?:aanwijzing\w*|informatie|bewijs|gegevens)|(?:is|valt|kan|"
    r"kunnen)(?: \w+){0,4}? niet (?:te )?(?:bepalen|zeggen|weten|vast te stellen|vaststellen|"
    r"bekend|"
    r"duidelijk|vermeld|achterhalen)|niet (?:bekend|duidelijk|vermeld|genoemd|te bepalen|te zeggen|op te maken)|weten"
    r"(?: we)?(?: het)? niet|(?:onvoldoende|te weinig|geen|niet genoeg)(?: \w+)? (?:informatie|gegevens|aanwijzing\w*)|"
    r"onduidelijk|onbekend|staat(?: er)?(?: \w+){0,4}? (?:niet|niets)|zegt(?: \w+){0,4}? niets?",
    "tr": r"(?:cevap|yanıt)lanamaz|(?:bilmek|belirlemek|söylemek|anlamak|saptamak) (?:mümkün|olanaklı) değil|"
    r"(?:hiç)?bir şey (?:söylemiyor|demiyor|belirtmiyor|yazmıyor|söylenmiyor)|hiçbir (?:bilgi|ipucu|kanıt|"
    r"şey)(?: \w+)? (?:yok|verilm\w+|bulunm\w+|söylenm\w+)|ipucu yok|"
    r"(?:hiç )?(?:söz|bahs)\w* ?(?:edilm\w+|geçm\w+)|(?:belirtilm|bilinm|söylenm|açıklanm|verilm)\w*|belli değil|"
    r"bilgi (?:yok|yetersiz|bulunm\w+)|"
    r"(?:yeterli|yeterince) (?:bilgi|kanıt)\w*(?: \w+)? (?:yok|bulunm\w+|verilm\w+)|bilinemez|belirlenemez|"
    r"anlaşıl[ma]\w+|kesin (?:olarak )?(?:söylenemez|bilinemez)|belirsiz|yetersiz bilgi|bilemeyiz|bilemiyoruz|"
    r"söyleyemeyiz",
    "ca": r"ni idea|no ho sé|no és possible (?:saber|determinar|dir|respondre)(?:-ho)?|impossible (?:de |"
    r"d')?(?:saber|determinar|dir|respondre)(?:-ho)?|no (?:en )?(?:dona|"
    r"aporta|diu|"
    r"conté|ofereix)(?: \w+)? (?:cap|enlloc|res|informació|prou)|"
    r"no (?:ho |en )?diu (?:enlloc|res)|no (?:es|se'n) (?:desprèn|dedueix)|falta informació|no hi ha (?:cap|prou)|"
    r"res (?:\w+ ){0,4}?(?:indica|permet|diu)|no (?:es |se )?(?:pot|podem|sap|sabem|diu|indica|especifica|menciona|"
    r"aclareix)(?: \w+)?|(?:falten|no hi ha|"
    r"manquen)(?: \w+)? (?:dades|informació|proves)|informació insuficient|indeterminat|no queda clar",
    "zh": r"没法(?:知道|判断|确定|回答)|谁知道|说不清|无从知晓|得不出(?:结论|答案)?|无从(?:判断|得知|知道)|"
    r"没有(?:\w{0,6}?)(?:相关|任何)(?:的)?(?:信息|描述|依据)|"
    r"(?:根本|并)没有(?:描述|说|写)|无法(?:判断|确定|得知|知道|推断|回答|得出|断定)|不能(?:判断|确定|得知|断定|"
    r"推断)|没有(?:说明|提到|提及|"
    r"交代|足够|提供|明确|给出|写|"
    r"任何(?:信息|证据|线索))|(?:信息|证据|线索|依据)不足|(?:未|没)(?:说明|提及|提到|交代|给出)|不(?:清楚|确定|"
    r"得而知|明确)|未知|看不出|说不准|不知道",
    "ja": r"(?:特定|判断|断定|決定)する(?:こと)?(?:は|が)?でき(?:な|ませ)|判断(?:が|は)?(?:つかな|つきませ|つかず)|"
    r"読み取(?:れな|れませ|ることはでき)|分かるはずが(?:な|ありませ)|"
    r"知る(?:ことは|すべは|術は)?(?:でき|な|ありませ)|(?:記述|記載|根拠|手がかり|情報|説明)(?:は|が|も)(?:一切|全く|"
    r"特に)?(?:ない|なく|ありませ|見当たら|"
    r"書かれていな)|"
    r"(?:分|わ)か(?:らな|りませ|りかね)|判断(?:でき|がつか|は?でき)(?:な|ませ)|特定でき(?:な|ませ)|情報(?:が|"
    r"は)(?:不足|足り|不十分|ありませ|な)|"
    r"不明|書かれていな|書かれていませ|(?:述べ|示さ|明記さ|触れ)(?:ら)?れてい(?:な|ませ)|(?:とも)?言えな|"
    r"(?:とも)?言えませ|断定でき(?:な|ませ)|決められ(?:な|ませ)",
}
# The reply declines to answer. English and Korean: `unknown.py`.
REFUSES: Table = {
    "es": r"no puedo (?:ayudar|responder|contestar|participar|atender)\w*|no debo (?:responder|contestar)",
    "de": r"kann(?: ich)?(?: \w+){0,4} nicht (?:helfen|beantworten|antworten|behilflich)|"
    r"möchte(?: ich)?(?: \w+){0,4} nicht "
    r"(?:antworten|beantworten)|beantworte ich nicht|darauf antworte ich nicht|werde ich nicht beantworten",
    "fr": r"je ne (?:peux|puis|saurais|souhaite) pas (?:répondre|vous aider|aider|participer)",
    "nl": r"kan ik(?: \w+){0,4} niet (?:helpen|beantwoorden|antwoorden)|ik kan(?: \w+){0,4} niet (?:helpen|"
    r"beantwoorden)",
    "tr": r"yardımcı olamam|cevap veremem|yanıtlayamam|cevaplayamam|yanıt veremem",
    "ca": r"no puc (?:ajudar|respondre|contestar)\w*",
    "zh": r"^(?![^\n]*(?:根据|文中|信息|上下文|题目))[^\n]*我(?:无法|不能|不便|不会)(?:回答|作答)|"
    r"我?(?:无法|不能|不便)(?:回答这|协助|提供帮助|帮助|作答)",
    "ja": r"お答え(?:でき|する(?:こと)?(?:が|は)でき)|お手伝いでき|応じ(?:られ|かね|ること)|お答えしかね",
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
