"""Single-byte damage to every kind of sealed file, thousands of times."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.mark.soak
def test_any_byte_of_any_file_counts_over_thousands(mini: Path, damage: ModuleType) -> None:
    """Four thousand random damages are all refused, and the undamaged world still opens."""
    damage.sweep(mini, rounds=4_000)
