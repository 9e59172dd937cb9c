"""What things are called otherwise: short first names, peoples of countries, time zones, formulas. Only tables."""

from __future__ import annotations

from counterfoil.explain.mentions.words import fold, keys_of

# Each line: first names that are one and the same person's.
_FIRST_NAMES = """
abraham abe | albert al bert bertie | alexander alex alec sandy sasha | alfred alf fred alfie | amanda mandy |
andrew andy drew | anthony antony tony | archibald archie | arthur art artie | barbara barb babs | barnabas barney |
benjamin ben benny benji | bernard bernie | bradley brad | calvin cal |
catherine katherine kathryn kate cathy kathy katie kitty | charles charlie chuck chas carl |
christina chris tina chrissy | christopher chris kit | clifford cliff | cornelius neil | daniel dan danny |
david dave davy | deborah debbie deb | dominic dom nick | donald don donnie | dorothy dot dottie dolly |
douglas doug | dwight ike | edgar ed eddie | edmund ed eddie ned | edward ed eddie ned ted teddy | edwin ed eddie |
eleanor ellie nell nellie | elizabeth liz lizzie beth betty bess eliza lisa libby bessie | emily em emmy |
eugene gene | florence flo flossie | frances fran fanny | francis frank | franklin frank |
frederick fred freddie freddy fritz | gabriel gabe | gerald gerry jerry | geoffrey geoff jeff | george georgie |
gilbert gil bert | gregory greg | harold harry hal | helen nell | henry harry hank hal | herbert herb bert |
howard howie | hubert bert | isaac ike | jacob jake | jacqueline jackie | james jim jimmy jamie | jane jenny janey |
janet jan | jeffrey jeff | jennifer jen jenny | jeremiah jerry | jerome jerry | jessica jess jessie | joan joanie |
john jack johnny jon | jonathan jon | joseph joe joey | josephine jo josie | joshua josh | judith judy |
kenneth ken kenny | laurence lawrence larry | leonard len lenny leo | leslie les | lewis louis lou louie |
lillian lily | louise lou | lucille lucy | lyndon lbj | malcolm mal |
margaret maggie meg peg peggy marge madge rita greta | martha marty | martin marty | mary molly polly |
matthew matt | maurice mo | maximilian max | michael mike mick mickey micky | mildred millie | montgomery monty |
nathaniel nathan nate nat | nathan nate nat | nicholas nick nicky | norman norm | oliver ollie | oscar ozzy |
oswald ozzie | pamela pam | patricia pat patty tricia trish | patrick pat paddy | peter pete | philip phil pip |
rachel rae | ralph rafe | randolph randy | raymond ray | rebecca becky | reginald reg reggie |
richard dick rick ricky rich | robert bob bobby rob robbie bert | roderick rod rick | rodney rod | roger rodge |
ronald ron ronnie | rosemary rose rosie | rudolph rudy | russell russ | samantha sam | samuel sam sammy |
sarah sally sadie | sebastian seb | sidney sid | silvester sly | simon si | solomon sol | stanley stan |
stephen steven steve | stuart stu | susan sue susie suzy | sylvester sly | terence terry | theodore ted teddy theo |
theresa teresa terry tess | thomas tom tommy | timothy tim timmy | tobias toby | ulysses sam | valerie val |
vernon vern | victor vic | victoria vicky | vincent vince vinnie | virginia ginny | vladimir vlad |
walter walt wally | wilfred fred wilf | wilhelm will willy | william bill billy will willie willy liam wm |
winifred winnie | winston winnie | zachary zach zack
"""
# Each line: a country, then its people as nouns and adjectives; the plurals with an s go without saying.
_PEOPLES = """
United_Kingdom British Briton | United_States American | Soviet_Union Soviet | New_Zealand Kiwi | South_Korea Korean |
Afghanistan Afghan | Albania Albanian | Algeria Algerian | Argentina Argentine Argentinian Argentinean |
Armenia Armenian | Australia Australian Aussie | Austria Austrian | Azerbaijan Azerbaijani |
Bangladesh Bangladeshi | Belarus Belarusian | Belgium Belgian | Bolivia Bolivian | Brazil Brazilian |
Britain British Briton | Bulgaria Bulgarian | Cambodia Cambodian | Cameroon Cameroonian | Canada Canadian |
Chile Chilean | China Chinese | Colombia Colombian | Croatia Croatian Croat | Cuba Cuban | Cyprus Cypriot |
Czechia Czech | Denmark Danish Dane | Ecuador Ecuadorian | Egypt Egyptian | England English Englishman Englishmen |
Estonia Estonian | Ethiopia Ethiopian | Finland Finnish Finn | France French Frenchman Frenchmen |
Georgia Georgian | Germany German | Ghana Ghanaian | Greece Greek | Hungary Hungarian |
Iceland Icelandic Icelander | India Indian | Indonesia Indonesian | Iran Iranian | Iraq Iraqi |
Ireland Irish Irishman Irishmen | Israel Israeli | Italy Italian | Jamaica Jamaican | Japan Japanese |
Jordan Jordanian | Kazakhstan Kazakh | Kenya Kenyan | Latvia Latvian | Lebanon Lebanese | Libya Libyan |
Lithuania Lithuanian | Malaysia Malaysian | Malta Maltese | Mexico Mexican | Mongolia Mongolian Mongol |
Morocco Moroccan | Nepal Nepali Nepalese | Netherlands Dutch Dutchman Dutchmen | Holland Dutch | Nigeria Nigerian |
Norway Norwegian | Pakistan Pakistani | Panama Panamanian | Paraguay Paraguayan | Peru Peruvian |
Philippines Filipino Philippine | Poland Polish Pole | Portugal Portuguese | Romania Romanian | Russia Russian |
Scotland Scottish Scot | Senegal Senegalese | Serbia Serbian Serb | Slovakia Slovak Slovakian |
Slovenia Slovenian Slovene | Spain Spanish Spaniard | Sudan Sudanese | Sweden Swedish Swede | Switzerland Swiss |
Syria Syrian | Thailand Thai | Tunisia Tunisian | Turkey Turkish Turk | Ukraine Ukrainian | Uruguay Uruguayan |
Venezuela Venezuelan | Vietnam Vietnamese | Wales Welsh Welshman | Yugoslavia Yugoslav Yugoslavian
"""
# Each line: one thing's names.
_THINGS = """
Pacific Time Zone; Pacific Time; Pacific Standard Time; Pacific Daylight Time; PST; PDT; PT |
Mountain Time Zone; Mountain Time; Mountain Standard Time; Mountain Daylight Time; MST; MDT; MT |
Central Time Zone; Central Time; Central Standard Time; Central Daylight Time; CST; CDT; CT |
Eastern Time Zone; Eastern Time; Eastern Standard Time; Eastern Daylight Time; EST; EDT; ET |
Atlantic Time Zone; Atlantic Time; Atlantic Standard Time; AST |
Alaska Time Zone; Alaska Time; Alaska Standard Time; AKST; AKT | Greenwich Mean Time; GMT |
Coordinated Universal Time; UTC | Central European Time; CET | Eastern European Time; EET |
Western European Time; WET | Japan Standard Time; JST | Korea Standard Time; KST |
Indian Standard Time; India Standard Time; IST | British Summer Time; BST | Moscow Time; Moscow Standard Time; MSK |
Alabama; AL | Alaska; AK | Arizona; AZ | Arkansas; AR | California; CA | Colorado; CO | Connecticut; CT |
Delaware; DE | Florida; FL | Georgia; GA | Idaho; ID | Illinois; IL | Iowa; IA | Kansas; KS | Kentucky; KY |
Maryland; MD | Michigan; MI | Minnesota; MN | Mississippi; MS | Missouri; MO | Montana; MT | Nebraska; NE |
Nevada; NV | New Hampshire; NH | New Jersey; NJ | New Mexico; NM | New York; NY | North Carolina; NC |
North Dakota; ND | Ohio; OH | Rhode Island; RI | South Carolina; SC | South Dakota; SD | Tennessee; TN |
Texas; TX | Utah; UT | Vermont; VT | Virginia; VA | Washington; WA | West Virginia; WV | Wisconsin; WI |
Wyoming; WY | Ho Chi Minh City; HCMC |
Water; H2O; H₂O | Carbon dioxide; CO2; CO₂ | Carbon monoxide; CO | Methane; CH4; CH₄ | Ammonia; NH3; NH₃ |
Nitrogen; N2; N₂ | Oxygen; O2; O₂ | Hydrogen; H2; H₂ | Ozone; O3; O₃ | Chlorine; Cl2; Cl₂ |
Sodium chloride; NaCl; Table salt | Sulfuric acid; H2SO4; H₂SO₄ | Hydrochloric acid; HCl | Nitrous oxide; N2O; N₂O |
Sulfur dioxide; SO2; SO₂ | Hydrogen peroxide; H2O2; H₂O₂ | Glucose; C6H12O6 | Calcium carbonate; CaCO3; CaCO₃ |
United States; USA; US; United States of America; America; the States | United Kingdom; UK; Great Britain; Britain |
Soviet Union; USSR | United Arab Emirates; UAE | European Union; EU | United Nations; UN | New York City; NYC |
Washington, D.C.; Washington DC; DC |
Johannesburg; Joburg; Jo'burg | Chevrolet; Chevy | Philadelphia; Philly | Las Vegas; Vegas |
New York City; Big Apple; the Big Apple | New Orleans; Big Easy; the Big Easy |
Los Angeles; LA; L.A. | Czech Republic; Czechia | Myanmar; Burma |
Ivory Coast; Côte d'Ivoire | Netherlands; Holland | South Korea; Republic of Korea | North Korea; DPRK |
Mount Everest; Everest | World War I; First World War; Great War | World War II; Second World War |
Beijing; Peking | Mumbai; Bombay | Kolkata; Calcutta | Chennai; Madras | Kyiv; Kiev | Türkiye; Turkey |
John F. Kennedy; JFK | Franklin D. Roosevelt; FDR; Franklin Delano Roosevelt |
Martin Luther King Jr.; Martin Luther King; MLK | Lyndon B. Johnson; LBJ | John Paul II; JPII; JP2
"""


def _groups(table: str, apart: str | None) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in table.split("|"):
        group = [word.strip() for word in line.split(apart) if word.strip()]
        for word in group:
            found[word] = found.get(word, frozenset()) | set(group)
    return found


# The first names, folded, that can stand for one; a short one can be several long ones, a long one is not another.
FIRST_NAMES: dict[str, frozenset[str]] = {}
for _line in _FIRST_NAMES.split("|"):
    _long, *_short = map(fold, _line.split())
    FIRST_NAMES[_long] = FIRST_NAMES.get(_long, frozenset()) | set(_short)
    for _one in _short:
        FIRST_NAMES[_one] = FIRST_NAMES.get(_one, frozenset()) | {_long}
PEOPLES: dict[tuple[str, ...], frozenset[str]] = {}
for _line in _PEOPLES.split("|"):
    _country, *_people = _line.split()
    PEOPLES[tuple(keys_of(_country.replace("_", " ")))] = frozenset(map(fold, _people))
ALL_PEOPLES = frozenset[str]().union(*PEOPLES.values())
_NAMES = {tuple(keys_of(name)): names for name, names in _groups(_THINGS, ";").items()}


def other_names(keys: tuple[str, ...]) -> list[str]:
    """What else the thing with this name is called, as written."""
    return sorted(_NAMES.get(keys, frozenset()))
