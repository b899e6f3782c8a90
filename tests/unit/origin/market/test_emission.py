import pytest

from caia_replay.origin.market.emission import Emission, Emissions
from caia_replay.origin.scene import Scene


def vested(scene: Scene, emission: Emission, moment: int) -> dict[str, int]:
    """Section -> what the vesting contracts themselves say has vested at a moment."""
    token, found = scene.assets[emission.role].address, dict.fromkeys(emission.sections(), 0)
    for grant in emission.grants:
        contract = next(made for made in scene.main.contracts.values() if made.address == grant.contract)
        data = "0x" + contract.artifact.call("vestedAmount(address,uint64)", (token, moment)).hex()
        found[grant.section] += int(scene.main.ask("eth_call", {"to": grant.contract, "data": data}, "latest"), 16)
    return found


def test_the_calendar_is_what_the_contracts_say(scene: Scene) -> None:
    """On every tenth day of every calendar, before, within and after the story, each section is what was vested."""
    facts = 0
    for emission in Emissions(scene).all():
        for moment in list(emission.midnights())[::10]:
            told = vested(scene, emission, moment)
            assert told == {section: emission.unlocked(section, moment) for section in told}
            facts += len(told)
    assert facts >= 200


def test_a_calendar_begins_with_nothing_and_ends_with_all(scene: Scene) -> None:
    """The last day has every grant whole; what was granted is at most what was made; an unknown project has none."""
    found = Emissions(scene)
    assert len(found.all()) == 6 and found.of("nobody") is None
    for emission in found.all():
        days = list(emission.midnights())
        assert sum(emission.unlocked(section, days[-1]) for section in emission.sections()) == emission.granted
        assert 0 < emission.granted < emission.supply and found.of(emission.slug.upper()) is emission


def test_a_cliff_forgotten_is_seen(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with the contracts fails when a schedule releases before its cliff."""
    emission = Emissions(scene).all()[0]
    schedule = emission.grants[0].schedule
    moment = schedule.cliff - 1
    assert vested(scene, emission, moment)[emission.grants[0].section] == emission.unlocked(
        emission.grants[0].section, moment
    )
    monkeypatch.setattr(type(schedule), "vested", lambda own, at: own.total * (at - own.start) // own.duration)
    assert vested(scene, emission, moment)[emission.grants[0].section] != emission.unlocked(
        emission.grants[0].section, moment
    )
