"""The lists that published templates name without holding them: names, fruits, fractions, multiples.

The words are ours: the publisher names the lists only. A name of a list says by its beginning what is in it.
"""

from __future__ import annotations

from fractions import Fraction

from counterfoil.perturbing.templates.words import cardinal, multiple, times, words_of

Entry = str | Fraction | tuple[str, Fraction]

_WOMEN = [
    "Amara", "Beatriz", "Chiara", "Dorothea", "Elin", "Fatima", "Greta", "Hana", "Ines", "Joanna", "Katarina", "Leila",
    "Mirjam", "Nadia", "Odile", "Paloma", "Rosalind", "Signe", "Teresa", "Ursula", "Vera", "Yasmin",
]  # fmt: skip
_MEN = [
    "Anton", "Bashir", "Carlos", "Dimitri", "Emil", "Faisal", "Gustav", "Hiroshi", "Igor", "Jonas", "Kofi", "Lorenzo",
    "Matteo", "Nils", "Omar", "Pavel", "Rashid", "Stefan", "Tomas", "Viktor", "Walid", "Yusuf",
]  # fmt: skip
# Names that women and men have, since the question's pronouns stay.
_EITHER = [
    "Robin", "Kim", "Noor", "Sasha", "Ariel", "Jules", "Nikita", "Andrea", "Toni", "Yuki", "Amal", "Quinn", "Remy",
    "Sam", "Kai", "Micah",
]  # fmt: skip
_FRACTIONS = sorted({Fraction(above, below) for below in (2, 3, 4, 5, 6, 8, 10) for above in range(1, below)})
_DECIMALS = [Fraction(number, 20) for number in range(1, 20)]
_COMMON = [Fraction(above, below) for above, below in ((1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (3, 4))]
_MULTIPLES = [Fraction(number) for number in range(2, 6)]


def _spoken(fractions: list[Fraction]) -> list[Entry]:
    return [(words_of(fraction), fraction) for fraction in fractions]


def _written(fractions: list[Fraction]) -> list[Entry]:
    return [(str(fraction), fraction) for fraction in fractions]


_LISTS: dict[str, list[Entry]] = {
    "names": [*_EITHER],
    "names_female": [*_WOMEN],
    "names_male": [*_MEN],
    "fruits": ["apple", "banana", "cherry", "fig", "lemon", "mango", "melon", "orange", "peach", "pear", "plum"],
    "vegetables": ["bean", "beet", "carrot", "leek", "onion", "pea", "radish", "turnip"],
    "animals": ["cat", "dog", "goat", "hen", "horse", "rabbit", "sheep", "turtle"],
    "colors": ["black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "white", "yellow"],
    "sports": ["archery", "badminton", "basketball", "cricket", "hockey", "judo", "rugby", "soccer", "tennis"],
    "cities": ["Accra", "Bergen", "Cairo", "Dresden", "Lima", "Lyon", "Nairobi", "Osaka", "Porto", "Seattle"],
    "countries": ["Austria", "Brazil", "Canada", "Ghana", "Italy", "Japan", "Kenya", "Norway", "Peru", "Spain"],
    "weekdays": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "months": [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ],
    "currencies_sym": ["$", "€", "£"],
    "currencies": ["dollars", "euros", "pounds"],
    "length": ["feet", "meters", "yards"],
    "length_lg": ["kilometers", "miles"],
    "weights": ["grams", "kilograms", "ounces", "pounds"],
    "fractions": [*_spoken(_COMMON), *_written(_COMMON)],
    "fraction_alph": _spoken(_COMMON),
    "fraction_alnum": [*_spoken(_FRACTIONS), *_written(_FRACTIONS)],
    "fraction_nums": _written(_COMMON),
    "fraction_decimals": [(str(float(number)), number) for number in _DECIMALS],
    "multi_times": [(times(number), number) for number in _MULTIPLES],
    "multiple_ice": [("twice", Fraction(2)), ("thrice", Fraction(3))],
    "multiple": [(multiple(number), number) for number in _MULTIPLES],
    "numbers": [(cardinal(number), Fraction(number)) for number in range(1, 101)],
}  # fmt: skip


def list_named(name: str) -> list[Entry] | None:
    """The list of that name, or the one whose name begins in the same way; None where it can't be known."""
    if name in _LISTS:
        return _LISTS[name]
    words = name.lower().split("_")
    if "male" in words or "female" in words:
        return _LISTS["names_female" if "female" in words else "names_male"]
    alike = [known for known in _LISTS if known.split("_")[0].rstrip("s") == words[0].rstrip("s")]
    return _LISTS[alike[0]] if alike else None
