"""What a run found, for people to read."""
