"""A run under way, as others see it: what it writes while it asks, and how that is read."""
