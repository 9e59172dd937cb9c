"""The headline table: the few figures that count, for each model and prompt."""
