"""One run's record read from a folder of anybody's: JSON whose every field is of the form that ours have.

The forms are data, so that whoever reads a record may rely on it: ``int`` and ``str`` are themselves, a set holds what
may stand there, a tuple names several forms, ``[form]`` is a list, ``{str: form}`` a table with names of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from caia_replay.core.tool import Served
from caia_replay.core.trajectory import STOPS
from caia_replay.errors import BadInput
from caia_replay.store.results import ATTACK_FACTS
from caia_replay.store.trajectory_file import Trajectories

_DOLLARS: Final = re.compile(r"-?[0-9]{1,80}(?:\.[0-9]{1,80})?", re.ASCII)
_MISSING: Final = object()
_MAYBE_TEXT: Final = (str, None)
_MESSAGE: Final = {"role": {"system", "user", "assistant", "tool"}, "content": str}
_MODEL: Final = {
    **{"turn": int, "content": str, "finish_reason": str, "prompt_tokens": int, "completion_tokens": int},
    **{"cached_tokens": int, "reasoning_tokens": int, "tokens_reported": bool},
    "tool_calls": [{"id": str, "name": str, "arguments": str}],
}
_TOOL: Final = {
    **{"turn": int, "call_id": str, "tool": str, "arguments": str, "served": set(map(str, Served))},
    **{"shown": {}, "altered_by": [str], "nearest": str},
}
_FAMILY: Final = {
    **{"exposed": bool, "opened": bool, "adopted": (bool, None), "authoritative": bool, "first_step": (int, None)},
}
_ATTACK: Final = {
    **{**dict.fromkeys(ATTACK_FACTS, bool), "adopted": (bool, None)},
    **{"first_step": (int, None), "adopted_attack": str, "by": {str: _FAMILY}, "obeyed": [{}], "seen": [str]},
}
_EXECUTION: Final = {"sent": [{}], "lost": {str: str}, "loss_usd": (_DOLLARS, None), "diverged": [str]}
_LATER: Final = {
    **{"execution": _EXECUTION, "project": (str, None), "difficulty": (int, None)},
    "confidence": (int, None),
    "own_tools": {str: {"authoritative", "open-web", "social"}},
}
"""Not in every record: of tasks that are carried out, of suites with own tools, of agents that are asked
how sure they are, or not in the first edition's."""
_RECORD: Final = {
    **{"version": int, "task": str, "category": str, "arm": str, "condition": str, "attempt": int},
    **{"prompt": [_MESSAGE], "stop": set(STOPS), "detail": str, "answer": _MAYBE_TEXT, "expected": [str]},
    "steps": [({"kind": {"model"}, **_MODEL}, {"kind": {"tool"}, **_TOOL})],
    "planted": [{"attack": str, "value": str, "url": str}],
    "score": {"correct": (bool, None), "reason": str, "reading": _MAYBE_TEXT},
    "served": dict.fromkeys(map(str, Served), int),
    "tools": {str: int},
    "tokens": {"prompt": int, "completion": int, "cached": int, "reasoning": int, "reported": bool},
    **{"served_as": {str: int}, "waited_s": int, "attack": _ATTACK, "loss_usd": _DOLLARS},
}


def read_record(cell: Trajectories, task: str, attempt: int) -> dict[str, Any]:
    """A run's record. Raises ``BadInput`` naming the file and the first field that is missing or of another form."""
    record = cell.json(task, attempt)
    later = {name: form for name, form in _LATER.items() if name in record}
    wrong = None if _checker_of(tuple(later))(record) else _misfit(record, {**_RECORD, **later}, "")
    if wrong is not None:
        where = cell.where(task, attempt)
        raise BadInput(f"is no run's record: {wrong or 'all of it'}", where=where, next_command="repeat the replay")
    return record


@cache
def _checker_of(later: tuple[str, ...]) -> Callable[[Any], bool]:
    return _checker({**_RECORD, **{name: _LATER[name] for name in later}})


def _checker(form: Any) -> Callable[[Any], bool]:
    """Whether a value is of a form, made once for it: to look for the place, as ``_misfit`` does, takes longer."""
    if isinstance(form, tuple):
        several = [_checker(one) for one in form]
        return lambda value: any(fits(value) for fits in several)
    if isinstance(form, list):
        each = _checker(form[0])
        return lambda value: isinstance(value, list) and all(map(each, value))
    if isinstance(form, dict) and str in form:
        every = _checker(form[str])
        return lambda value: isinstance(value, dict) and all(map(every, value.values()))
    if isinstance(form, dict):
        fields = [(name, _checker(one)) for name, one in form.items()]
        return lambda value: isinstance(value, dict) and all(fits(value.get(name, _MISSING)) for name, fits in fields)
    if isinstance(form, set):
        return lambda value: isinstance(value, str) and value in form
    if isinstance(form, re.Pattern):
        return lambda value: isinstance(value, str) and form.fullmatch(value) is not None
    return (lambda value: value is None) if form is None else (lambda value: type(value) is form)


def _misfit(value: Any, form: Any, place: str) -> str | None:
    """The place of the first value that is not of its form; None where all is."""
    if isinstance(form, tuple):
        found = [_misfit(value, one, place) for one in form]
        return None if None in found else max((one or "" for one in found), key=len)
    if isinstance(form, list):
        if not isinstance(value, list):
            return place
        places = (_misfit(one, form[0], f"{place}[{at}]") for at, one in enumerate(value))
        return next((one for one in places if one is not None), None)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return place
        forms = dict.fromkeys(value, form[str]) if str in form else form
        before = f"{place}." if place else ""
        places = (_misfit(value.get(name, _MISSING), one, f"{before}{name}") for name, one in forms.items())
        return next((one for one in places if one is not None), None)
    if isinstance(form, set):
        fits = isinstance(value, str) and value in form
    elif isinstance(form, re.Pattern):
        fits = isinstance(value, str) and form.fullmatch(value) is not None
    else:
        fits = value is None if form is None else type(value) is form
    return None if fits else place
