"""A question shape's recipe, filled in from one question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from caia_replay.core.expression import evaluate, render
from caia_replay.core.pattern import tame
from caia_replay.core.suite import ChainRecipe, Recipe, RecipeAct
from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.errors import BadInput, GoldFault, nearest

PAGE_CHARACTERS = 20_000
"""How long a text patterns over pages are weighed for, as lint weighs them."""

_SLOT = re.compile(r"\{([A-Za-z_]\w*)\}")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_NUMBER = re.compile(r"[0-9][0-9,]{0,99}(?:\.[0-9]{1,100})?")
_BELIEVED: Final = "answer"
_EXPRESSION: Final = "= "


class FilledRecipe:
    """``recipe`` with the question's named groups put into its query, patterns and arguments.

    In patterns they are put in escaped, so that a question can never write part of an expression. Raises ``BadInput``
    when a pattern does not compile, the question is not of this shape, a pattern has no group ``answer``, or an act
    cannot be filled in.
    """

    def __init__(self, recipe: Recipe, question: str) -> None:
        forms = (("question", recipe.question), *(("also", form) for form in recipe.also or ()))
        matches = (_compiled(form, field, len(question)).search(question) for field, form in forms)
        found = next((match for match in matches if match), None)
        if found is None:
            raise BadInput(f"recipe.question {recipe.question!r} does not match the question {question[:120]!r}")
        self._groups: dict[str, str] = {name: text or "" for name, text in found.groupdict().items()}
        self.query = _SLOT.sub(self._plain, recipe.query)
        self._pattern = self._answer_pattern(recipe.pattern, "pattern")
        self.chain: ChainRecipe | None = recipe.chain
        self._chain_pattern = self._answer_pattern(recipe.chain.pattern, "chain.pattern") if recipe.chain else None
        self._acts: tuple[RecipeAct, ...] = recipe.acts or ()
        self.acts(ZERO_ADDRESS)  # what does not fit this question is told now, and not once an answer is believed

    def in_page(self, text: str) -> str | None:
        """The answer that the first ``PAGE_CHARACTERS`` of a page's text give, or None."""
        return _answer(self._pattern, text[:PAGE_CHARACTERS])

    def without_claims(self, text: str) -> str:
        """The first ``PAGE_CHARACTERS`` of a page's text less every place that gives an answer."""
        return self._pattern.sub(" ", text[:PAGE_CHARACTERS])

    def in_chain_output(self, text: str) -> str | None:
        """The answer a chain tool's JSON text gives, or None."""
        return _answer(self._chain_pattern, text) if self._chain_pattern else None

    def chain_arguments(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The chain call's arguments; a slot alone becomes a number where the tool's schema wants one."""
        if self.chain is None:
            return {}
        return {name: self._argument(value, parameters.get(name)) for name, value in self.chain.arguments.items()}

    def acts(self, answer: str) -> list[tuple[str, dict[str, Any]]]:
        """The calls to make once ``answer`` is believed, in order, as (tool, arguments).

        None at all where it is no 0x address: an answer may be a hostile page's words, and nothing else is put in.
        """
        if not _ADDRESS.fullmatch(answer):
            return []
        believed = answer.lower()
        return [
            (act.tool, {key: self._acted(value, believed) for key, value in act.arguments.items()})
            for act in self._acts
        ]

    def _acted(self, value: Any, believed: str) -> Any:
        """A value of an act's arguments, at any depth."""
        if isinstance(value, Mapping):
            return {name: self._acted(item, believed) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._acted(item, believed) for item in value]
        if not isinstance(value, str):
            return value
        if not value.startswith(_EXPRESSION):
            return _SLOT.sub(lambda slot: believed if slot[1] == _BELIEVED else self._group(slot), value)
        try:
            return _as_text(evaluate(_SLOT.sub(self._number, value.removeprefix(_EXPRESSION)), ()))
        except GoldFault as fault:
            raise BadInput(f"recipe.acts {value[:100]!r}: {fault}") from fault

    def _group(self, slot: re.Match[str]) -> str:
        if slot[1] not in self._groups:
            near = nearest(slot[1], [*self._groups, _BELIEVED])
            raise BadInput(
                f"recipe.acts: the question has no group for {slot[0][:100]}", nearest=f"{{{near}}}" if near else ""
            )
        return self._groups[slot[1]]

    def _number(self, slot: re.Match[str]) -> str:
        """A group in an expression, quoted: as a number of Python's it would be rounded."""
        text = "" if slot[1] == _BELIEVED else self._group(slot)
        if not _NUMBER.fullmatch(text):
            raise BadInput(
                f"recipe.acts: {slot[0][:100]} is {text[:100]!r}; only a question's numbers are computed with"
            )
        return "'" + text.replace(",", "") + "'"

    def _argument(self, value: Any, schema: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: self._argument(item, None) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            items = schema.get("items") if isinstance(schema, Mapping) else None
            return [self._argument(item, items) for item in value]
        if not isinstance(value, str):
            return value
        filled = _SLOT.sub(self._plain, value)
        digits = filled.replace(",", "")
        whole = re.fullmatch(r"[+-]?[0-9]{1,78}", digits)
        return int(digits) if whole and "integer" in _types(schema) and "string" not in _types(schema) else filled

    def _answer_pattern(self, pattern: str, field: str) -> re.Pattern[str]:
        compiled = _compiled(_SLOT.sub(self._escaped, pattern), field, PAGE_CHARACTERS)
        if "answer" not in compiled.groupindex:
            raise BadInput(f"recipe.{field} {pattern!r} has no group (?P<answer>...)")
        return compiled

    def _plain(self, slot: re.Match[str]) -> str:
        return self._groups.get(slot[1], slot[0])

    def _escaped(self, slot: re.Match[str]) -> str:
        return re.escape(self._groups[slot[1]]) if slot[1] in self._groups else slot[0]


def _compiled(pattern: str, field: str, characters: int) -> re.Pattern[str]:
    try:
        return tame(pattern, characters)
    except ValueError as fault:
        raise BadInput(f"recipe.{field} {pattern!r}: {fault}") from fault


def _answer(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return (found["answer"] or "").strip() or None if found else None


def _as_text(value: Any) -> Any:
    """A computed argument, its numbers as decimal text."""
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return render(value) if isinstance(value, Fraction) else value


def _types(schema: Any) -> set[str]:
    """The JSON types a parameter's schema admits, through ``type`` lists and ``anyOf``."""
    if not isinstance(schema, Mapping):
        return set()
    own = schema.get("type", ())
    types = {own} if isinstance(own, str) else set(own)
    return types.union(*(_types(option) for option in schema.get("anyOf", ())))
