"""The local site over a directory: look at runs and records, compare, rate, review."""
