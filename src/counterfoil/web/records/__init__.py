"""The records of a run: a table that is filtered, sorted and exported, a matrix, and one record with all about it."""
