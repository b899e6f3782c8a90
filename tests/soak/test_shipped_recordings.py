"""Every recording of the shipped economy, judged by the vendors; make test reads one in seven."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.store.world_folder import open_world
from tests.vendor_sweep import VENDORS, misfits

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.soak
@pytest.mark.real
@pytest.mark.parametrize(("origin", "name"), VENDORS)
def test_every_recording_fits_its_vendors_description(real_data: Path, origin: str, name: str) -> None:
    """Each request the recorder made and each reply it kept, as far as the vendor describes the endpoint."""
    faults, described = misfits(
        open_world(str(PROJECT / "cassettes" / "synthetic-178")), real_data / "openapi" / name, origin
    )
    assert not faults and described > 30, (faults[:3], described)
