"""A comparison as a page shows it: the forest plot, the figures in words, the items that changed."""
