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
margaret maggie meg peg peggy marge madge rita greta | martha marty | martin marty | mary molly polly | matthew matt |
maurice mo | maximilian max | michael mike mick mickey micky | mildred millie | montgomery monty |
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
winifred winnie | winston winnie | zachary zach zack | adolf dolf | agnes aggie | aleksandr sasha alex |
alejandro alex ale | alfonso alphonse | amadeus amade | antonio toni tony | augustus gus | bartholomew bart |
beatrice bea trixie | caroline carrie | cecilia celia | clarence clancy | constance connie | cristiano cris |
dmitri mitya dima | dolores lola | ebenezer eben | edson edu | enrique kike | ernest ernie | esther essie |
evelyn evie | ferdinand ferdy nando | fernando nando | francisco paco pancho cisco | franz francis | fyodor fedor |
genevieve gen | georgios george | giovanni gianni | giuseppe beppe pepe | grigori grisha | guadalupe lupe |
guglielmo william | guillermo memo | gustav gus | hans hansi | harriet hattie | heinrich henry heinz |
hermann herman | ignacio nacho | igor gosha | irving irv | isabella bella izzy | ivan vanya | jean-baptiste jean |
johann john johannes hans | johannes jan hans johann | jorge george | jose pepe | josef joseph sepp | juan johnny |
julius jules | karl charles | katarina kate | konstantin kostya | lawrence larry | leonardo leo | leonid lyonya |
leopold leo poldi | lionel leo | luis lou | manuel manolo manny | mikhail misha mike michael mikhael | milton milt |
mohammed muhammad mohamed mo | muhammad mohammed mohamed | napoleon boney | nikita niki | nikola nicola nikolai |
nikolai nicolai nicholas kolya | novak nole | olga olya | orville orv | oskar oscar | otto ottokar |
pavel pasha | pyotr peter petya piotr | rafael rafa raphael | raphael rafael raffaello | ramon ray | roberto berto |
rocco rocky | salvador sal | salvatore sal toto | santiago santi | sergei sergey seryozha | sigmund sigi |
sofia sophie sofya | tatiana tanya | vittorio vito | wilbur will wilb | wolfgang wolfi |
yekaterina catherine katya ekaterina | yuri youri jurij juri | zinedine zizou
"""
# Each line: a country, then its people as nouns and adjectives; the plurals with an s go without saying.
_PEOPLES = """
United_Kingdom British Briton | United_States American | Soviet_Union Soviet | New_Zealand Kiwi | South_Korea Korean |
Afghanistan Afghan | Albania Albanian | Algeria Algerian | Argentina Argentine Argentinian Argentinean |
Armenia Armenian | Australia Australian Aussie | Austria Austrian | Azerbaijan Azerbaijani | Bangladesh Bangladeshi |
Belarus Belarusian | Belgium Belgian | Bolivia Bolivian | Brazil Brazilian | Britain British Briton |
Bulgaria Bulgarian | Cambodia Cambodian | Cameroon Cameroonian | Canada Canadian | Chile Chilean | China Chinese |
Colombia Colombian | Croatia Croatian Croat | Cuba Cuban | Cyprus Cypriot | Czechia Czech | Denmark Danish Dane |
Ecuador Ecuadorian | Egypt Egyptian | England English Englishman Englishmen | Estonia Estonian | Ethiopia Ethiopian |
Finland Finnish Finn | France French Frenchman Frenchmen | Georgia Georgian | Germany German | Ghana Ghanaian |
Greece Greek | Hungary Hungarian | Iceland Icelandic Icelander | India Indian | Indonesia Indonesian | Iran Iranian |
Iraq Iraqi | Ireland Irish Irishman Irishmen | Israel Israeli | Italy Italian | Jamaica Jamaican | Japan Japanese |
Jordan Jordanian | Kazakhstan Kazakh | Kenya Kenyan | Latvia Latvian | Lebanon Lebanese | Libya Libyan |
Lithuania Lithuanian | Malaysia Malaysian | Malta Maltese | Mexico Mexican | Mongolia Mongolian Mongol |
Morocco Moroccan | Nepal Nepali Nepalese | Netherlands Dutch Dutchman Dutchmen | Holland Dutch | Nigeria Nigerian |
Norway Norwegian | Pakistan Pakistani | Panama Panamanian | Paraguay Paraguayan | Peru Peruvian |
Philippines Filipino Philippine | Poland Polish Pole | Portugal Portuguese | Romania Romanian | Russia Russian |
Scotland Scottish Scot | Senegal Senegalese | Serbia Serbian Serb | Slovakia Slovak Slovakian |
Slovenia Slovenian Slovene | Spain Spanish Spaniard | Sudan Sudanese | Sweden Swedish Swede | Switzerland Swiss |
Syria Syrian | Thailand Thai | Tunisia Tunisian | Turkey Turkish Turk | Ukraine Ukrainian | Uruguay Uruguayan |
Venezuela Venezuelan | Vietnam Vietnamese | Wales Welsh Welshman | Yugoslavia Yugoslav Yugoslavian | Angola Angolan |
Bahrain Bahraini | Bhutan Bhutanese | Bosnia_and_Herzegovina Bosnian | Botswana Motswana Batswana |
Burundi Burundian | Chad Chadian | Czech_Republic Czech | Czechoslovakia Czechoslovak | Dominican_Republic Dominican |
Eritrea Eritrean | Fiji Fijian | Gabon Gabonese | Great_Britain British Briton | Guatemala Guatemalan |
Guinea Guinean | Haiti Haitian | Honduras Honduran | Ivory_Coast Ivorian | Kuwait Kuwaiti | Kyrgyzstan Kyrgyz |
Laos Laotian | Liberia Liberian | Luxembourg Luxembourger | Madagascar Malagasy | Malawi Malawian | Mali Malian |
Moldova Moldovan | Monaco Monegasque | Montenegro Montenegrin | Mozambique Mozambican | Myanmar Burmese |
Namibia Namibian | Nicaragua Nicaraguan | North_Macedonia Macedonian | Oman Omani | Palestine Palestinian |
Persia Persian | Prussia Prussian | Qatar Qatari | Rwanda Rwandan | Saudi_Arabia Saudi | Singapore Singaporean |
Somalia Somali | South_Africa Springbok | Taiwan Taiwanese | Tajikistan Tajik | Tanzania Tanzanian | Tonga Tongan |
Trinidad_and_Tobago Trinidadian | Turkmenistan Turkmen | Türkiye Turkish Turk | Uganda Ugandan |
United_Arab_Emirates Emirati | Uzbekistan Uzbek | USA American | UK British Briton | USSR Soviet | US American |
Yemen Yemeni | Zambia Zambian | Zimbabwe Zimbabwean | Ottoman_Empire Ottoman | Mongol_Empire Mongol |
Roman_Empire Roman | Byzantine_Empire Byzantine | Inca_Empire Inca | Aztec_Empire Aztec | Carthage Carthaginian |
Sparta Spartan | Athens Athenian | Venice Venetian | Troy Trojan | Babylon Babylonian | Assyria Assyrian |
Phoenicia Phoenician | Macedon Macedonian | Macedonia Macedonian
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
North Dakota; ND | Ohio; OH | Rhode Island; RI | South Carolina; SC | South Dakota; SD | Tennessee; TN | Texas; TX |
Utah; UT | Vermont; VT | Virginia; VA | Washington; WA | West Virginia; WV | Wisconsin; WI | Wyoming; WY |
Ho Chi Minh City; HCMC | Water; H2O; H₂O | Carbon dioxide; CO2; CO₂ | Carbon monoxide; CO | Methane; CH4; CH₄ |
Ammonia; NH3; NH₃ | Nitrogen; N2; N₂ | Oxygen; O2; O₂ | Hydrogen; H2; H₂ | Ozone; O3; O₃ | Chlorine; Cl2; Cl₂ |
Sodium chloride; NaCl; Table salt | Sulfuric acid; H2SO4; H₂SO₄ | Hydrochloric acid; HCl | Nitrous oxide; N2O; N₂O |
Sulfur dioxide; SO2; SO₂ | Hydrogen peroxide; H2O2; H₂O₂ | Glucose; C6H12O6 | Calcium carbonate; CaCO3; CaCO₃ |
United States; USA; US; United States of America; America; the States | United Kingdom; UK; Great Britain; Britain |
Soviet Union; USSR | United Arab Emirates; UAE | European Union; EU | United Nations; UN | New York City; NYC |
Washington, D.C.; Washington DC; DC | Johannesburg; Joburg; Jo'burg | Chevrolet; Chevy | Philadelphia; Philly |
Las Vegas; Vegas | New York City; Big Apple; the Big Apple | New Orleans; Big Easy; the Big Easy |
Los Angeles; LA; L.A. | Czech Republic; Czechia | Myanmar; Burma | Ivory Coast; Côte d'Ivoire | Netherlands; Holland |
South Korea; Republic of Korea | North Korea; DPRK | Mount Everest; Everest |
World War I; First World War; Great War | World War II; Second World War | Beijing; Peking | Mumbai; Bombay |
Kolkata; Calcutta | Chennai; Madras | Kyiv; Kiev | Türkiye; Turkey | John F. Kennedy; JFK |
Franklin D. Roosevelt; FDR; Franklin Delano Roosevelt | Martin Luther King Jr.; Martin Luther King; MLK |
Lyndon B. Johnson; LBJ | John Paul II; JPII; JP2 | Willis Tower; Sears Tower | One World Trade Center; Freedom Tower |
30 St Mary Axe; Gherkin; the Gherkin | Elizabeth Tower; Big Ben | White House; Executive Mansion |
Palace of Westminster; Houses of Parliament | Philadelphia; City of Brotherly Love; the City of Brotherly Love |
Chicago; Windy City; the Windy City | Paris; City of Light; the City of Light | Rome; Eternal City; the Eternal City |
Detroit; Motor City | Boston; Beantown | Las Vegas; Sin City | San Francisco; Frisco; San Fran | Rio de Janeiro; Rio |
Saint Petersburg; Leningrad; Petrograd; St. Petersburg | Volgograd; Stalingrad; Tsaritsyn |
Istanbul; Constantinople; Byzantium | Oslo; Christiania; Kristiania | Ho Chi Minh City; Saigon | Yangon; Rangoon |
Nanjing; Nanking | Chongqing; Chungking | Astana; Nur-Sultan | Cologne; Köln | Munich; München | Florence; Firenze |
Venice; Venezia | Milan; Milano | Turin; Torino | Naples; Napoli | Genoa; Genova | Lisbon; Lisboa | Seville; Sevilla |
Prague; Praha | Warsaw; Warszawa | Kraków; Cracow | Gdańsk; Danzig | Brussels; Bruxelles | Antwerp; Antwerpen |
The Hague; Den Haag | Copenhagen; København | Gothenburg; Göteborg | Geneva; Genève; Genf | Zurich; Zürich |
Basel; Basle | Lucerne; Luzern | Nuremberg; Nürnberg | Athens; Athina | Bucharest; București | Belgrade; Beograd |
Moscow; Moskva | Lviv; Lvov; Lemberg | Kharkiv; Kharkov | Odesa; Odessa | Mexico City; CDMX; Ciudad de México |
Brasília; Brasilia | Havana; La Habana | Cape Town; Kaapstad | Eswatini; Swaziland | Sri Lanka; Ceylon |
Thailand; Siam | Ethiopia; Abyssinia | Zimbabwe; Rhodesia |
Democratic Republic of the Congo; DRC; DR Congo; Zaire; Congo-Kinshasa | Republic of the Congo; Congo-Brazzaville |
Cape Verde; Cabo Verde | East Timor; Timor-Leste | Vatican City; Vatican; Holy See |
China; People's Republic of China; PRC | Russia; Russian Federation | West Germany; FRG; Federal Republic of Germany |
East Germany; GDR; German Democratic Republic; DDR | Papua New Guinea; PNG | New Zealand; Aotearoa |
Saudi Arabia; KSA | Germany; Deutschland | Spain; España | Japan; Nippon | Greece; Hellas | Hungary; Magyarország |
Denali; Mount McKinley | Uluru; Ayers Rock | Mount Everest; Chomolungma; Sagarmatha | K2; Mount Godwin-Austen |
Yangtze River; Yangtze; Chang Jiang; Yangzi | Yellow River; Huang He; Huanghe; Hwang Ho | Mekong; Lancang |
Danube; Donau | Rhine; Rhein; Rhin | Vistula; Wisła | Meuse; Maas | Rio Grande; Río Bravo | Amu Darya; Oxus |
Persian Gulf; Arabian Gulf | English Channel; La Manche | Great Barrier Reef; GBR |
Lake Geneva; Lac Léman; Lake Léman | Lake Constance; Bodensee | Southern Ocean; Antarctic Ocean |
Mona Lisa; La Gioconda; La Joconde | The Starry Night; Starry Night | Don Quixote; Don Quijote; Quixote |
War and Peace; Voyna i mir | The Magic Flute; Die Zauberflöte; Zauberflöte |
The Marriage of Figaro; Le nozze di Figaro | The Barber of Seville; Il barbiere di Siviglia |
The Ring of the Nibelung; Der Ring des Nibelungen | Swan Lake; Lac des cygnes | The Valkyrie; Die Walküre |
The Rite of Spring; Le Sacre du printemps | One Hundred Years of Solitude; Cien años de soledad |
The Stranger; L'Étranger | The Little Prince; Le Petit Prince | Les Misérables; Les Mis; Les Miz |
Nineteen Eighty-Four; 1984 | Moby-Dick; Moby Dick |
Harry Potter and the Philosopher's Stone; Harry Potter and the Sorcerer's Stone; Philosopher's Stone; Sorcerer's Stone |
The Lord of the Rings; LOTR | Manchester United; Man United; Man Utd; Man U; Red Devils | Manchester City; Man City |
Tottenham Hotspur; Tottenham | FC Barcelona; Barça; Barca; Barcelona | Real Madrid; Los Blancos |
Bayern Munich; FC Bayern; Bayern | Borussia Dortmund; BVB; Dortmund | Paris Saint-Germain; PSG |
Inter Milan; Internazionale | AC Milan; Rossoneri | Juventus; Juve | Atlético Madrid; Atleti; Atlético |
Volkswagen; VW | Mercedes-Benz; Mercedes | General Motors; GM | McDonald's; Mickey D's | Hewlett-Packard; HP |
International Business Machines; IBM | Goddard Space Flight Center; GSFC | Jet Propulsion Laboratory; JPL |
European Space Agency; ESA | International Space Station; ISS | Hubble Space Telescope; HST |
James Webb Space Telescope; JWST | World Health Organization; WHO | International Monetary Fund; IMF |
World Trade Organization; WTO | North Atlantic Treaty Organization; NATO | League of Nations; LoN | Red Cross; ICRC |
World Wildlife Fund; WWF | Michael Jackson; King of Pop; MJ |
Elvis Presley; Elvis; King of Rock and Roll | Aretha Franklin; Queen of Soul | Frank Sinatra; Ol' Blue Eyes |
Madonna; Queen of Pop | Muhammad Ali; Cassius Clay | Kareem Abdul-Jabbar; Lew Alcindor |
Pelé; Pele; Edson Arantes do Nascimento | Joe Frazier; Smokin' Joe | George Foreman; Big George |
Pete Sampras; Pistol Pete | Earvin Johnson; Magic Johnson | Babe Ruth; George Herman Ruth | Lou Gehrig; Iron Horse |
Mark Twain; Samuel Clemens; Samuel Langhorne Clemens | George Orwell; Eric Blair | Lewis Carroll; Charles Dodgson |
George Eliot; Mary Ann Evans | Voltaire; François-Marie Arouet | Molière; Jean-Baptiste Poquelin |
William Shakespeare; Bard of Avon | Edward de Vere; Earl of Oxford | Mother Teresa; Teresa of Calcutta |
Arthur Wellesley; Duke of Wellington; Iron Duke | Lord Byron; Byron; George Gordon |
Margaret Thatcher; Iron Lady; the Iron Lady | Otto von Bismarck; Iron Chancellor | Erwin Rommel; Desert Fox |
Abraham Lincoln; Honest Abe | Andrew Jackson; Old Hickory | Theodore Roosevelt; Teddy Roosevelt; TR |
Richard Nixon; Tricky Dick |
George W. Bush; Dubya; Bush 43; Bush Jr.; Bush junior; the younger Bush; Bush the Younger |
George H. W. Bush; George Bush Sr.; Bush 41; Bush Sr.; Bush senior; the elder Bush; Bush the Elder |
William Pitt the Elder; Earl of Chatham; the elder Pitt; Pitt the Elder |
William Pitt the Younger; the younger Pitt; Pitt the Younger | Johann Strauss II; the younger Strauss; Waltz King |
Richard I; Richard the Lionheart; Lionheart; Coeur de Lion | William I; William the Conqueror |
Louis XIV; Sun King; the Sun King | Mary I; Bloody Mary; Mary Tudor | Elizabeth I; Virgin Queen; Good Queen Bess |
Catherine the Great; Catherine II | Frederick the Great; Old Fritz | Ivan the Terrible; Ivan IV |
Charlemagne; Charles the Great; Karl der Große | Napoleon Bonaparte; Bonaparte | Augustus; Octavian |
Marcus Tullius Cicero; Cicero | Saladin; Salah ad-Din | Genghis Khan; Chinggis Khan |
Mahatma Gandhi; Mohandas Gandhi; Mohandas Karamchand Gandhi | Avicenna; Ibn Sina | Averroes; Ibn Rushd |
Michelangelo; Michelangelo Buonarroti | Titian; Tiziano Vecellio; Tiziano | Raphael; Raffaello; Raffaello Sanzio |
Christopher Columbus; Cristóbal Colón; Cristoforo Colombo | Ferdinand Magellan; Magalhães |
Mao Zedong; Mao Tse-tung; Chairman Mao; Mao | Chiang Kai-shek; Jiang Jieshi | Sun Yat-sen; Sun Zhongshan |
Deng Xiaoping; Teng Hsiao-ping | Joseph Stalin; Dzhugashvili | Vladimir Lenin; Ulyanov | Leon Trotsky; Bronstein |
Pyotr Ilyich Tchaikovsky; Chaikovsky; Tschaikowsky | Sergei Rachmaninoff; Rachmaninov |
Dmitri Shostakovich; Schostakowitsch | Fyodor Dostoevsky; Dostoyevsky; Dostojewski |
Leo Tolstoy; Tolstoi; Lev Tolstoy | Anton Chekhov; Tchekhov; Tschechow | Nikita Khrushchev; Chruschtschow; Krushchev |
Muammar Gaddafi; Qaddafi; Kadhafi | Nikolaus Kopernikus; Nicolaus Copernicus; Copernicus |
Vitamin B1; Thiamine; Thiamin; B1 | Vitamin B2; Riboflavin; B2 | Vitamin B3; Niacin; Nicotinic acid; B3 |
Vitamin B6; Pyridoxine; B6 | Vitamin B9; Folic acid; Folate; Folacin; B9 | Vitamin B12; Cobalamin; B12 |
Vitamin C; Ascorbic acid; Ascorbate | Vitamin A; Retinol | Vitamin E; Tocopherol |
Vitamin D; Calciferol; Cholecalciferol | Vitamin K; Phylloquinone | Vitamin B7; Biotin; B7 |
Red blood cells; Erythrocytes; Red cells; RBCs | White blood cells; Leukocytes; Leucocytes; White cells; WBCs |
Platelets; Thrombocytes | Collarbone; Clavicle | Shoulder blade; Scapula | Kneecap; Patella |
Thigh bone; Femur; Thighbone | Shin bone; Tibia; Shinbone | Breastbone; Sternum | Jawbone; Mandible | Skull; Cranium |
Tailbone; Coccyx | Windpipe; Trachea | Gullet; Oesophagus; Esophagus | Womb; Uterus | US dollar; USD; Greenback |
Euro; EUR | Pound sterling; GBP; British pound | Japanese yen; JPY | Swiss franc; CHF | French franc; FRF |
Chinese yuan; CNY; RMB; Renminbi | Indian rupee; INR | Russian ruble; RUB; Rouble |
South Korean won; KRW; Korean won | Deutsche Mark; DM; D-Mark; Deutschmark; German mark | Canadian dollar; CAD |
Australian dollar; AUD | Czech koruna; CZK; Czech crown | Swedish krona; SEK | Norwegian krone; NOK |
Danish krone; DKK | Jupiter; Jovian | Mars; Martian | Venus; Venusian | Saturn; Saturnian | Uranus; Uranian |
Neptune; Neptunian
"""

# Each line: one thing's names in Hangul.
_KOREAN = """
터키 튀르키예 | 호주 오스트레일리아 | 태국 타이 | 미얀마 버마 | 조지아 그루지야 | 네덜란드 홀란드 | 스페인 에스파냐 |
이탈리아 이태리 | 몽골 몽고 | 베트남 월남 | 남아프리카공화국 남아공 | 소련 소비에트연방 | 북한 조선민주주의인민공화국 |
한국 대한민국 남한 | 미국 미합중국 | 리우데자네이루 리우 | 로스앤젤레스 엘에이 | 샌프란시스코 샌프란 |
상하이 상해 | 베이징 북경 | 도쿄 동경 | 난징 남경 | 키이우 키예프 | 호찌민 호치민 | 뭄바이 봄베이 |
상트페테르부르크 레닌그라드 | 양쯔강 양자강 장강 창장강 | 황허강 황하 황허 황하강 | 황허 황하 황하강 |
마오쩌둥 모택동 | 장제스 장개석 | 덩샤오핑 등소평 | 쑨원 손문 |
이순신 충무공 | 이황 퇴계 | 이이 율곡 | 정약용 다산 | 김구 백범 | 안창호 도산 | 정몽주 포은 | 정도전 삼봉 |
나트륨 소듐 | 칼륨 포타슘 | 요오드 아이오딘 | 망간 망가니즈 | 메탄 메테인 | 티타늄 타이타늄 | 플루오린 불소 |
국제연합 유엔
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
KOREAN_NAMES: dict[str, frozenset[str]] = {}
for _line in _KOREAN.split("|"):
    _group = frozenset(_line.split())
    for _one in _group:
        KOREAN_NAMES[_one] = KOREAN_NAMES.get(_one, frozenset()) | (_group - {_one})
_NAMES = {tuple(keys_of(name)): names for name, names in _groups(_THINGS, ";").items()}


def other_names(keys: tuple[str, ...]) -> list[str]:
    """What else the thing with this name is called, as written."""
    return sorted(_NAMES.get(keys, frozenset()))
