"""Signed heads over the event log, and what is kept of them outside it (R60)."""
