"""The command line in a copy of the shipped world's root, for every test of the room that types commands."""

from __future__ import annotations

from tests.cli_shell import shell

__all__ = ["shell"]
