"""Templates in the format of GSM-Symbolic, written for these tests."""

from __future__ import annotations

from counterfoil.perturbing.symbolic.published import Row

EGGS = """{name, Ada} fills {boxes,three} {kind,carton}s with {n, 12} eggs each. {share,Half} of the eggs are \
{c1,white}, the rest are {c2,Brown}. {c2,Brown} eggs cost {cur,$}{p,0.50} each. How much do the {c2,brown} eggs cost \
in a {when,week}?

#init:
- name = sample(names_female)
- kind = sample(["carton", "box", "tray"])
- c1, c2 = sample(["white", "brown", "speckled", "blue"], 2)
- cur = sample(currencies_sym)
- when = sample(["week", "month"])
- $boxes = range(2, 9)
- $n = range(6, 25, 6)
- $share = sample(fraction_alnum)
- $p = np.arange(0.25, 1, 0.25)

#conditions:
- is_int(boxes * n * share)
- is_int(boxes * n * (1 - share) * p)

#answer: int(boxes * n * (1 - share) * p) * (1 if when == "week" else 4)
"""
# 3 · 12 = 36 eggs, 18 of them brown, at 0.50 each: 9.
SOLUTION = "There are {boxes*n} eggs, {int(boxes*n*(1-share))} brown.\n#### {int((boxes*n - boxes*n*share) * p)}"
TRIP = """{who,Ben} drives {a,60} miles and then {b,20} more. He has {left,70} miles left of {total,150}.
#init:
- who = sample(names_male)
- $a = range(40, 90, 10)
- $b = range(10, a)
- $k = range(1, 400)
- $left = range(10, 200, 10)
- $total = a + b + left
#conditions:
- k == a + b
#answer: k + left
"""


def row(annotated: str = EGGS, answer: str = "#### 9", solution: str = SOLUTION) -> Row:
    return Row(question="Ada's own words", answer=answer, question_annotated=annotated, answer_annotated=solution)
