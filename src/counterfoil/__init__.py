"""counterfoil tests language models' question answering against counterfactuals."""

__version__ = "0.1.0"
