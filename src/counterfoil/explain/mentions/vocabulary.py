"""Small closed sets of English words that the rules of reading go by, folded as the words of a text are."""

from __future__ import annotations

from counterfoil.explain.mentions.words import fold


def folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


FUNCTION_WORDS = folded(
    "a an the and or nor but of in on at to by for from with without as than that this these those it its is was "
    "are were be been being not no so if while when although though however because since who whom whose which what "
    "where how why he she they we you his her their our your my i some many most other others another one both all "
    "any each every also only just even then thus therefore there here such like unlike instead rather similarly "
    "finally next additionally furthermore moreover meanwhile despite after before during between among about did "
    "does do had has have can could may might will would should must yes answer correct incorrect neither either "
    "perhaps maybe probably actually indeed"
)
TITLES = folded(
    "sir dame lord lady dr prof professor mr mrs ms miss king queen prince princess emperor empress pope saint st "
    "president senator general colonel major captain lieutenant sergeant admiral inspector detective judge justice "
    "reverend father sister brother bishop archbishop cardinal baron baroness count countess duke duchess earl "
    "minister chancellor governor mayor prophet apostle coach chef uncle aunt"
)
# What kind of thing a name stands for; people drop it: "Windsor" is Windsor Castle.
KINDS = folded(
    "river lake mount mountain mountains island islands isle park county city town village borough district "
    "province sea ocean bay gulf strait canal valley desert forest peninsula cape falls castle palace cathedral "
    "church abbey bridge tower street road avenue square station airport stadium racecourse university college "
    "museum zoo class family dynasty empire club"
)
COMPASS = folded("north south east west northern southern eastern western central")
_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(map(fold, _MONTHS.split()))
MONTH_NUMBERS = {key: n for n, key in enumerate(MONTHS, 1)} | {name[:3]: n for n, name in enumerate(_MONTHS.split(), 1)}
_SHARE = "percent percentage"
_TIME = "year month week day hour minute second century decade"
_LENGTH = "mile kilometer kilometre km meter metre cm mm foot inch yard"
_SPEED = "mph kph kmh knot mile kilometer kilometre km meter metre"
_WEIGHT = "kg kilogram gram pound ounce ton tonne"
_HEAT = "degree celsius fahrenheit"
UNITS = folded(
    f"{_SHARE} {_TIME} {_LENGTH} {_SPEED} {_WEIGHT} {_HEAT} time acre hectare liter litre gallon dollar euro cent "
    "million billion trillion thousand hundred am pm bc ad bce ce"
)
# The units in which a question can be answered, by the words that ask for it; the first only behind "how".
UNITS_AFTER_HOW = {
    word: folded(units)
    for words, units in (
        ("old", _TIME),
        ("long", f"{_TIME} {_LENGTH}"),
        ("far tall high deep wide thick big large", _LENGTH),
        ("fast", _SPEED),
        ("heavy", _WEIGHT),
        ("hot cold warm", _HEAT),
    )
    for word in folded(words)
}
UNITS_ASKED_FOR = {
    word: folded(units)
    for words, units in (
        ("age duration", _TIME),
        ("height length distance depth width altitude elevation", _LENGTH),
        ("speed velocity", _SPEED),
        ("weight mass", _WEIGHT),
        ("temperature", _HEAT),
        ("percentage percent proportion fraction", _SHARE),
        ("angle", "degree"),
        ("year when", "ad ce"),
        ("cost price worth salary budget revenue income fee much", "dollar euro cent pound"),
    )
    for word in folded(words)
}
# "Season 2" numbers a season: it does not say that there are two of anything.
NUMBERED = folded(
    "season episode series chapter verse volume part step page figure version section paragraph alternative answer "
    "option clarification example point note reason misconception choice question item table day week round"
)
ARTICLES = folded("the a an")
# Small words inside names: Ludwig van Beethoven is Beethoven, Leonardo da Vinci is Da Vinci.
NAME_PARTICLES = folded("van von der den de del della di da dos das du la le ter zu bin ibn al el")
BEFORE_OTHER_NAMES = folded("north south east west new")
# A bare noun after one of these names a thing: "or curling", "think that curling"; "a different sport" does not.
BEFORE_BARE_NOUNS = folded("and or not than that like as is was with called")
BEFORE_VERBS = folded("to can could will would may might must should cannot they we i you")
# A verb with an s stands before these, and no noun in the plural does.
BEHIND_VERBS = folded("the a an to his her its their this that")
# What has a name is asked for with these, beside KINDS.
NAMED = folded("who whom whose where country nation state capital continent language planet company")
# After these, "to" comes before a noun: "compared to glass".
BEFORE_TO_NOUN = folded(
    "compared similar close closer related relative opposed due refer refers referring referred belong belongs "
    "limited next equal prior according identical attributed back switch switched turn turned changed change point "
    "points lead leads led apply applies from and or as"
)
# What is said of a people as of its country.
TEAMS = folded("people team side squad eleven victory win defeat players national government army troops forces navy")
BEHIND_PEOPLE = folded(
    "second third fourth fifth last first won lost beat came went took got made held fought left led ran finished "
    "reached played"
)
COUNTRIES = folded("country nation team nationality side state power empire winner won host")
PERSONS = folded(
    "character person man woman sister brother author writer poet painter artist composer singer actor actress "
    "scientist physicist philosopher president king queen emperor wife husband born wrote inventor explorer "
    "player leader real birth"
)
# Behind a name, these make the name of something else: the Washington Post, the Sydney Opera House, Paris Hilton.
THINGS = folded(
    "post times globe herald tribune journal gazette news magazine opera house hall hotel hilton airport university "
    "college school institute museum orchestra symphony philharmonic festival marathon convention treaty accord "
    "agreement protocol conference summit declaration prize award medal cup open bank exchange bridge tower street "
    "avenue square road station line wall fc united rovers wanderers athletic yankees mets cubs bulls lakers giants "
    "jets rangers bears eagles act law effect theorem principle equation formula constant scale disease syndrome "
    "memorial monument foundation society corporation company records studios pictures press review games olympics"
)
# Between a number and what is counted, these leave it the same.
NEUTRAL = folded(
    "total different standard individual separate distinct whole such more main major official overall full regular "
    "known actual active recognized"
)
# Verbs that look like nouns in the plural behind a number: "7 fits".
VERBS = folded(
    "says has was makes gives means fits counts remains leaves comes goes seems looks sounds works needs stands"
)
WORDS_AS_NAMES = folded(
    "will rich art mark drew grant may gene sandy pat rob bob dot sue max al kit gil hank mo si sol ray"
)
