"""Deterministic offline replay of crypto-analyst agent tasks."""

__version__ = "0.1.0"
