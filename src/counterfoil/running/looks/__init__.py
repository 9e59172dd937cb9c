"""Looks at a run that is under way: what was declared, what they decide, and who is asked on."""

# Why a question was not asked, where nothing is missing.
DECIDED = "decided"
