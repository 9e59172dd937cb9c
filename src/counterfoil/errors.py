"""The one kind of error a user sees: a sentence that says what is wrong, where, and what to do."""


class UserError(Exception):
    """Wrong use, bad input, or a world that does not play along. The command line prints it and exits with 2."""
