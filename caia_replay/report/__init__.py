"""Finished runs for people."""
