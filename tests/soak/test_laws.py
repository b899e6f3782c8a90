"""The laws of the unit tests, on many more examples."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[1] / "unit"
LAWS = (
    "core/test_expression.py",
    "test_canonical.py",
    "test_errors.py",
    "store/test_plain.py",
    "store/test_seal.py",
    "tools/test_signature.py",
    "tools/test_chain_call.py",
    "providers/test_reader.py",
    "cassette/test_identity.py",
    "cassette/test_url.py",
    "search/test_query.py",
)


@pytest.mark.soak
@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_over_many_examples(name: str) -> None:
    """The file passes with fifteen times the examples, from a seed of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", str(UNIT / name)]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "soak"}
    run = subprocess.run(command, cwd=UNIT.parents[1], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
