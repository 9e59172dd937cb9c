"""Datasets that are not part of the package: which there are, how they are fetched, where they are kept."""
