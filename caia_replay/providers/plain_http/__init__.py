"""Recorded HTTP of hosts that no vendor's rules are written for."""
