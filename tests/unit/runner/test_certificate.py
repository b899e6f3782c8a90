from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.runner.certificate import certify

HEADER = {"suite": "s", "seed": 0}
RECORDS: list[dict[str, Any]] = [
    {"task": "a", "attempt": 1, "answer": "1", "detail": "x"},
    {"task": "a", "attempt": 2, "answer": None, "detail": "y"},
]


def test_equal_input_gives_an_equal_certificate() -> None:
    """The certificate is a pure function; its digest covers its own fields."""
    first, second = certify(HEADER, RECORDS), certify(dict(reversed(HEADER.items())), deepcopy(RECORDS))
    assert first == second
    assert first["rows"] == 2


@given(st.integers(0, 1), st.sampled_from(["task", "attempt", "answer"]), st.text(max_size=3))
def test_any_change_of_a_row_shows(row: int, field: str, value: str) -> None:
    """Changing one field of one row changes the digest."""
    changed = deepcopy(RECORDS)
    changed[row][field] = value + "!"
    assert certify(HEADER, changed)["digest"] != certify(HEADER, RECORDS)["digest"]


def test_rows_cannot_be_moved_dropped_or_added() -> None:
    """The chain fixes order and number."""
    digests = {
        certify(HEADER, records)["digest"]
        for records in (RECORDS, RECORDS[::-1], RECORDS[:1], [], [*RECORDS, RECORDS[0]])
    }
    assert len(digests) == 5


def test_the_header_counts_and_a_faults_wording_does_not() -> None:
    """Another seed is another certificate; the wording of a fault, which may name a port, is not in it."""
    reworded = [{**record, "detail": "port 4711"} for record in RECORDS]
    assert certify(HEADER, reworded) == certify(HEADER, RECORDS)
    assert certify({**HEADER, "seed": 1}, RECORDS)["digest"] != certify(HEADER, RECORDS)["digest"]


def test_what_the_clock_ended_has_no_certificate() -> None:
    """One run that ran into a limit of real time leaves the cell without a digest, and is counted."""
    ended = certify(HEADER, [*RECORDS, {"task": "b", "attempt": 1, "answer": None, "stop": "wall_limit"}])
    assert (ended["digest"], ended["chain"], ended["rows"]) == (None, None, 3)
    assert ended["uncertified"] == {"wall_limit": 1}
    for stop in ("world_fault", "model_fault"):
        assert certify(HEADER, [{**RECORDS[0], "stop": stop}])["digest"] is not None
