"""Replies in which alternatives are named, and which of them is the answer: one list of replies for each question.

Each reply is one way to write; the comments in `counterfoil.explain.mentions.cues` name the rules.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from counterfoil.explain import answer_is_right


class Asked(NamedTuple):
    question: str
    gold: str
    candidates: list[str]


CAPITAL = Asked(
    "What is the capital of Australia?", "Canberra", ["Sydney", "Melbourne", "Perth", "Brisbane", "Wellington"]
)
KOREAN_CAPITAL = Asked("오스트레일리아의 수도는 어디인가요?", "캔버라", ["시드니", "멜버른", "브리즈번", "퍼스"])
PRESIDENT = Asked(
    "Who was the first president of the United States to live in the White House?",
    "John Adams",
    ["George Washington", "Thomas Jefferson", "John Quincy Adams"],
)
WALL = Asked("In which year did the Berlin Wall fall?", "1989", ["1990", "1991", "1961", "1987"])
PIANO = Asked("How many keys does a standard modern piano have?", "88", ["85", "76", "61", "52", "36"])
MOON = Asked("What is the largest moon in the Solar System?", "Ganymede", ["Titan", "Callisto", "Europa", "Io"])
TELEPHONE = Asked(
    "Who was granted the first United States patent for the telephone, in 1876?",
    "Alexander Graham Bell",
    ["Elisha Gray", "Antonio Meucci", "Thomas Edison"],
)
KOREAN_EMPEROR = Asked("대한제국의 마지막 황제는 누구인가요?", "순종", ["고종", "영친왕", "철종"])
RIGHT = [
    (CAPITAL, "Sydney is the largest city. The capital is Canberra."),
    (CAPITAL, "Sydney is the largest city in Australia. It's Canberra that is the capital."),
    (CAPITAL, "Melbourne was the capital until 1927. Today it is Canberra."),
    (
        CAPITAL,
        "Melbourne served as the temporary seat of government until 1927, when Parliament moved to "
        "Canberra, the capital.",
    ),
    (CAPITAL, "Sydney is often thought to be the capital. It isn't; Canberra is."),
    (CAPITAL, "Sydney often comes to mind first. Australia's capital, though, is Canberra."),
    (
        CAPITAL,
        "You'd be forgiven for thinking Sydney, the country's biggest and best-known city. The capital is Canberra.",
    ),
    (CAPITAL, "A lot of folks would guess Sydney or Melbourne. The actual seat of government is Canberra."),
    (CAPITAL, "Sydney is the capital of New South Wales. Canberra is the national capital."),
    (CAPITAL, "A compromise between Sydney and Melbourne, Canberra is the capital."),
    (CAPITAL, "Founded as a compromise between rivals Sydney and Melbourne, the capital city is Canberra."),
    (CAPITAL, "Sydney. Wait, no, that's the largest city. Canberra."),
    (CAPITAL, "Sydney... hmm, actually no. The capital is Canberra."),
    (CAPITAL, "I was going to say Sydney, but it's Canberra."),
    (CAPITAL, "My first instinct was Sydney. On reflection, it's Canberra."),
    (CAPITAL, "Answer: Sydney\n\nCorrection: Canberra"),
    (CAPITAL, "The answer is Sydney. Sorry, I meant Canberra."),
    (CAPITAL, "\\boxed{\\text{Canberra}}"),
    (CAPITAL, "Sydney is the biggest, Melbourne is second.\n\n$$\\boxed{Canberra}$$"),
    (CAPITAL, '{"answer": "Canberra", "note": "not Sydney"}'),
    (CAPITAL, '{"reasoning": "Sydney is the largest city, but the capital is elsewhere.", "answer": "Canberra"}'),
    (CAPITAL, "## Answer\n\n**Canberra**\n\n## Common mistakes\n\n- Sydney: largest city\n- Melbourne: former seat"),
    (
        CAPITAL,
        "## Common confusions\n- **Sydney** – the largest city\n- **Melbourne** – capital from 1901 "
        "to 1927\n\n## Answer\n**Canberra**",
    ),
    (
        CAPITAL,
        "Good question! People mix this up all the time. Sydney's the big one with the Opera House, "
        "Melbourne's the coffee one, and Canberra's the capital.",
    ),
    (CAPITAL, "Sydney: largest city. Melbourne: second largest. Canberra: capital."),
    (CAPITAL, "| City | Role |\n|---|---|\n| Sydney | largest city |\n| Canberra | capital |"),
    (CAPITAL, "Final answer: Canberra"),
    (CAPITAL, "I'm not completely sure, but I believe it's Canberra."),
    (CAPITAL, "Not Sydney, not Melbourne: Canberra."),
    (CAPITAL, "Contrary to what many believe, Sydney isn't Australia's capital. That honor belongs to Canberra."),
    (
        CAPITAL,
        "That would be Canberra. Sydney is the most populous city in Australia and the capital of New South Wales.",
    ),
    (CAPITAL, "Between Sydney and Canberra, it's Canberra."),
    (CAPITAL, "It's a common misconception that the capital is Sydney. In truth it's Canberra."),
    (CAPITAL, "Sydney may be more famous; Canberra, however, is the capital."),
    (CAPITAL, "Sydney has more people. Melbourne hosted parliament first. But the capital? Canberra."),
    (CAPITAL, "The capital of Australia is **Canberra** (not Sydney, which is the largest city)."),
    (CAPITAL, "Canberra became the capital in 1913; before that, Melbourne was the capital."),
    (CAPITAL, "<think>Sydney? no</think>Canberra"),
    (CAPITAL, "Is it Sydney? No. Is it Melbourne? No. It's Canberra."),
    (CAPITAL, "If you said Sydney, you're not alone. The correct answer: Canberra."),
    (CAPITAL, "Though Sydney and Melbourne are both bigger, Parliament House is in Canberra, which is the capital."),
    (CAPITAL, "Most tourists head to Sydney. The federal capital, established in 1913, is Canberra."),
    (KOREAN_CAPITAL, "시드니는 가장 큰 도시이고, 수도는 캔버라입니다."),
    (KOREAN_CAPITAL, "시드니가 수도라고 생각하기 쉽지만, 캔버라입니다."),
    (KOREAN_CAPITAL, "시드니는 가장 큰 도시입니다. 수도는 캔버라예요."),
    (KOREAN_CAPITAL, "멜버른은 1927년까지 수도였습니다. 지금은 캔버라입니다."),
    (KOREAN_CAPITAL, "시드니가 수도로 알려져 있지만 실제 수도는 캔버라입니다."),
    (KOREAN_CAPITAL, "많은 분들이 시드니라고 답하시는데요, 정답은 캔버라입니다."),
    (KOREAN_CAPITAL, "시드니... 아, 아니네요. 캔버라입니다."),
    (KOREAN_CAPITAL, "시드니가 아니라 캔버라예요."),
    (KOREAN_CAPITAL, "수도는 캔버라로, 시드니나 멜버른과 혼동하기 쉽습니다."),
    (KOREAN_CAPITAL, "시드니인지 캔버라인지 헷갈리지만 캔버라입니다."),
    (KOREAN_CAPITAL, "정답: 캔버라"),
    (KOREAN_CAPITAL, "캔버라입니다. 시드니나 멜버른으로 착각하는 경우가 많습니다."),
    (KOREAN_CAPITAL, "최대 도시는 시드니지만 수도는 캔버라랍니다."),
    (KOREAN_CAPITAL, "호주의 수도는 캔버라죠. 시드니는 최대 도시일 뿐입니다."),
    (KOREAN_CAPITAL, "시드니라고 생각했는데 다시 생각해 보니 캔버라네요."),
    (KOREAN_CAPITAL, "흔히 시드니로 오해하지만, 호주의 수도는 **캔버라(Canberra)**입니다."),
    (KOREAN_EMPEROR, "고종은 첫 번째 황제였고, 마지막 황제는 순종이십니다."),
    (KOREAN_EMPEROR, "순종이십니다."),
    (KOREAN_EMPEROR, "마지막 황제는 순종이셨습니다. 고종은 그의 아버지입니다."),
    (KOREAN_EMPEROR, "고종이 마지막 황제로 알려져 있지만, 순종입니다."),
    (KOREAN_EMPEROR, "고종께서는 1907년에 퇴위하셨고, 뒤를 이은 순종께서 마지막 황제이셨습니다."),
    (KOREAN_EMPEROR, "고종이라고 생각하기 쉽지만 마지막 황제는 순종이셨어요."),
    (PRESIDENT, "George Washington was the first president, but John Adams was the first to live in the White House."),
    (PRESIDENT, "George Washington chose the site but never lived there. John Adams moved in in November 1800."),
    (
        PRESIDENT,
        "It was John Adams. George Washington was the first president of the United States but "
        "never lived in the White House.",
    ),
    (WALL, "The Wall was built in 1961 and fell in 1989."),
    (WALL, "Built in 1961, the Berlin Wall fell on 9 November 1989; Germany was reunified in 1990."),
    (WALL, "Germany reunified in 1990 and the Soviet Union dissolved in 1991. The Berlin Wall came down in 1989."),
    (WALL, "1989. Reunification followed in 1990."),
    (WALL, "Construction began in 1961. Twenty-eight years later, on November 9, 1989, it fell."),
    (PIANO, "A piano has 52 white keys and 36 black keys, which makes 88."),
    (PIANO, "52 white + 36 black = 88 keys"),
    (PIANO, "There are 52 white keys and 36 black keys. In total: 88."),
    (PIANO, "Older pianos had 85 keys; a modern one has 88."),
    (PIANO, "Eighty-eight: fifty-two white ones and thirty-six black ones."),
    (MOON, "Titan is the second largest, after Ganymede, which is the largest moon."),
    (
        MOON,
        "Titan has an atmosphere and is the largest moon of Saturn. The largest in the Solar System "
        "is Jupiter's moon Ganymede.",
    ),
    (MOON, "Jupiter's Ganymede. It is bigger than Titan and even the planet Mercury."),
    (MOON, "Saturn's Titan was long believed to be the largest moon. Voyager showed that Ganymede is larger."),
    (TELEPHONE, "Elisha Gray filed the same day, but the patent went to Alexander Graham Bell."),
    (
        TELEPHONE,
        "Antonio Meucci had a working device earlier. Elisha Gray filed a caveat. The patent was granted to Bell.",
    ),
    (TELEPHONE, "Bell got it. Meucci and Gray did not."),
]
WRONG = [
    (CAPITAL, "Canberra is where parliament sits. The capital is Sydney."),
    (CAPITAL, "Canberra. Wait, no. It's Sydney."),
    (CAPITAL, "Canberra or Sydney."),
    (CAPITAL, "It's either Canberra or Sydney."),
    (CAPITAL, "Canberra/Sydney"),
    (CAPITAL, "I think it is Sydney or Canberra, I am not sure which."),
    (CAPITAL, "The answer is Canberra. Sorry, I meant Sydney."),
    (CAPITAL, "I don't know. You could look up whether it is Canberra in an atlas."),
    (CAPITAL, "I can't verify this. Check an official source to see if it's Canberra or Sydney."),
    (CAPITAL, "Canberra is a planned city. Australia's capital is Sydney."),
    (CAPITAL, "The capital of Australia is Wellington. Canberra is another city."),
    (CAPITAL, "Answer: Sydney. Canberra is a common wrong answer."),
    (CAPITAL, "Many believe Canberra is the capital of Australia. It's Sydney."),
    (CAPITAL, "Canberra was the capital until 1988. The capital is Sydney."),
    (CAPITAL, "I initially considered Canberra. After checking, I'd say Sydney."),
    (CAPITAL, "\\boxed{Sydney}, not Canberra"),
    (CAPITAL, '{"answer": "Sydney", "alternatives": ["Canberra"]}'),
    (CAPITAL, "<think>Canberra for sure, but they might"),
    (KOREAN_CAPITAL, "캔버라가 아니라 시드니입니다."),
    (KOREAN_CAPITAL, "캔버라 또는 시드니입니다."),
    (KOREAN_CAPITAL, "캔버라인지 시드니인지 모르겠습니다."),
    (KOREAN_CAPITAL, "캔버라입니다. 아, 정정합니다. 시드니입니다."),
    (KOREAN_CAPITAL, "캔버라로 아는 사람이 많지만 시드니입니다."),
    (KOREAN_CAPITAL, "캔버라는 계획 도시이고, 수도는 시드니입니다."),
    (KOREAN_CAPITAL, "캔버라나 시드니 둘 중 하나입니다."),
    (KOREAN_CAPITAL, "잘 모르겠습니다."),
    (
        PRESIDENT,
        "John Adams was the second president. Thomas Jefferson was the first president to live in the White House.",
    ),
    (
        PRESIDENT,
        "George Washington was the first president of the United States to live in the White House; "
        "John Adams was next.",
    ),
    (PRESIDENT, "John Quincy Adams."),
    (WALL, "The wall fell in 1990, a year after the protests of 1989."),
    (WALL, "In 1989 people protested. The Berlin Wall fell in 1990."),
    (WALL, "1989 or 1990."),
    (PIANO, "A piano has 85 keys. Some have 88."),
    (PIANO, "Somewhere between 85 and 88."),
    (MOON, "Ganymede is the largest moon of Jupiter. The largest in the Solar System is Titan."),
    (MOON, "Titan, which is slightly larger than Ganymede."),
    (MOON, "Larger than Ganymede, Titan takes the crown."),
    (TELEPHONE, "Bell filed first, but the patent was granted to Elisha Gray."),
]


def is_right(asked: Asked, reply: str) -> bool:
    return answer_is_right(reply, asked.gold, candidates=asked.candidates, question=asked.question)


@pytest.mark.parametrize(("asked", "reply"), RIGHT)
def test_the_right_answer_is_given(asked: Asked, reply: str) -> None:
    assert is_right(asked, reply)


@pytest.mark.parametrize(("asked", "reply"), WRONG)
def test_it_is_named_and_not_given(asked: Asked, reply: str) -> None:
    assert not is_right(asked, reply)
