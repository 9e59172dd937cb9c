"""What the uncertainty of a figure is made of."""
