"""The short economy as question shapes see it."""

from __future__ import annotations

from tests.shape_law import bench

__all__ = ["bench"]
