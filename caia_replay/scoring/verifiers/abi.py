"""Functions, events and errors of contracts, by name and canonical parameter types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from eth_utils.crypto import keccak

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import claim, fault_beside
from caia_replay.scoring.verifiers.fragment import Fragment, fragments
from caia_replay.scoring.words import words_of

_BARE = re.compile(r"(?<![0-9a-zA-Z.#])(?<!block )(?<!height )([0-9a-f]{8})(?![0-9a-zA-Z]|\.\d)", re.IGNORECASE)
_KINDS = ("function", "method", "event", "error", "custom", "solidity", "signature", "函数方法事件错误")
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

    def form(self, spec: AnswerSpec) -> str:
        """A signature."""
        return "one signature, such as transfer(address,uint256), with the word function, event or error before it"

    def verify(self, spec: AnswerSpec, answer: str, question: str = "") -> Score:
        """Judge ``answer``. Raises ``BadInput`` for a value that is no fragment or a broken alias."""
        gold, selectors = _accepted(spec)
        text = answer.translate(dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff`"))).replace("**", "")
        said = claim(text, lambda part: [(one.start, one.end) for one in fragments(part)])
        found = fragments(said.text)
        hashes = [one for form in (_SELECTOR, _BARE) for one in form.finditer(said.text) if _is_hash(one, selectors)]
        spans = [*((one.start, one.end) for one in found), *(one.span() for one in hashes)]
        if fault := fault_beside(said.text, spans, words_of(question, *_KINDS, figures=True)):
            return Score(False, fault)
        label = gold[0].label()
        readings = {label if any(_meets(one, want) for want in gold) else one.label() for one in found}
        own = {_selector(one) for one in found}
        readings |= {
            label if "0x" + one[1].lower() in selectors else one[1]
            for one in hashes
            if "0x" + one[1].lower() not in own
        }
        if len(readings) != 1:
            return Score(
                False,
                f"hedged between {len(readings)} of them" if readings else "no function, event or error is stated",
            )
        reading = readings.pop()
        if any(_meets(one, want) for part in said.rejected for one in fragments(part) for want in gold):
            return Score(False, "says and rejects the value")
        return Score(reading == label, f"read {reading}", reading)


def _is_hash(found: re.Match[str], selectors: frozenset[str]) -> bool:
    """Whether hexadecimal digits are a selector: with "0x" eight of them, without it those that an alias has."""
    return (found[0][:2] == "0x" and len(found[1]) == 8) or "0x" + found[1].lower() in selectors


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
