"""Functions, events and errors of contracts, by name and canonical parameter types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from eth_utils.crypto import keccak

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, standing
from caia_replay.scoring.verifiers.fragment import Fragment, fragments

_BARE = re.compile(r"(?<![0-9a-zA-Z.#])(?<!block )(?<!height )([0-9a-f]{8})(?![0-9a-zA-Z]|\.\d)", re.IGNORECASE)
_SELECTOR = re.compile(r"(?<![0-9a-zA-Z])0x([0-9a-f]{8}|[0-9a-f]{64})(?![0-9a-zA-Z])", re.IGNORECASE)


class AbiVerifier:
    """Right when the one fragment the answer states is the value's: kind (where both say it), name, parameter types.

    Read as Solidity ("function transfer(address to, uint256 amount) returns (bool)"), as a bare signature
    ("transfer(address,uint256)") or as a JSON ABI entry; ``uint`` is ``uint256``, tuples are spelled out. What is
    returned or indexed counts only where the value tells it. A value in lower case that tells no kind is a function. A
    selector, with or without its "0x", is an answer only when it is an alias; beside a signature it must be that
    signature's. Names are told by their case: so does the chain.
    """

    reads: tuple[str, ...] = ("aliases",)

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` for a value that is no fragment or a broken alias."""
        gold, selectors = _accepted(spec)
        text = answer.translate(dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff`"))).replace("**", "")
        found = fragments(text)
        hashes = [word for word in _SELECTOR.finditer(text) if len(word[1]) == 8 or word[0].lower() in selectors]
        bare = list(_BARE.finditer(text))
        if not any("0x" + word[1].lower() in selectors for word in bare):
            # eight digits alone are a number, not a selector
            bare = [word for word in bare if not word[1].isdigit() and not word[1].isalpha()]
        if selectors:
            hashes = sorted([*hashes, *bare], key=lambda word: word.start())
        spans = sorted([*((one.start, one.end) for one in found), *(word.span() for word in hashes)])
        stands = dict(zip(spans, standing(text, spans)))
        label = gold[0].label()
        stated = [one for one in found if stands[one.start, one.end]]
        readings = [label if any(_meets(one, want) for want in gold) else one.label() for one in stated]
        own = {_selector(one) for one in stated}
        for word in hashes:
            said = "0x" + word[1].lower()
            if stands[word.span()] and said not in own:
                readings.append(label if said in selectors else said)
        reading, fault = agreed(readings)
        if reading is None:
            return Score(False, fault)
        return Score(reading == label, f"read {reading}", reading)


def _accepted(spec: AnswerSpec) -> tuple[Sequence[Fragment], frozenset[str]]:
    gold, selectors = [], set()
    for value in (*spec.values, *spec.aliases):
        stated = fragments(value)
        if _SELECTOR.fullmatch(value.strip()) and value in spec.aliases:
            selectors.add(value.strip().lower())
        elif len(stated) == 1:
            one = stated[0]
            lower = one.kind is None and one.name[:1].islower()
            gold.append(replace(one, kind="function") if lower else one)
        else:
            raise BadInput(f"{value!r} is not one function, event or error", where="answer.values")
    if len(spec.values) != 1:
        raise BadInput("an abi answer has one value", where="answer.values")
    return gold, frozenset(selectors)


def _meets(said: Fragment, wanted: Fragment) -> bool:
    return (
        (said.kind is None or wanted.kind is None or said.kind == wanted.kind)
        and (said.name, said.inputs) == (wanted.name, wanted.inputs)
        and (not any(wanted.indexed) or said.indexed == wanted.indexed)
        and (wanted.outputs is None or said.outputs == wanted.outputs)
    )


def _selector(fragment: Fragment) -> str:
    return "0x" + keccak(text=fragment.signature())[:4].hex()
