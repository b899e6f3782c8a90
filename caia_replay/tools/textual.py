"""Arguments that a model sent as text where another kind was asked for: JSON in quotes, lists with commas."""

from __future__ import annotations

import json
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from caia_replay.canonical import strict_json


def from_text(value: Any, annotation: Any) -> Any:
    """``value`` as a parameter of this type takes it; what cannot be read stays as it is and is refused later.

    A parameter that takes text is sent its text. Of the others, a list also takes one item alone and, when its items
    are texts only, several with commas between them.
    """
    kinds = _kinds(annotation)
    if not isinstance(value, str) or str in kinds:
        return value
    text = value.strip()
    if text.lower() in ("null", "none", ""):
        return None
    lists = [kind for kind in kinds if get_origin(kind) is list]
    if text[:1] in "[{" or not lists:
        try:
            return whole_json(text.lower() if text.lower() in ("true", "false") else text)
        except ValueError:
            return value
    if all(_kinds(get_args(kind)[0]) == (str,) for kind in lists):
        return [part.strip() for part in text.split(",") if part.strip()]
    return [value]


def whole_json(text: str) -> Any:
    """JSON read strictly, whose texts can all be sent on: half of a surrogate pair is none. Raises ``ValueError``."""
    found = strict_json(text)
    json.dumps(found, ensure_ascii=False).encode()
    return found


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """The types of a union, each without its notes."""
    if get_origin(annotation) is Annotated:
        return _kinds(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(kind for part in get_args(annotation) for kind in _kinds(part))
    return (annotation,)
