"""Words by which a reply decides for a choice, turns one down, or says which one it speaks of."""

from __future__ import annotations

from counterfoil.reading.words.tables import Table

# What the answer is called: "the answer is", "Respuesta:".
ANSWER: Table = {
    "en": r"(?:final |correct |right |best |my )*(?:answer|choice|pick|verdict|decision|conclusion|vote|guess)",
    "ko": r"정답|(?<![가-힣])답(?:변|안)?|대답|해답|결론|최종 ?(?:답|선택)|제 ?선택|선택지",
    "es": r"respuesta(?: correcta| final| definitiva)?|opción correcta|elección|solución|alternativa correcta",
    "de": r"(?:die )?(?:richtige |korrekte |finale |endgültige )?(?:antwort|lösung|wahl|entscheidung)",
    "fr": r"réponse(?: correcte| finale| définitive| est donc)?|bonne réponse|bonne option|choix|solution",
    "nl": r"(?:juiste |goede |correcte |uiteindelijke )?(?:antwoord|keuze|oplossing)|juiste optie",
    "tr": r"(?:doğru |son |kesin )?(?:cevap|cevabı|cevabım|yanıt|yanıtım|seçenek|seçimim|şık)",
    "ca": r"resposta(?: correcta| final| definitiva)?|opció correcta|elecció|solució",
    "zh": r"(?:正确|最终|最后)?的?(?:答案|选项|選項|选择|結論|结论)",
    "ja": r"(?:答え|正解|回答|解答|結論|正しい選択肢|選択)",
}
# Between it and the answer.
IS: Table = {
    "en": r"is|was|would be|will be|must be|should be|has to be|remains|becomes|stays|goes to",
    "ko": r"은|는|이|가|으로는|로는|으로|로",
    "es": r"es|sería|será|debe ser|tiene que ser|queda en",
    "de": r"ist|lautet|wäre|muss|bleibt|sein|heißt",
    "fr": r"est|serait|sera|doit être|reste",
    "nl": r"is|luidt|zou|moet|wordt|blijft|zijn",
    "tr": r"olarak|olmalı|olur|şudur|(?=[\s:(\"']{0,3}[a-e1-5](?!\w))",
    "ca": r"és|seria|serà|ha de ser",
    "zh": r"应该是|应当是|应该选|应选|就是|是|为|為|选|選",
    "ja": r"は",
}
# Verbs whose object is the answer: "I'd go with B".
CHOOSES: Table = {
    "en": r"(?:i|we)(?:'d|'ll|'m| would| will| have to| must| am| should| can|'ve| have)?(?: \w+(?: to)?)? "
    r"(?:choose|chose|choosing|pick|picked|picking|select|selected|selecting|go with|going with|went with|go for|"
    r"going for|opt for|opting for|settle (?:on|for)|settling (?:on|for)|settled (?:on|for)|land on|landing on|end up "
    r"(?:at|with|on|choosing|picking|going with)|ended up (?:at|with|on)|lean(?:ing)? (?:towards?|to)|commit to|stick "
    r"with|sticking with|stay with|vote for|answer|mark|submit|report|put down|come down on|side with|arrive at)|"
    r"(?:make|call) (?:that|it)(?: an?)?|let's (?:go with|choose|pick|say)|(?:that|this|which) (?:leaves|gives|makes)"
    r"(?: us| me)?(?: with)?(?: only| just)?|leav(?:es|ing)(?: us| me)?(?: with)?(?: only| just)?|"
    r"to (?:choose|select|pick|go with)|going with|i (?:meant|mean)|it should (?:be|have been|read)|my money is on|"
    r"best fit is|best match is",
    "ko": r"(?:고르|꼽으|택하)라면|골라야 ?(?:한다면|하면)|남는 ?(?:것|건|답)은?|제 ?(?:선택|답)은|최종(?:적으로)?",
    "es": r"elijo|escojo|elegiría|escogería|selecciono|me quedo con|me quedaría con|nos quedamos con|opto por|"
    r"optaría por|marco|"
    r"marcaría|me decanto por|me inclino por|voy con|diría que|debo elegir|hay que elegir|respondo|sería|es la|es el",
    "de": r"und sage|(?:würde|nähme|tippe|wähle|setze) ich(?: auf)?|ich (?:wähle|nehme|entscheide mich für|würde|"
    r"tippe auf|bleibe bei|antworte|sage|"
    r"lege mich fest auf)|"
    r"bleibt nur|es bleibt|also|daher|somit|wähle ich|entscheide ich mich für|nehme ich",
    "fr": r"je (?:choisis|choisirais|retiens|opte pour|prends|sélectionne|réponds|dirais|penche pour|garde|coche)|"
    r"il (?:reste|faut choisir)|c'est|c'était|on retient",
    "nl": r"ik (?:kies|koos|zou kiezen|ga voor|neem|selecteer|houd het op|antwoord|zeg|kruis)|kies ik|ga ik voor|"
    r"maak er|het is|dat is|dan|blijft over",
    "tr": r"seçiyorum|seçerdim|tercih ediyorum|diyorum|karar verdim|işaretliyorum|kalıyor|bu yüzden|dolayısıyla",
    "ca": r"trio|triaria|escullo|em quedo amb|opto per|em decanto per|marco|diria|doncs|és la|és el",
    "zh": r"我(?:会|就|最终|还是)?(?:选择?|選擇?)|应(?:该)?选择?|故选|因此选|所以选|倾向于(?:选择?)?|选择|選擇|答",
    "ja": r"(?:私は|よって|したがって|従って|ゆえに|つまり)",
}
# Said of a choice that is taken: "B is correct", "B es la correcta". Behind the choice.
RIGHT: Table = {
    "en": r"(?:is|was|would be|seems|appears) (?:the )?(?:(?:best|better)[ -])?(?:supported|consistent|"
    r"only (?:option|choice|"
    r"answer)|"
    r"most (?:likely|plausible|accurate|appropriate)|closest|nearest|it)|(?:best|most closely|most accurately) "
    r"(?:describes|fits|matches|answers|reflects|captures)|comes closest|fits best|makes (?:the )?most sense|"
    r"(?:is )?the one (?:who|that|which)|therefore|thus|hence|wins|gets my vote|is what (?:she|he|they|we|it)|holds",
    "ko": r"(?:이|가) ?(?:남|맞|유력|타당|옳)|(?:으로|로) ?(?:하겠|할게|갈게|가겠|결정|정하|바꾸|바꿀|수정|정정)|"
    r"(?:을|를) ?(?:고르겠|고를게|선택하겠|선택할게|택하겠|택할게|제출)",
    "es": r"(?:es|sería|será|fue|era)(?: la| el)?(?: opción| respuesta)? ?(?:correct[oa]|adecuad[oa]|respuesta|"
    r"quien|la que|el que)",
    "de": r"(?:ist|wäre|war|stimmt|passt|trifft zu)(?: die| der| das)?(?: richtige| korrekte)?(?: antwort| lösung| "
    r"wahl)?(?: richtig| korrekt)?",
    "fr": r"(?:est|serait|était)(?: la| le)? ?(?:bonne|correcte?|réponse|bon|celle?|celui)",
    "nl": r"dus|(?:is|was|klopt)(?: het| de)? ?(?:juiste?|goede?|correcte?|antwoord|degene|juist|goed)?",
    "tr": r"(?:olarak (?:değiştir|güncelli|düzelti)\w+|demek (?:en )?doğru\w*|doğru|seçeneği|şıkkı|'?(?:dır|dir|dur|"
    r"dür|tır|tir|tur|tür))",
    "ca": r"(?:és|seria|era)(?: la| el)? ?(?:correct[ea]|resposta|qui|la que)",
    "zh": r"(?:是|为)?(?:正确|對的|对的|答案)|(?:最)?(?:符合|合适|恰当)",
    "ja": r"(?:に(?:変更|変え|訂正|修正|直)し?|です|だ|である|が(?:妥当|適切|答え|最も)|が正解|が正しい|となります|"
    r"になります|でした|だった|"
    r"と考えられ|と思われ|を選び|を選択)",
}
# A conclusion begins.
CONCLUDES: Table = {
    "en": r"therefore|thus|hence|so|consequently|in conclusion|conclusion|in summary|in short|to summarize|overall|"
    r"finally|"
    r"ultimately|to conclude|to sum up|accordingly|based on (?:this|the|these)|given (?:this|the|these|that)|"
    r"this means|as a result|all in all|bottom line",
    "ko": r"따라서|그러므로|그래서|결론적으로|결론|결국|즉|고로|그렇기 ?때문에|종합하면|요약하면|종합적으로|"
    r"이에 따라|이로 ?인해|그렇다면|정리하면",
    "es": r"por (?:lo )?tanto|por eso|por ello|así que|en conclusión|conclusión|en resumen|entonces|luego|de modo que",
    "de": r"daher|deshalb|also|somit|folglich|demnach|fazit|schlussfolgerung|zusammengefasst|insgesamt|damit",
    "fr": r"donc|par conséquent|ainsi|en conclusion|conclusion|en résumé|c'est pourquoi|finalement|au final",
    "nl": r"dus|daarom|conclusie|concluderend|kortom|samengevat|derhalve|vandaar",
    "tr": r"bu nedenle|dolayısıyla|bu yüzden|sonuç olarak|sonuç|o halde|öyleyse|yani|kısacası",
    "ca": r"per tant|per això|així que|en conclusió|conclusió|en resum|doncs",
    "zh": r"因此|所以|综上|故|总之|结论|由此可见|可见",
    "ja": r"したがって|従って|よって|そのため|だから|結論|以上から|つまり|ゆえに|まとめ",
}
# Places in a list, in words: first to fifth, and last; and what they are places of.
ORDINALS: Table = {
    "en": "first|1st;second|2nd;third|3rd;fourth|4th;fifth|5th;last",
    "ko": "첫 ?번?째;두 ?번째|둘째;세 ?번째|셋째;네 ?번째|넷째;다섯 ?번째|다섯째;마지막",
    "es": "primer[oa]?;segund[oa];tercer[oa]?;cuart[oa];quint[oa];últim[oa]",
    "de": "erste[nrs]?;zweite[nrs]?;dritte[nrs]?;vierte[nrs]?;fünfte[nrs]?;letzte[nrs]?",
    "fr": "premi(?:er|ère);deuxième|seconde?;troisième;quatrième;cinquième;derni(?:er|ère)",
    "nl": "eerste;tweede;derde;vierde;vijfde;laatste",
    "tr": "birinci|ilk;ikinci;üçüncü;dördüncü;beşinci;son",
    "ca": "primera?;segona?;tercera?;quarta?;cinquena?;últim?a?|darrera?",
    "zh": "第一;第二;第三;第四;第五;最后一",
    "ja": "[一1](?:番目|つ目);[二2](?:番目|つ目);[三3](?:番目|つ目);[四4](?:番目|つ目);[五5](?:番目|つ目);最後",
}
OPTION: Table = {
    "en": r"options?|choices?|answers?|alternatives?|statements?|possibilit\w+|candidate|letter",
    "ko": r"보기|선택지|항목|문항|옵션|답|것",
    "es": r"opci(?:ó|o)n|respuesta|alternativa|afirmación|casilla",
    "de": r"antwort\w*|option|möglichkeit|aussage|alternative|wahl",
    "fr": r"option|réponse|proposition|possibilité|affirmation|case|ligne",
    "nl": r"optie|antwoord|keuze|mogelijkheid|stelling|vakje",
    "tr": r"seçene[kğ]\w*|şı[kk]k?\w*|cevap|yanıt",
    "ca": r"opció|resposta|alternativa|afirmació",
    "zh": r"(?:个|项|個|項)?(?:选项|答案|選項|选择|说法)",
    "ja": r"の?(?:選択肢|答え|回答|もの)",
}
# Between two choices of which neither is taken: "A or B".
OR: Table = {
    "en": "and|or|nor", "ko": "와|과|나|이나|랑|이랑|도|하고|또는|혹은|아니면|이거나|거나|및|그리고|이?든|"
    "인지", "es": "o|u|y|e|ni",
    "de": "oder|und|noch", "fr": "ou|et|ni", "nl": "of|en|noch", "tr": "veya|ya da|ve|mı|mi", "ca": "o|i|ni",
    "zh": "或者?|还是|和|与|及", "ja": "か|または|もしくは|と|や",
}  # fmt: skip

# Right before a choice that is not taken, and right behind one. English and Korean: `cues.py`.
NOT_BEFORE: Table = {
    "es": r"no (?:es|fue|era|sería|puede ser)|ni|descart\w+|en lugar de|en vez de|tampoco",
    "de": r"nicht|kein\w*|weder|noch|statt|anstatt|gegen",
    "fr": r"n'est|n'était|pas|ni|au lieu de|plutôt que|non",
    "nl": r"niet|geen|noch|in plaats van",
    "ca": r"no (?:és|era|va ser)|ni|en lloc de|tampoc",
    "zh": r"不是|并非|不选|排除|而非|不能选",
}
NOT_BEHIND: Table = {
    "es": r"no (?:es|fue|era|tiene|puede|hay)|(?:es|sería) (?:incorrect\w+|fals\w+)|queda descartad\w+|se descarta",
    "de": r"(?:ist|war|wäre|kann|trifft|passt)(?: \w+){0,2} nicht|(?:ist|wäre) (?:falsch|ausgeschlossen|unzutreffend)|"
    r"scheidet|fällt weg|entfällt",
    "fr": r"n'est|n'était|ne|est (?:faux|fausse|incorrecte?|exclue?|éliminée?)",
    "nl": r"is (?:niet|onjuist|fout)|niet|valt (?:ook )?af|klopt niet",
    "tr": r"(?:seçeneği |şıkkı )?(?:d[ae] )?(?:aynı (?:nedenle|sebeple|şekilde) )?(?:d[ae] )?(?:değil\w*|yanlış\w*|"
    r"olamaz|elen\w+)",
    "ca": r"no (?:és|era)|és (?:incorrect\w+|fals\w+)|queda descartad\w+",
    "zh": r"(?:选项)?(?:不对|不正确|错误|不是|不符|可以?排除|被排除)",
    "ja": r"(?:では|じゃ|で)(?:な|あり)|だと(?:思う人|考える人|思われがち|決めつけ|思い込)|は(?:誤り|不正解|間違|"
    r"取り下げ|撤回)|を?除外",
}
# The verdict on one option of a list or a table.
GOOD: Table = {
    "en": r"correct|true|right|yes|supported|best (?:answer|choice|option|fit)|holds|valid",
    "ko": r"정답(?!이 ?아|은 ?아|일 ?수 ?없|으로 ?보기)|맞습니다|맞음|옳습니다|적절합니다|적절|타당|가능",
    "es": r"correct[oa]|verdader[oa]|sí|cierto", "de": r"richtig|korrekt|wahr|zutreffend|ja|stimmt",
    "fr": r"correcte?|vraie?|oui|exacte?", "nl": r"juist|correct|waar|ja|klopt", "tr": r"doğru|evet|geçerli",
    "ca": r"correct[ea]|vertader[ea]?|sí|cert", "zh": r"正确|对|符合|成立", "ja": r"正解|正しい|適切|妥当",
}  # fmt: skip
BAD: Table = {
    "en": r"incorrect|false|wrong|not (?:the )?(?:correct|right|best|true|supported|accurate|valid|appropriate|answer)|"
    r"rul(?:e|es|ed) (?:it |this |him |her |them )?out|eliminated?|unsupported|contradicted|inaccurate|invalid|"
    r"excluded|rejected|out",
    "ko": r"오답|아닙니다|아니다|아님|탈락|제외|부적절|틀림|틀렸|틀린|배제|불가",
    "es": r"incorrect[oa]|fals[oa]|descartad[oa]|no", "de": r"falsch|unzutreffend|ausgeschlossen|nein|nicht|"
    r"scheidet aus",
    "fr": r"incorrecte?|faux|fausse|exclue?|éliminée?|non", "nl": r"onjuist|fout|nee|valt (?:ook )?af|verkeerd",
    "tr": r"yanlış|hayır|elenir|elendi", "ca": r"incorrect[ea]|fals[ae]?|descartad[ae]",
    "zh": r"错误|不正确|不对|排除|不符", "ja": r"不正解|誤り|間違い|不適切|除外",
}  # fmt: skip
GOOD_MARKS, BAD_MARKS = "[✓✔✅⭕○◯☑👍]", "[✗✘❌✕✖☒👎×]"
