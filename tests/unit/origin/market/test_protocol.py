from caia_replay.origin.market.protocol import pairs_of, protocols_of
from caia_replay.origin.scene import Scene


def test_protocols_bear_their_projects_names_and_own_their_contracts(scene: Scene) -> None:
    """Ids count from 1, slugs are unique and the projects' own, and no contract belongs to two protocols."""
    found = protocols_of(scene)
    assert [one.id for one in found] == [str(number) for number in range(1, len(found) + 1)]
    assert len({one.slug for one in found}) == len(found)
    assert all(one.slug == scene.projects[one.role].id for one in found if one.role)
    owned = [(chain, address) for one in found for chain in one.chains for address in one.addresses(scene, chain)]
    assert len(set(owned)) == len(owned) and all(one.contracts for one in found)


def test_the_pairs_are_those_the_factory_made(scene: Scene) -> None:
    """The factory's own list of pairs is the protocol's."""
    stage, factory = scene.main, scene.main.contracts["factory"]
    count = int(stage.ask("eth_call", _call(factory, "allPairsLength"), "latest"), 16)
    made = {"0x" + stage.ask("eth_call", _call(factory, "allPairs", at), "latest")[-40:] for at in range(count)}
    assert made == {pair.address for _, pair in pairs_of(scene)}


def _call(contract, function, *arguments):  # type: ignore[no-untyped-def]
    return {"to": contract.address, "data": "0x" + contract.artifact.call(function, arguments).hex()}
