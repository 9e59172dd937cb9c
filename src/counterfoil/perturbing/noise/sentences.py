"""Sentences that do not matter: a number of something else, a datum that nothing uses, a formula of another topic.

Each is about something that no question asks for, and says so where it could be mistaken. {low–high} is a number
between these, as round as they are.
"""

from __future__ import annotations

from typing import NamedTuple


class Sentence(NamedTuple):
    """What is said, and words that a question must not hold: there it could matter."""

    text: str
    unless: tuple[str, ...] = ()


class Field(NamedTuple):
    """The sentences of a kind of questions, by what they are."""

    numbers: tuple[Sentence, ...]
    data: tuple[Sentence, ...]
    formulas: tuple[Sentence, ...]


FINANCE = Field(
    numbers=(
        Sentence("The file on this case runs to {112–489} pages.", ("pages",)),
        Sentence("The meeting at which this came up lasted {35–95} minutes.", ("minutes",)),
        Sentence("The analyst works on floor {11–39} of the building.", ("floor",)),
        Sentence("The memo about it carries the reference {2101–9899}.", ("reference",)),
        Sentence("The note was sent to {113–487} readers.", ("readers",)),
        Sentence("The room in which this was taught seats {22–64} people.", ("seat",)),
        Sentence("A survey on another subject had {311–989} respondents.", ("survey", "respondents")),
        Sentence("The slides for this lesson are numbered from {13–58}.", ("slides",)),
    ),
    data=(
        Sentence("An unrelated company in another industry has {1203–8907} employees.", ("employees",)),
        Sentence("In a country that plays no part here, {21.3–68.7}% of households own shares.", ("household",)),
        Sentence("A fund that is not considered here charges {0.31–1.49}% a year.", ("fund",)),
        Sentence("Another client of the same adviser keeps {31–88}% of a different portfolio in cash.", ("cash",)),
        Sentence("A bond of another issuer was sold at {91.13–98.87} in the same week.", ("bond", "price")),
        Sentence("An unrelated firm paid a dividend of ${1.13–4.87} a share ten years earlier.", ("dividend",)),
        Sentence("A bank abroad, which is not used, offers {0.61–2.39}% on deposits.", ("deposit", "bank")),
        Sentence("A competitor that is not analysed sold {1307–8893} units.", ("units", "sold", "sell")),
    ),
    formulas=(
        Sentence("From another chapter: a Herfindahl index adds the squares of all market shares.", ("share",)),
        Sentence("From another chapter: the misery index adds unemployment and inflation.", ("inflation",)),
        Sentence("From another chapter: money times velocity equals prices times output.", ("velocity", "money")),
        Sentence("From another chapter: a Gini coefficient is twice the area above the Lorenz curve.", ("gini",)),
        Sentence("From another chapter: a tax wedge is labour cost less take-home pay.", ("tax", "wage")),
        Sentence("From another chapter: net migration is arrivals less departures.", ("migration",)),
    ),
)
EVERYDAY = Field(
    numbers=(
        Sentence("The street outside has {112–389} lamp posts.", ("lamp",)),
        Sentence("The town's library opened {31–79} years ago.", ("library", "years")),
        Sentence("A bus to another town leaves every {13–29} minutes.", ("bus", "minutes")),
        Sentence("The radio played {17–41} songs that morning.", ("song",)),
        Sentence("The nearest airport is {123–368} kilometres away.", ("kilomet", "airport")),
        Sentence("The building next door has {118–352} windows.", ("window",)),
        Sentence("A calendar on the wall shows week {14–39}.", ("week",)),
        Sentence("The newspaper of that day had {26–58} pages.", ("page", "newspaper")),
    ),
    data=(
        Sentence("In another town, a baker uses {113–389} kilograms of flour a month.", ("flour", "kilogram", "bak")),
        Sentence("A theatre that plays no part here sold {121–489} tickets.", ("ticket",)),
        Sentence("A neighbour, who has nothing to do with this, is {31–78} years old.", ("years", "age", "old")),
        Sentence("At another school, {111–389} pupils come by bicycle.", ("pupil", "school", "student", "bicycle")),
        Sentence("In another season, a different team scored {44–97} points.", ("point", "team", "score")),
        Sentence("A dish that nobody makes here takes {35–95} minutes in the oven.", ("minutes", "oven", "cook")),
        Sentence("Somebody else's garden measures {152–448} square metres.", ("garden", "square")),
        Sentence("A different box, which stays closed, holds {113–287} marbles.", ("box", "marble")),
    ),
    formulas=(
        Sentence("From another lesson: a triangle has half of base times height as its area.", ("area",)),
        Sentence("From another lesson: a circle is 2 × 3.14 × its radius around.", ("circle", "radius", "round")),
        Sentence("From another lesson: Fahrenheit is 1.8 × Celsius + 32.", ("celsius", "fahrenheit", "degree")),
        Sentence("From another lesson: corners − edges + faces is 2 for a solid.", ("edge", "corner", "cube")),
        Sentence("From another lesson: a clock's hands meet 11 times in 12 hours.", ("hour", "clock")),
        Sentence("From another lesson: an odd number plus an odd number is even.", ("odd", "even")),
    ),
)
# Topics whose questions are not about finance.
EVERYDAY_TOPICS = frozenset({"school maths", "physics", "dosage", "tax"})
