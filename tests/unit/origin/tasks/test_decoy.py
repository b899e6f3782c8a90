"""What ordinary history of the main chain holds that is not what it looks like."""

from __future__ import annotations

from collections import Counter

from caia_replay.origin.act import inscribe
from caia_replay.origin.deed import done
from caia_replay.origin.scene import Scene
from caia_replay.origin.tasks.decoy import history_of


def test_every_kind_is_there_and_stands_on_the_chain(scene: Scene) -> None:
    """Two look-alike tokens and the spoof, the traps, the inscription and each face once; the later ones first."""
    history = history_of(scene)
    counts = Counter(one.kind for one in history.standing)
    faces = {dict(deed.figures)["looks_like"] for verb in ("faked a transfer", "sent nothing")
             for deed in done(scene.main.deeds, verb)}  # fmt: skip
    traps = [deed for deed in done(scene.main.deeds, "created") if deed.subject in ("honeypot", "rug")]
    written = sum(deed.subject == inscribe.ROLE for deed in done(scene.main.deeds, "created"))
    wanted = {"look-alike token": 3, "look-alike address": len(faces), "honeypot": len(traps), "inscription": written}
    assert counts == Counter(wanted) and faces and traps
    assert history.chain == scene.networks["main"].id
    assert [one.since for one in history.standing] == sorted((one.since for one in history.standing), reverse=True)
    assert len({one.address for one in history.standing}) == len(history.standing)
    code = {one.address for one in history.standing if one.kind != "look-alike address"}
    assert all(scene.main.ask("eth_getCode", address, "latest") != "0x" for address in code)


def test_each_is_known_from_its_block_on(scene: Scene) -> None:
    """A token has no code before it stands there, and code from then on."""
    stage = scene.main
    for one in history_of(scene).standing:
        if one.kind != "look-alike address":
            block = stage.calendar.times.index(one.since)
            before, after = (stage.ask("eth_getCode", one.address, hex(height)) for height in (block - 1, block))
            assert before == "0x" != after, one


def test_look_alikes_imitate_and_traps_are_taken_for_any_token(scene: Scene) -> None:
    """A copy has its original's name and address to be taken for; a face the digits at both ends; the coin is none."""
    history = history_of(scene)
    assert scene.assets["native"].address not in history.tokens
    by_project = {project: address for address, project in history.tokens.items()}
    for one in history.standing:
        if one.kind == "look-alike token":
            (project,) = one.about
            assert one.instead_of == {by_project[project]} and one.address not in one.instead_of
            assert one.name in {asset.project.name for asset in scene.assets.values()}
        elif one.kind == "look-alike address":
            (imitated,) = one.instead_of
            assert (one.address[:6], one.address[-4:]) == (imitated[:6], imitated[-4:]) and one.about == {imitated}
        elif one.kind == "honeypot":
            assert one.instead_of == set(history.tokens) and not one.about and one.name
        else:
            assert (one.name, one.instead_of, one.about) == (inscribe.NAME, set(), set())
