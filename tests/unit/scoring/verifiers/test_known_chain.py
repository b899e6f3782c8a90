"""The listed chains."""

from __future__ import annotations

from caia_replay.scoring.verifiers.known_chain import KNOWN_CHAINS


def test_no_name_id_or_explorer_is_of_two_chains() -> None:
    """Whatever an answer says means one chain."""
    names = [name for chain, (_, others, _) in KNOWN_CHAINS.items() for name in (chain, *others)]
    hosts = [host for _, _, hosts in KNOWN_CHAINS.values() for host in hosts]
    ids = [id_ for id_, _, _ in KNOWN_CHAINS.values() if id_ is not None]
    for told in (names, hosts, ids):
        assert len(set(told)) == len(told)


def test_names_and_explorers_are_in_lower_case() -> None:
    """They are looked up in lower case."""
    for chain, (_, others, hosts) in KNOWN_CHAINS.items():
        assert all(name == name.lower() for name in (chain, *others, *hosts))
