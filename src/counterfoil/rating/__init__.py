"""Human evaluation: studies in which people rate replies without knowing whose they are."""
