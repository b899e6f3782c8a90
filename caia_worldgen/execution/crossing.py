"""The bridge as orders use it: its relayer really carries what was locked, to whoever it was locked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from caia_replay.core.execution import Asset, EventCheck, ScriptedTransaction
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import ZERO_ADDRESS
from caia_worldgen.execution.holding import token
from caia_worldgen.execution.sending import deed
from caia_worldgen.tasks.shape import Story
from caia_worldgen.view import ViewCall

VAULT: Final = "bridge vault"
LOCKED: Final = (
    "Locked(uint256 indexed nonce, address indexed token, address indexed sender, address recipient, uint256 amount)"
)
MINTER: Final = "bridge minter"
_BURNED: Final = (
    "Burned(uint256 indexed nonce, address indexed localToken, address indexed sender, address remoteToken, "
    "address recipient, uint256 amount)"
)
_RELEASE: Final = "release(uint256,address,address,uint256)"
_MINT: Final = "mintFor(uint256,address,address,uint256)"


def bridged(story: Story, role: str, block: int) -> Asset:
    """A token of the roll-up, worth what the main chain's, which it stands for, is worth at the main chain's
    ``block``."""
    original, held = token(story, role, block), story.scene.bridged[role]
    main, price = story.chain(story.scene.main), original.price
    if price is not None:
        steps = (GoldStep(one.tool, {**one.arguments, "chain": main}) for one in price.steps)
        price = GoldChain(tuple(steps), price.result)
    return replace(
        original, symbol=held.project.ticker, chain=story.chain(story.scene.rollup), address=held.address, price=price
    )


def remote(story: Story, role: str) -> str:
    """What the bridge calls a token: the native coin, which has no contract, is nobody's address."""
    return ZERO_ADDRESS if role == "native" else story.scene.assets[role].address


def locked(story: Story, role: str, sender: str, recipient: str, amount: int) -> EventCheck:
    """What the vault says of a lock."""
    main = story.scene.main
    values = {"token": remote(story, role), "sender": sender, "recipient": recipient, "amount": str(amount)}
    return EventCheck(story.chain(main), main.contracts[VAULT].address, LOCKED, values)


def burned(story: Story, role: str, sender: str, recipient: str, amount: int) -> EventCheck:
    """What the minter says of tokens that go back."""
    rollup = story.scene.rollup
    values = {
        "localToken": story.scene.bridged[role].address, "sender": sender, "recipient": recipient,
        "amount": str(amount),
    }  # fmt: skip
    return EventCheck(story.chain(rollup), rollup.contracts[MINTER].address, _BURNED, values)


def released(story: Story, role: str, sender: str, recipient: str, amount: int, block: int) -> ScriptedTransaction:
    """After the agent has ended, the relayer pays out on the main chain what was so burned; ``block`` is the
    roll-up's."""
    scene = story.scene
    (nonce,) = scene.rollup.views.answer(ViewCall(MINTER, "nextNonce"), block)
    vault, relayer = scene.main.contracts[VAULT].address, scene.people.address("bridge relayer")
    terms = (int(nonce), remote(story, role), recipient, amount)
    made = deed(story.chain(scene.main), relayer, vault, _RELEASE, *terms)
    return replace(made, when=burned(story, role, sender, recipient, amount))


def carried(story: Story, role: str, sender: str, recipient: str, amount: int, block: int) -> ScriptedTransaction:
    """After the agent has ended, the relayer mints on the roll-up what was so locked, and nothing where it was not."""
    scene = story.scene
    (nonce,) = scene.main.views.answer(ViewCall(VAULT, "nextNonce"), block)
    minter, relayer = scene.rollup.contracts[MINTER].address, scene.people.address("bridge relayer")
    terms = (int(nonce), remote(story, role), recipient, amount)
    made = deed(story.chain(scene.rollup), relayer, minter, _MINT, *terms)
    return replace(made, when=locked(story, role, sender, recipient, amount))
