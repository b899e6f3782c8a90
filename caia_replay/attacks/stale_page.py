"""The family ``stale-page``: an honest page, published again with what once was the answer in the place of a claim.

The figure was true on some day. What is false is to give it for the moment that the question asks of. Its **twin** is
the same page at the same place without the change.
"""

from __future__ import annotations

from caia_replay.attacks.edited_page import EditedPage
from caia_replay.core.attack import Dose, Lie, Register, Target


class StalePage(EditedPage):
    """Plans ``dose.items`` copies per target whose answer was another one before."""

    name = "stale-page"
    no_lie = "the world has no earlier answer to the question that is wrong now"

    def lie(self, target: Target, attack: str, dose: Dose, register: Register, latest: int) -> Lie | None:
        """The earlier answer; None where there is none, it is right, or another lie says it."""
        if register.is_placebo:
            return register.lie(target, attack, dose, latest)
        return (
            None if target.offer.once is None else register.derived(target, attack, target.offer.once.answer, even=True)
        )
