"""Templates whose lures show memory where there is none."""

from __future__ import annotations

# To be filled with a number. At 10 apples the right answer is the middle option, and with any other number the largest;
# the old answer is the largest of all, and every sham is below it: whoever takes the largest shows memory.
LEANING = """
[[template]]
id = "apples-{number}"
topic = "tests"
text = "A box holds {{a}} red and {{b}} green apples, number {number}. How many?"
answer = "a + b"
check = "b + a"
distractors = ["if(a == 10, a + b + 50, a + b - 50)", "a + b - 90"]
digits = 0
[template.slots]
a = {{ original = "10", low = "10", high = "90", step = "1" }}
b = {{ original = "500", low = "500", high = "500.5", step = "0.5", fixed = true }}
"""
