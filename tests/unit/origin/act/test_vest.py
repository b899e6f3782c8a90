"""Vesting: what was released is what the contracts' own events tell, and what their schedules allow."""

from __future__ import annotations

from typing import Any

from caia_replay.origin.act.vest import GRANTS, schedule_of
from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.deed import Deed, done
from caia_replay.origin.scene import Scene

VESTING = load_artifact("VestingSchedule")


def granted(scene: Scene) -> dict[str, Deed]:
    return {deed.subject: deed for deed in done(scene.main.deeds, "granted")}


def answered(scene: Scene, role: str, function: str, *arguments: Any) -> Any:
    """What the contract answers at the end of the story."""
    contract = scene.main.contracts[role]
    data = "0x" + contract.artifact.call(function, arguments).hex()
    reply = scene.main.ask("eth_call", {"to": contract.address, "data": data}, "latest")
    (value,) = contract.artifact.decode(function, bytes.fromhex(reply[2:]))
    return value


def test_the_contracts_have_the_terms_of_their_deeds(scene: Scene) -> None:
    """Start, cliff, end, beneficiary and total of each; the total is what was paid in."""
    deeds = granted(scene)
    assert len(deeds) == len(GRANTS) and len({dict(deed.figures)["project"] for deed in deeds.values()}) >= 5
    for role, deed in deeds.items():
        terms, figures = schedule_of(deed), dict(deed.figures)
        asset = scene.assets[str(figures["project"])]
        told = [answered(scene, role, name) for name in ("start", "cliff", "duration", "end", "owner")]
        assert told == [terms.start, terms.cliff, terms.duration, terms.end, figures["beneficiary"]]
        vested = answered(scene, role, "vestedAmount(address,uint64)", asset.address, terms.end)
        assert vested == terms.total > 0
        funds = {scene.people.address(one) for one in ("seed fund", "venture fund")}
        assert (figures["beneficiary"] in funds) is ("investors" in role)


def test_every_release_is_an_event_of_its_contract(scene: Scene) -> None:
    """Amounts in order; each brings what was released up to what had vested by then."""
    topic = VESTING.events["ERC20Released"].topic0
    for role, deed in granted(scene).items():
        asked = {"fromBlock": "0x0", "address": scene.main.contracts[role].address, "topics": [topic]}
        told = [log["amount"] for log in VESTING.logs("ERC20Released", scene.main.ask("eth_getLogs", asked))]
        meant, terms, paid = list(done(scene.main.deeds, "released", role)), schedule_of(deed), 0
        assert told == [one.figure("amount") for one in meant]
        for one in meant:
            paid += one.figure("amount")
            assert paid == terms.vested(scene.main.calendar.times[one.block])


def test_cliffs_and_ends_fall_into_the_story(scene: Scene) -> None:
    """Some tried before the cliff and got nothing; some got their first at the cliff; some have everything."""
    times = scene.main.calendar.times
    early, first, whole, unborn = set(), set(), set(), set()
    for role, deed in granted(scene).items():
        terms, paid = schedule_of(deed), 0
        unborn |= {role} if terms.cliff > times[-1] else set()
        for one in done(scene.main.deeds, "released", role):
            early |= {role} if times[one.block] < terms.cliff and one.figure("amount") == 0 else set()
            first |= (
                {role} if times[one.block - 1] < terms.cliff <= times[one.block] and one.figure("amount") else set()
            )
            paid += one.figure("amount")
        whole |= {role} if paid == terms.total else set()
    assert len(early) >= 5 and len(first) >= 5 and len(whole) >= 3 and unborn


def test_what_will_have_vested_is_known_from_the_first_day(scene: Scene) -> None:
    """The views written down for fixed moments follow from the terms and hold to the end, whatever was released."""
    checked = 0
    for question in scene.main.views.questions():
        if question.function == "vestedAmount(address,uint64)":
            terms = schedule_of(granted(scene)[question.role])
            known = scene.main.views.answer(question, scene.main.height - 1)
            assert known == (terms.vested(question.arguments[1]),)
            assert list(scene.main.views.heights(question)) == [granted(scene)[question.role].block]
            assert answered(scene, question.role, question.function, *question.arguments) == known[0]
            checked += 1
    assert checked == 9 * len(GRANTS)
