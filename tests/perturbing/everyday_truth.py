"""What the originals of the templates beside finance come to, each worked out another way than its template does.

The numbers are those of the texts. Where a formula has a short way, this goes the long one: step by step, hour by hour,
or by counting. Percentages are given in percent, as printed.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import comb, pi


def solved(low: float, high: float, wanted: float, square: float = 2.0) -> float:
    """The number whose power is the one that is wanted, by halving."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**square < wanted else (low, middle)
    return low


def grown() -> int:
    people = Fraction(24_000)
    for _ in range(6):
        people += people * Fraction(4, 100)
    return round(people)


def ring_of_slabs() -> int:
    """Every square meter of 24 by 16 that is not in the garden of 20 by 12."""
    return sum(not (2 <= x < 22 and 2 <= y < 14) for x in range(24) for y in range(16))


def both_red() -> float:
    balls = ["red"] * 5 + ["blue"] * 7
    pairs = list(permutations(range(12), 2))
    return 100 * sum(balls[one] == balls[two] == "red" for one, two in pairs) / len(pairs)


def committees() -> int:
    return sum(1 for _ in combinations(range(8), 2)) * comb(6, 2)


def minutes_until_equal() -> int:
    return next(minutes for minutes in range(10_000) if 1200 + 4 * minutes == 10 * minutes)


def left(amount: float, half: float, time: float) -> float:
    """By a thousand small steps for each half-life."""
    shrunk = 1 - (1 - 0.5 ** (1 / 1000))
    for _ in range(round(time / half * 1000)):
        amount *= shrunk
    return amount


def fluids() -> int:
    return sum(100 if kg <= 10 else 50 if kg <= 20 else 20 for kg in range(1, 29))


def braked() -> float:
    """Ten-thousandths of a second, each at the mean of its speeds."""
    speed, way = 30.0, 0.0
    while speed > 0:
        way += (speed - 0.9 * 0.00005) * 0.0001
        speed -= 0.9 * 0.0001
    return way


def brackets(income: int, *parts: tuple[int, float]) -> float:
    """Hundred by hundred: each is taxed at the rate of the bracket that it falls in."""
    tax = 0.0
    for earned in range(0, income, 100):
        upper = 0
        for width, rate in parts:
            upper += width
            if earned < upper:
                tax += 100 * rate
                break
    return tax


TRUTH: dict[str, float] = {
    # School maths.
    "maths-ticket-income": sum([12] * 140) + sum([7] * 90),  # 1,680 + 630
    "maths-average-speed": 48 / (80 / 60 + 120 / 60),  # 24 km in 80 minutes and in 120
    "maths-two-discounts": (240 - 48) - 192 * 15 / 100,  # 192 - 28.80
    "maths-mixture": (1.8 + 3.2) / 10 * 100,  # liters of juice in 10
    "maths-working-together": 18 / (3 + 2),  # in 18 hours they paint three fences and two
    "maths-nth-term": list(range(15, 1000, 7))[19],
    "maths-population-growth": grown(),
    "maths-path-around-garden": ring_of_slabs(),
    "maths-ladder": solved(0, 6, 32),  # 36 - 4
    "maths-tank-volume": pi * 9 * 8,  # in decimeters: 3 by 3 by 8
    "maths-map-scale": 6.4 * 0.5,  # a centimeter is half a kilometer
    "maths-weighted-grade": (3 * 92 + 7 * 74) / 10,
    "maths-two-red-balls": both_red(),
    "maths-committee": committees(),
    "maths-phone-plans": minutes_until_equal(),
    "maths-recipe": 90 * 10,
    "maths-percent-change": 60 / 2.4,
    # Physics.
    "physics-heater-power": 5 * 230,  # 230 V through 46 ohms are 5 A
    "physics-free-fall-time": solved(0, 100, 90 / 9.81),
    "physics-kinetic-energy": 0.6 * 20 * 20,  # 20 m/s, half of 1.2 t
    "physics-braking-distance": braked(),
    "physics-water-pressure": 9.81 * 12,
    "physics-heating-water": sum(2.5 * 4.19 for _ in range(75)),
    "physics-parallel-resistors": 240 / (2 + 3),  # 240 V drive 2 A and 3 A
    "physics-image-distance": 60 / (5 - 2),  # 1/12 - 1/30 = 3/60
    "physics-wavelength": 1480 / 500,
    "physics-gas-pressure": 120 * 353.15 / 293.15,
    "physics-pendulum": 2 * pi * solved(0, 10, 1.5 / 9.81),
    "physics-coupled-wagons": 90 / 50,
    "physics-energy-cost": 6 * 30 * 0.32,  # 0.75 kW for 8 hours are 6 kWh a day
    "physics-crane-efficiency": 100 * (7848 * 12 / 20) / 6000,
    "physics-spring-energy": sum((n + 0.5) * 4 * 0.01 for n in range(12)),  # 4 N for each centimeter, one by one
    "physics-half-life": left(200, 8, 20),
    "physics-mixing-temperature": (80 * 3 + 15 * 5) / 8,
    # Dosage.
    "dosage-tablets": 2 * 21,
    "dosage-by-weight": 540 / 3,
    "dosage-infusion-rate": 125,
    "dosage-drop-rate": 18_000 / 360,
    "dosage-infusion-time": 300 * 60 / 125,
    "dosage-dilution": 12 / 0.2,  # 12 g in 400 ml
    "dosage-pump-by-weight": 350 * 60 / 4000,  # 350 micrograms a minute
    "dosage-body-surface": 75 * solved(0, 10, 168 * 65 / 3600),
    "dosage-syrup": 300 / 25,
    "dosage-left-after": left(400, 4, 10),
    "dosage-daily-fluids": fluids(),
    "dosage-clearance": 80 * 72 / 72 / 1.4,
    "dosage-grams-in-solution": 7.5 * 5,
    "dosage-loading-dose": 45 * 15,  # 45 liters
    "dosage-oxygen-cylinder": 650 / 6,
    # Tax.
    "tax-in-gross-price": 238 - 200,  # 200 and 19 % of it
    "tax-two-brackets": brackets(48_000, (20_000, 0.10), (10**9, 0.30)),
    "tax-three-brackets": brackets(60_000, (10_000, 0.0), (25_000, 0.15), (10**9, 0.35)),
    "tax-average-rate": 100 * brackets(45_000, (12_000, 0.0), (10**9, 0.30)) / 45_000,
    "tax-capital-gain": (3400 - 1000) / 4,
    "tax-deduction-or-credit": 720,  # 30 % of 2,400, against 600
    "tax-sale-with-discount": 120 + 9.60,
    "tax-property": 192 * 15,  # 192,000 assessed
    "tax-depreciation-saving": 10_000 / 4,
    "tax-gross-up": 4000,  # less 30 % of it, 1,200
    "tax-foreign-dividend": 432 - 240,
    "tax-capped-contribution": 100 * 5400 / 90_000,
    "tax-import": 480 + 896,  # 12 % of 4,000; 20 % of 4,480
    "tax-loss-carried-forward": (120_000 - 72_000) / 4,  # at most 72,000 of the 90,000
    "tax-heirs": 3 * (200_000 - 40_000) * 0.12,
    "tax-late-payment": 3600 + 5 * 18,
}  # fmt: skip
