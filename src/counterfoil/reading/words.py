"""Words by which a clause does something other than state: one table for each idea, one row for each language.

A row is a regular expression for text in lower case. To add a language, add its row to the tables, and write
labelled replies in it for the tests. Rows in Latin letters are looked for as whole words, the others anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Table = Mapping[str, str]
_OTHER_SCRIPTS = ("ko", "zh", "ja")

# Between two clauses, at the head of the second: what follows stands against what was said.
CONTRAST: Table = {
    "en": "but|however|whereas|while|although|though|yet|nevertheless|instead|rather|in contrast|on the other hand",
    "ko": "하지만|그러나|그렇지만|반면에?|다만|그런데",
    "es": "pero|sino|mientras que|aunque|sin embargo|en cambio",
    "de": "aber|sondern|während|obwohl|jedoch|allerdings|dagegen|hingegen",
    "fr": "mais|tandis que|alors que|bien que|cependant|pourtant|toutefois|en revanche",
    "nl": "maar|terwijl|hoewel|echter|daarentegen",
    "tr": "ama|ancak|fakat|oysa|halbuki|buna karşın",
    "ca": "però|sinó|mentre que|encara que|tanmateix|en canvi",
    "zh": "但是|但|而是|然而|不过|可是|虽然",
    "ja": "しかし|けれども|けれど|だが|ただし|一方で?",
}
# At the end of a clause: what was said is granted, and something else follows.
# At the head of a clause that ends with a comma, and is granted.
CONCEDES: Table = {
    "en": "although|though|while|whereas|even though|even if|despite|given that", "es": "aunque|mientras que|si bien",
    "de": "obwohl|während|auch wenn", "fr": "bien que|même si|alors que", "nl": "hoewel|terwijl|ook al",
    "ca": "encara que|tot i que|mentre que",
}  # fmt: skip
GRANTED: Table = {"ko": "지만|으나|는데|인데|더라도", "ja": "ですが|ますが|だが|のに|けど"}

# What was said before is taken back, or looked at again.
CORRECTS: Table = {
    "en": r"wait|actually|correction|sorry|apologi[sz]e|my apologies|oops|hold on|scratch that|strike that|"
    r"my mistake|my bad|"
    r"on (?:second|further) (?:thought|reflection)|on re-?(?:reading|reflection|consideration)|"
    r"let me (?:correct|re-?\w+|double|revise|fix|take that back)|i (?:have )?made (?:a|"
    r"an) (?:\w{1,15} )?(?:mistake|error)|"
    r"i (?:misread|misspoke|was wrong|meant|take (?:that|it) back|stand corrected|change my (?:mind|answer))|i mean|"
    r"changing my answer|make that|no,? it(?:'s| is)|thinking (?:again|about it (?:again|more))|"
    r"looking (?:again|closer)|"
    r"upon (?:re-?\w+|closer \w+|further \w+)|in fact,? no|edit:",
    "ko": r"정정|다시 (?:보니|생각|읽어|검토|살펴|확인|따져|계산)|잘못 ?(?:봤|말|골랐|읽|생각|이해|적|계산|답)|"
    r"아니(?:요|오)?[,.]? (?:다시|잠깐|잠시|정답|답)|"
    r"아,|앗|잠깐(?:만)?(?:요)?|잠시만|죄송(?:합니다|해요)?|실수|수정(?:합니다|하겠|하면)|바꾸겠|번복|아니다",
    "es": "espera|en realidad|perdón|perdona|corrijo|corrección|me equivoqué|me he equivocado|mejor dicho|"
    "quise decir|"
    "pensándolo (?:bien|mejor)|rectifico|quiero decir|no, mejor",
    "de": "moment|warte|ich revidiere|ich nehme das zurück|eigentlich|korrektur|entschuldigung|verzeihung|"
    "ich korrigiere|ich habe mich geirrt|ich meine|"
    "ich meinte|genauer betrachtet|bei genauerem hinsehen|nein, doch|doch nicht|sorry|halt",
    "fr": "attendez|attends|en fait|en réalité|pardon|correction|je me corrige|je me suis trompée?|je voulais dire|"
    "après réflexion|à la réflexion|plutôt|désolée?",
    "nl": "wacht|eigenlijk|correctie|sorry|ik corrigeer|ik heb me vergist|ik bedoel(?:de)?|bij nader inzien|"
    "toch niet|pardon",
    "tr": "bekle|bir dakika|aslında|düzeltiyorum|düzeltme|pardon|özür dilerim|yanlış söyledim|yanıldım|demek istedim|"
    "tekrar düşününce|yeniden düşününce",
    "ca": "espera|en realitat|perdó|rectifico|correcció|m'he equivocat|volia dir|vull dir|millor dit|pensant-ho bé",
    "zh": "等等|等一下|不对|更正|抱歉|对不起|纠正|我错了|我搞错|说错|重新(?:考虑|思考|看|审视|计算)|再想|"
    "仔细想|其实应该",
    "ja": "待って|待てよ|いや、?|いえ|訂正|すみません|失礼|間違え|考え直|やっぱり|やはり、|見直す|改めて",
}
# What is said is supposed: "if it were A".
SUPPOSES: Table = {
    "en": r"if|suppose|supposing|assuming|assume|unless|had (?:we|i|you|it)|were (?:we|it)|whether|would have(?! to)",
    "ko": "만약|만일|가정하|(?:이|하|였|았|었)다면|(?<!고르)(?<!꼽으)라면",
    "es": "si|suponiendo|supongamos|a menos que",
    "de": "wenn|falls|angenommen|ob|sofern",
    "fr": "si|s'il|supposons|en supposant|à moins que",
    "nl": "als|indien|stel dat|tenzij",
    "tr": "eğer|varsayalım|diyelim ki|olsaydı",
    "ca": "si|suposant|suposem|tret que",
    "zh": "如果|假如|假设|要是|若",
    "ja": "もし|仮に|なら(?:ば)?|とすれば|とすると",
}
# What is said is thought over, not decided.
WEIGHS: Table = {
    "en": r"might|may|maybe|perhaps|possibly|could|at first|initially|at first glance|tempting|tempted|"
    r"one could|one might|"
    r"seemingly|let's (?:consider|check|look|see|try|examine|evaluate|go through|start)|consider(?:ing)?|"
    r"on the one hand|"
    r"i (?:was|am) (?:torn|leaning)|hmm+",
    "ko": "처음에|처음엔|얼핏|언뜻|일반적으로|보통은|일 ?수도|수도 있|가능성도|을까|일까|ㄹ까|살펴보|검토해|따져 ?보",
    "es": "podría|podrían|quizás?|tal vez|a lo mejor|en principio|a primera vista|consideremos|veamos|posiblemente",
    "de": "könnte|könnten|vielleicht|möglicherweise|zunächst|zuerst|anfangs|auf den ersten blick|betrachten wir|"
    "prüfen wir|eventuell",
    "fr": "pourrait|peut-être|à première vue|au premier abord|d'abord|considérons|examinons|possiblement",
    "nl": "zou kunnen|kan zijn|misschien|mogelijk|op het eerste gezicht|aanvankelijk|laten we|wellicht",
    "tr": "olabilir|belki|ilk bakışta|muhtemelen mi|başta|düşünelim|inceleyelim",
    "ca": "podria|potser|tal vegada|a primera vista|d'entrada|considerem|vegem",
    "zh": "可能|也许|或许|乍看|起初|一开始|我们(?:来)?看|考虑",
    "ja": "かもしれ|一見|最初は|もしかすると|検討|考えてみ|でしょうか",
}
# What others say, or is commonly thought.
QUOTES: Table = {
    "en": r"often (?:thought|assumed|believed|mistaken|confused|cited|said)|(?:commonly|widely|popularly|"
    r"mistakenly|wrongly|"
    r"sometimes|usually) (?:thought|assumed|believed|mistaken|confused|cited|said|associated)|"
    r"(?:many|some|most|other) (?:people|students|readers|might|may|would|could|will|say|think|believe|assume|argue)|"
    r"people (?:often|may|might|sometimes|tend|think|assume)|stereotyp\w+|common (?:misconception|"
    r"mistake|assumption|error)|"
    r"misconception|you (?:might|may) (?:think|assume|expect)|a (?:classmate|colleague|friend)|it is tempting",
    "ko": "흔히|종종|많은 ?사람|어떤 ?사람|일부는|고정 ?관념|편견|오해|착각|혼동|통념|사람들은",
    "es": "a menudo se|muchos (?:piensan|creen|dirían)|algunos (?:piensan|creen|dirían)|se suele|"
    "estereotip\\w+|erróneamente",
    "de": "oft (?:gedacht|angenommen|verwechselt|gehalten)|viele (?:denken|glauben|meinen|würden)|manche (?:denken|"
    "meinen)|"
    "häufig|fälschlich\\w*|stereotyp\\w*|klischee\\w*",
    "fr": "souvent|beaucoup (?:pensent|croient)|certains (?:pensent|diraient)|on croit|à tort|stéréotyp\\w+",
    "nl": "vaak (?:gedacht|verward|aangenomen)|veel mensen|sommigen|stereotype\\w*|ten onrechte",
    "tr": "sıkça|çoğu (?:kişi|insan)|genellikle|bazıları|yanlışlıkla|kalıp ?yargı\\w*|sanılır",
    "ca": "sovint|molts (?:pensen|creuen)|alguns (?:pensen|dirien)|estereotip\\w+|erròniament",
    "zh": "很多人|许多人|有人|有些人|通常认为|常被|刻板印象|误以为|误认为|偏见",
    "ja": "よく.{0,6}(?:間違|誤解|思われ)|多くの人|一般に|一般的に|誤って|ステレオタイプ|偏見|先入観",
}
# It is said not to be so.
REJECTS: Table = {
    "en": r"not|\w+n't|n't|cannot|never|neither|nor|incorrect|wrong|false|unlikely|ruled? out|eliminat\w+|exclud\w+|"
    r"rather than|instead of|other than|no longer|nothing|unsupported|inaccurate|invalid|irrelevant|"
    r"contradict\w*|inconsistent|(?:is|are) (?:also |both )?(?:out|gone|off the table)",
    "ko": "아니(?!면)|아닌|아닙|아님|않|틀리|틀린|틀렸|틀림|오답|제외|부적절|배제|없(?:다|습|음|어|고|으)",
    "es": "no|nunca|tampoco|ni|incorrect[oa]s?|fals[oa]s?|descart\\w+|en lugar de|en vez de|excluy\\w+",
    "de": "nicht|kein\\w*|nie|weder|noch|falsch|unrichtig|ausgeschlossen|ausschließ\\w+|scheidet aus|statt|anstatt",
    "fr": "ne|n'|pas|jamais|ni|incorrecte?s?|fauss?e?s?|faux|exclu\\w*|élimin\\w+|au lieu de|plutôt que",
    "nl": "niet|geen|nooit|noch|onjuist|fout|verkeerd|uitgesloten|valt (?:ook )?af|in plaats van",
    "tr": "değil\\w*|yanlış|hayır|olamaz|elen\\w+|yerine|hatalı",
    "ca": "no|mai|tampoc|ni|incorrect[ea]s?|fals[ae]?s?|descart\\w+|en lloc de",
    "zh": "不是|不对|不正确|错误|并非|不符|排除|没有|不能|不会|而非",
    "ja": "ではな|じゃな|でな|ません|誤り|間違い|不正解|除外|ない",
}

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
    "de": r"und sage|ich (?:wähle|nehme|entscheide mich für|würde|tippe auf|bleibe bei|antworte|sage|"
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
    "tr": r"(?:demek (?:en )?doğru\w*|doğru|seçeneği|şıkkı|'?(?:dır|dir|dur|dür|tır|tir|tur|tür))",
    "ca": r"(?:és|seria|era)(?: la| el)? ?(?:correct[ea]|resposta|qui|la que)",
    "zh": r"(?:是|为)?(?:正确|對的|对的|答案)|(?:最)?(?:符合|合适|恰当)",
    "ja": r"(?:です|だ|である|が(?:妥当|適切|答え|最も)|が正解|が正しい|となります|になります|でした|だった|"
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
# The text does not tell, said in other words than those of the choice "unknown". English and Korean: `unknown.py`.
UNTOLD: Table = {
    "es": r"no (?:se )?(?:puede|puedo|podemos|es posible|cabe|permite)(?: \w+){0,2}? (?:saber|determinar|decir|afirmar|"
    r"concluir|inferir|deducir)\w*|no (?:se )?(?:sabe|sabemos|indica|menciona|dice|especifica|aclara|precisa)|"
    r"(?:faltan?|no hay|sin|no (?:se )?(?:da|dan|ofrece|proporciona))(?: \w+)? (?:información|datos|pruebas|evidencia|"
    r"indicios)|información insuficiente|datos insuficientes|no (?:queda|está) claro|imposible (?:saber|determinar)\w*|"
    r"indeterminad[oa]",
    "de": r"(?:lässt|läßt) sich(?: \w+){0,5}? nicht (?:sagen|feststellen|bestimmen|beantworten|ermitteln|entscheiden)|"
    r"nicht (?:zu )?(?:bestimm\w+|beantwort\w+|feststell\w+|bekannt|klar|ersichtlich|genannt|angegeben|erwähnt|"
    r"entscheiden|sagen)|geht(?: \w+){0,5}? nicht hervor|(?:keine|zu wenig|fehlende|nicht genug|nicht genügend|"
    r"unzureichende)(?: \w+)? (?:information\w*|angaben?|hinweise?|daten|aussage)|unklar|unbekannt|"
    r"wissen(?: wir)? nicht|"
    r"weiß man(?: \w+)? nicht|(?:sagt|verrät|nennt)(?: \w+){0,4} nicht",
    "fr": r"(?:on )?ne (?:peut|peux|permet|permettent|sait|précise|dit|mentionne|indique|donne)(?: \w+){0,3}? pas|"
    r"impossible (?:de|à) (?:savoir|déterminer|dire|trancher)|pas (?:assez|suffisamment) d'(?:informations?|éléments|"
    r"indices)|(?:informations?|données) insuffisantes?|aucune (?:information|indication|précision)|indéterminé|"
    r"rien (?:n'|ne )\w+",
    "nl": r"(?:is|valt|kan|kunnen)(?: \w+){0,4}? niet (?:te )?(?:bepalen|zeggen|weten|vast te stellen|vaststellen|"
    r"bekend|"
    r"duidelijk|vermeld|achterhalen)|niet (?:bekend|duidelijk|vermeld|genoemd|te bepalen|te zeggen|op te maken)|weten"
    r"(?: we)?(?: het)? niet|(?:onvoldoende|te weinig|geen|niet genoeg)(?: \w+)? (?:informatie|gegevens|aanwijzing\w*)|"
    r"onduidelijk|onbekend|staat(?: er)?(?: \w+){0,4}? (?:niet|niets)|zegt(?: \w+){0,4}? niets?",
    "tr": r"(?:belirtilm|bilinm|söylenm|açıklanm|verilm)\w*|belli değil|bilgi (?:yok|yetersiz|bulunm\w+)|"
    r"(?:yeterli|yeterince) (?:bilgi|kanıt)\w*(?: \w+)? (?:yok|bulunm\w+|verilm\w+)|bilinemez|belirlenemez|"
    r"anlaşıl[ma]\w+|kesin (?:olarak )?(?:söylenemez|bilinemez)|belirsiz|yetersiz bilgi|bilemeyiz|bilemiyoruz|"
    r"söyleyemeyiz",
    "ca": r"no (?:es |se )?(?:pot|podem|sap|sabem|diu|indica|especifica|menciona|aclareix)(?: \w+)?|(?:falten|no hi ha|"
    r"manquen)(?: \w+)? (?:dades|informació|proves)|informació insuficient|indeterminat|no queda clar",
    "zh": r"无法(?:判断|确定|得知|知道|推断|回答|得出|断定)|不能(?:判断|确定|得知|断定|推断)|没有(?:说明|提到|提及|"
    r"交代|足够|提供|明确|给出|写|"
    r"任何(?:信息|证据|线索))|(?:信息|证据|线索|依据)不足|(?:未|没)(?:说明|提及|提到|交代|给出)|不(?:清楚|确定|"
    r"得而知|明确)|未知|看不出|说不准|不知道",
    "ja": r"(?:分|わ)か(?:らな|りませ|りかね)|判断(?:でき|がつか|は?でき)(?:な|ませ)|特定でき(?:な|ませ)|情報(?:が|"
    r"は)(?:不足|足り|不十分|ありませ|な)|"
    r"不明|書かれていな|書かれていませ|(?:述べ|示さ|明記さ|触れ)(?:ら)?れてい(?:な|ませ)|(?:とも)?言えな|"
    r"(?:とも)?言えませ|断定でき(?:な|ませ)|決められ(?:な|ませ)",
}
# The reply declines to answer. English and Korean: `unknown.py`.
REFUSES: Table = {
    "es": r"no puedo (?:ayudar|responder|contestar|participar|atender)\w*|no debo (?:responder|contestar)",
    "de": r"kann(?: ich)?(?: \w+){0,4} nicht (?:helfen|beantworten|antworten|behilflich)|"
    r"möchte(?: ich)?(?: \w+){0,4} nicht "
    r"(?:antworten|beantworten)",
    "fr": r"je ne (?:peux|puis|saurais|souhaite) pas (?:répondre|vous aider|aider|participer)",
    "nl": r"kan ik(?: \w+){0,4} niet (?:helpen|beantwoorden|antwoorden)|ik kan(?: \w+){0,4} niet (?:helpen|"
    r"beantwoorden)",
    "tr": r"yardımcı olamam|cevap veremem|yanıtlayamam|cevaplayamam|yanıt veremem",
    "ca": r"no puc (?:ajudar|respondre|contestar)\w*",
    "zh": r"我?(?:无法|不能|不便)(?:回答这|协助|提供帮助|帮助|作答)",
    "ja": r"お答え(?:でき|する(?:こと)?(?:が|は)でき)|お手伝いでき|応じ(?:られ|かね|ること)|お答えしかね",
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
    "tr": r"(?:seçeneği |şıkkı )?(?:değil\w*|yanlış\w*|olamaz|elen\w+)",
    "ca": r"no (?:és|era)|és (?:incorrect\w+|fals\w+)|queda descartad\w+",
    "zh": r"(?:选项)?(?:不对|不正确|错误|不是|不符|可以?排除|被排除)",
    "ja": r"(?:では|じゃ|で)(?:な|あり)|は(?:誤り|不正解|間違|取り下げ|撤回)|を?除外",
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

# Words that are frequent in a language in Latin letters, and no English words; and words for an answer.
FREQUENT: Table = {
    "es": "el los las una del que por para es son está respuesta opción porque según puede fue quien pero como más",
    "de": "der das ein eine und ist sind nicht mit auf antwort richtige weil wird auch dass kann lösung nur aber ich",
    "fr": "le les une du est sont que qui pour dans avec réponse parce cette peut était bonne mais pas ce je donc",
    "nl": "de het een niet voor zijn antwoord juiste omdat wordt ook dat kan dus keuze ik maar er geen werd iets aan",
    "tr": "bir ve bu için değil cevap doğru seçenek çünkü olarak yanıt göre daha ile kim hangisi cevabı yok olabilir",
    "ca": "els les una del que per amb és són resposta opció perquè segons pot era correcta aquesta però més doncs",
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
        spoken += [language for language, script in _SCRIPTS if script.search(lower)]
    return tuple(spoken)


def either(table: Table, languages: Iterable[str] | None = None) -> str:
    """One expression for some languages of a table, or all: whole words in Latin letters, the others anywhere."""
    rows = {language: table[language] for language in languages or table if language in table}
    latin = "|".join(row for language, row in rows.items() if language not in _OTHER_SCRIPTS)
    others = "|".join(row for language, row in rows.items() if language in _OTHER_SCRIPTS)
    return "|".join(part for part in (rf"(?<!\w)(?:{latin})(?!\w)" if latin else "", others) if part) or "(?!)"
