"""Words by which a clause does something other than state: contrasts, corrects, supposes, weighs, quotes, rejects."""

from __future__ import annotations

from counterfoil.reading.words.tables import Table

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
# At the head of a clause that ends with a comma, and is granted.
CONCEDES: Table = {
    "en": "although|though|while|whereas|even though|even if|despite|given that", "es": "aunque|mientras que|si bien",
    "de": "obwohl|während|auch wenn", "fr": "bien que|même si|alors que", "nl": "hoewel|terwijl|ook al",
    "ca": "encara que|tot i que|mentre que",
}  # fmt: skip
# At the end of a clause: what was said is granted, and something else follows.
GRANTED: Table = {"ko": "지만|으나|는데|인데|더라도", "ja": "ですが|ますが|だが|のに|けど"}

# What was said before is taken back, or looked at again.
CORRECTS: Table = {
    "en": r"wait|actually|correction|sorry|apologi[sz]e|(?:my )?apologies|oops|hold on|scratch that|strike that|"
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
    "es": "espera|un momento|en realidad|disculpa|perdón|perdona|corrijo|corrección|me equivoqué|me he equivocado|"
    "mejor dicho|"
    "quise decir|"
    "pensándolo (?:bien|mejor)|rectifico|quiero decir|no, mejor",
    "de": "moment|warte|stopp|pardon|ich revidiere|ich nehme das zurück|eigentlich|korrektur|entschuldigung|verzeihung|"
    "ich korrigiere|ich habe mich geirrt|ich meine|"
    "ich meinte|genauer betrachtet|bei genauerem hinsehen|nein, doch|doch nicht|sorry|halt",
    "fr": "attendez|attends|en fait|en réalité|pardon|correction|je me corrige|je me suis trompée?|je voulais dire|"
    "après réflexion|à la réflexion|plutôt|désolée?",
    "nl": "wacht|ho even|momentje|excuses|eigenlijk|correctie|sorry|ik corrigeer|ik heb me vergist|ik bedoel(?:de)?|"
    "bij nader inzien|"
    "toch niet|pardon",
    "tr": "bekle|dur|hayır,? aslında|kusura bakma\\w*|bir (?:dakika|saniye)|aslında|düzeltiyorum|düzeltme|pardon|"
    "özür dilerim|yanlış söyledim|yanıldım|demek istedim|"
    "tekrar düşününce|yeniden düşününce",
    "ca": "espera|un moment|en realitat|perdó|disculpa|rectifico|correcció|m'he equivocat|volia dir|vull dir|"
    "millor dit|pensant-ho bé",
    "zh": "等等|等一下|稍等|不对|更正|抱歉|对不起|纠正|我错了|我搞错|说错|重新(?:考虑|思考|看|审视|计算)|再想|"
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
    "es": "a menudo se|mucha gente|la gente|muchos (?:piensan|creen|dirían)|algunos (?:piensan|creen|dirían)|se suele|"
    "estereotip\\w+|erróneamente",
    "de": "oft (?:gedacht|angenommen|verwechselt|gehalten)|viele (?:denken|glauben|meinen|würden)|manche (?:denken|"
    "meinen)|"
    "häufig|fälschlich\\w*|stereotyp\\w*|klischee\\w*",
    "fr": "souvent|beaucoup (?:pensent|croient)|certains (?:pensent|diraient)|on croit|à tort|stéréotyp\\w+",
    "nl": "vaak (?:gedacht|verward|aangenomen)|veel mensen|velen|mensen denken|sommige mensen|sommigen|"
    "stereotype\\w*|ten onrechte",
    "tr": "sıkça|(?:çoğu|birçok|bazı) (?:kişi|insan)|genellikle|bazıları|yanlışlıkla|kalıp ?yargı\\w*|sanılır",
    "ca": "sovint|molta gent|la gent|molts (?:pensen|creuen|pensarien|dirien)|alguns (?:pensen|dirien|pensarien)|"
    "estereotip\\w+|erròniament",
    "zh": "很多人|许多人|不少人|有人|有些人|人们|通常认为|常被|刻板印象|误以为|误认为|偏见",
    "ja": "よく.{0,6}(?:間違|誤解|思われ)|(?:と|って)(?:思う|考える|答える|言う)人|と思われがち|多くの人|一般に|"
    "一般的に|誤って|ステレオタイプ|偏見|先入観",
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
