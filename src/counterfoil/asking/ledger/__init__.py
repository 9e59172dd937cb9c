"""The ledger: every reply, by the key of its ask."""

from counterfoil.asking.ledger.ledger import Ledger

__all__ = ["Ledger"]
