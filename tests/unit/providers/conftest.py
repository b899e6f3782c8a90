"""The told small economy, for laws that are held against its services."""

from __future__ import annotations

from tests.unit.origin.conftest import book, scene

__all__ = ["book", "scene"]
