"""Runs under way: how they are doing, and those that are started from the site."""
