from caia_replay.origin.market.activity import Activity
from caia_replay.origin.market.protocol import protocols_of, stage_of
from caia_replay.origin.scene import Scene


def test_use_is_what_the_chain_has_of_transactions(scene: Scene) -> None:
    """On every day the transactions to a protocol's contracts, and their distinct senders, are those of the blocks."""
    protocols = protocols_of(scene)
    activity = Activity(scene, protocols)
    sent: dict[tuple[str, int], list[tuple[str, str]]] = {}
    for chain in ("main", "rollup"):
        stage = stage_of(scene, chain)
        for block in range(1, stage.calendar.last_block + 1):
            for one in stage.ask("eth_getBlockByNumber", hex(block), True)["transactions"]:
                sent.setdefault((chain, stage.calendar.day_of(block)), []).append((one["from"], one["to"] or ""))
    for protocol in protocols:
        seen: set[str] = set()
        for day, use in enumerate(activity.daily(protocol)):
            told = [who for chain in protocol.chains for who, to in sent.get((chain, day), [])
                    if to in protocol.addresses(scene, chain)]  # fmt: skip
            assert (use.users, use.transactions) == (len(set(told)), len(told)), (protocol.slug, day)
            assert use.new_users == len(set(told) - seen)
            seen |= set(told)
        assert seen
