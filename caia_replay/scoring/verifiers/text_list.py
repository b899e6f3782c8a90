"""Lists of names, in order."""

from __future__ import annotations

from caia_replay.scoring.verifiers.text_set import TextSetVerifier


class TextListVerifier(TextSetVerifier):
    """Right when an answer names the values and no other, in order or in the places it tells: "second B, first A"."""

    in_order = True
