"""A question as people have it, and the template that a good proposer makes of it."""

from __future__ import annotations

from typing import Any

from counterfoil.perturbing.making.existing import ExistingQuestion

# The CFA study's question. 2,000 × (1 − 1.05^−10) ÷ 0.05 = 15,443.47; × 1.05 = 16,215.64.
QUESTION = ExistingQuestion(
    stem="At a 5% interest rate per year compounded annually, the PV of a 10-year ordinary annuity with annual "
    "payments of $2,000 is $15,443.47. The PV of a 10-year annuity due is closest to:",
    options=("$14,709.02", "$16,215.64", "$17,443.47"),
    gold=1,
)
PROPOSAL: dict[str, Any] = {
    "topic": "time value of money",
    "text": "At a {rate}% interest rate per year compounded annually, the PV of a {years}-year ordinary annuity with "
    "annual payments of ${payment} is ${pv}. The PV of a {years}-year annuity due is closest to:",
    "slots": {
        "rate": {"original": "5", "low": "2", "high": "12", "step": "0.5", "percent": True},
        "years": {"original": "10", "low": "5", "high": "25", "step": "1"},
        "payment": {"original": "2,000", "low": "500", "high": "5,000", "step": "100"},
    },
    "derived": {"pv": {"value": "round(annuity(rate, years, payment), 2)", "digits": 2}},
    "answer": "pv * (1 + rate)",
    "check": "annuity_due(rate, years, payment)",
    "distractors": ["pv / (1 + rate)", "pv + payment"],
    "conditions": [],
    "percent": False,
    "steps": "{pv} x (1 + {rate}%) = {answer}",
}
