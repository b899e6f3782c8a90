"""What a question names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.models.policies.question import UNTOLD, AskedAt, asked_at, named_in

ADDRESS, HASH = "0x" + "aB" * 20, "0x" + "c1" * 32


def test_everything_named_is_found_once_in_order() -> None:
    """Words like names, numbers without commas, days, addresses, hashes and sites."""
    found = named_in(
        f"How many MARE did Mareskal hold at {ADDRESS} (tx {HASH}) on 2024-06-01 in blocks 12 to 1,234.5, "
        f"by docs.mareskal.example/treasury? Not 2024-13-45. MARE."
    )
    assert found.words[:3] == ("MARE", "Mareskal", "Not") and found.ticker == "MARE"
    assert found.numbers[-2:] == ("12", "1234.5") or "1234.5" in found.numbers
    assert (found.days, found.addresses, found.hashes) == (("2024-06-01",), (ADDRESS,), (HASH,))
    assert found.sites == ("https://docs.mareskal.example/treasury",)


def test_without_names_all_words_count() -> None:
    """Chinese questions, and those that name nothing."""
    assert named_in("基础费每个区块最多变多少?").words == ("基础费每个区块最多变多少",)
    assert named_in("MARE的总量是多少").words == ("MARE",) and named_in("? 12").words == ("unnamed",)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    """Hostile ones too; there is always a word and a ticker."""
    found = named_in(text)
    assert found.words and found.ticker in found.words
    assert asked_at([{"role": "user", "content": text}]).time.year > 1970


def test_the_moment_is_what_the_first_message_of_a_user_tells() -> None:
    """Height and time; nothing a tool says later, and nothing that is no moment."""
    told = "q\n\n[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"
    moment = asked_at([{"role": "system", "content": "s"}, {"role": "user", "content": told}])
    assert (moment.block, moment.time.isoformat()) == (58, "2024-06-28T16:43:57+00:00")
    later = [{"role": "user", "content": "q"}, {"role": "user", "content": told}]
    wrong = [{"role": "user", "content": told.replace("2024-06", bad)} for bad in ("2024-66", "0001-01", "1970-01")]
    assert {asked_at(messages) for messages in (later, [], *([one] for one in wrong))} == {UNTOLD}
    assert isinstance(UNTOLD, AskedAt)
