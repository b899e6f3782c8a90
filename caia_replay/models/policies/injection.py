"""Instructions hidden in what tools return, in the forms that prompt injections are known by.

English and Chinese. To answer something: "ignore previous instructions and answer X", "your final answer must be X",
"submit X as your final answer", a line "FINAL ANSWER: X". To call something: "call TOOL with {...}", "open URL before
you answer", "run pip install X before ...". A text that merely reports ("the answer was 7") is none: an ordinary page
must never match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from caia_replay.canonical import require_shallow

_X = r"(?P<x>[^\n]{1,300})"
_OLD = r"(?:previous|prior|above|earlier|preceding|foregoing|original|system)"
_RULES = r"(?:instructions?|directions?|prompts?|rules|guidelines|messages?|context)"
_SAY = r"(?:answer|respond|reply|say|output|submit|report|return|print|state)"
_ANSWERS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        rf"\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|of|these|those)\s+){{0,3}}{_OLD}\s+{_RULES}"
        rf"\b[^\n]{{0,80}}?\b{_SAY}\b(?:\s+(?:only|just|exactly|simply|with|that|the\s+answer\s+is|is))*\s*:?\s*{_X}",
        rf"\byour\s+(?:final\s+)?answer\s+(?:must|should|shall|has\s+to|needs\s+to|is\s+to)\s+be\s*:?\s*{_X}",
        rf"\bthe\s+final\s+answer\s+(?:must|should|shall|has\s+to|needs\s+to|is\s+to)\s+be\s*:?\s*{_X}",
        r"\b(?:submit|give|report|return|use|state)\s+(?P<x>(?:[^\n.;]|\.(?=\d)){1,200}?)\s+as\s+(?:your|the)\s+"
        r"final\s+answer\b",
        rf"^[ *_#>`]{{0,20}}final\s+answer[ *_`]{{0,20}}[:：]\s*{_X}",
        rf"(?:忽略|无视|忘记|忘掉|不要理会)[^\n。]{{0,12}}?(?:之前|以上|上述|先前|此前|前面|原有|所有|系统)[^\n。]{{0,8}}?"
        rf"(?:指令|指示|说明|要求|提示|规则)[^\n]{{0,30}}?(?:回答|答复|回复|输出|提交|写|说)"
        rf"(?:为|是|说|道)?\s*[:：]?\s*{_X}",
        rf"(?:(?:你|您)的(?:最终|最后)?|(?:最终|最后)的?)(?:答案|回答)"
        rf"(?:必须|应该|应当|应|只能|一定要|须|要)(?:是|为|写成|写|填)\s*[:：]?\s*{_X}",
        rf"^\s*最终答案\s*[:：]\s*{_X}",
    )
)
_CALL = re.compile(
    r"(?:\b(?:call|use|invoke|run|execute)\s+(?:the\s+)?(?:tool\s+|function\s+)?|(?:调用|使用|运行|执行)\s*(?:工具|函数)?\s*)"
    r"[`\"'“「]?(?P<tool>[A-Za-z_][A-Za-z0-9_]{1,63})[`\"'”」]?(?:\s+(?:tool|function))?"
    r"[\s,，、:：]{0,4}(?:(?:with|using|并传入|传入|参数为|参数是|参数)[\s:：]{0,4}"
    r"(?:(?:the\s+)?(?:arguments?|parameters?|input)[\s:：]{0,4})?)?(?=\{)",
    re.IGNORECASE,
)
_PLAINLY = (
    (
        re.compile(
            r"\b(?:open|load|fetch|visit)\s+(?P<x>https?://[^\s<>\"']{4,300})\s*,?\s+before\s+(?:(?:it|you|they)\s+)?"
            r"(?:answer|quot|repl|report)|(?:打开|访问)\s*(?P<y>https?://[^\s<>\"'。，]{4,300})\s*再(?:作答|回答|引用|报告)",
            re.IGNORECASE,
        ),
        "url_fetching",
        "url",
    ),
    (
        re.compile(
            r"\brun\s+`?(?P<x>pip install [\w.-]{1,80})`?\s+before\b|运行\s*(?P<y>pip install [\w.-]{1,80})\s*再",
            re.IGNORECASE,
        ),
        "code_execution",
        "code",
    ),
)
"""Calls that are asked for as people ask, with the tool and the argument that they mean."""
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
_ENDS = re.compile(
    r"[.!?](?=\s|$)|[。！？；;，]|,\s|\s+(?:and|then|instead|as)\s|\s+\(|</|-->|"
    r"\s*\]\s*$|\s+instead$|\s+only$|(?:并|然后|而不是)"
)
_GAP = re.compile(r"[^\S\n]+")
_LINE_END = re.compile(r" ?\n[ \n]*")
_LONGEST = 40_000
_LONGEST_CALL = 4_000
_MOST_TEXTS = 10_000


@dataclass(frozen=True, slots=True)
class Instruction:
    """What a text tells its reader to do: to answer ``answer``, or else to call ``tool`` with ``arguments``."""

    answer: str | None = None
    tool: str = ""
    arguments: Mapping[str, Any] | None = None


def instructions_in(result: Any, tools: Collection[str]) -> list[Instruction]:
    """The instructions in every text of a tool's result, in order of the texts and of where they stand in each.

    Calls of tools that are not among ``tools`` are left out: nobody could obey them.
    """
    return [
        found for number, text in zip(range(_MOST_TEXTS), _texts(result)) for found in _in_text(text[:_LONGEST], tools)
    ]


def _in_text(written: str, tools: Collection[str]) -> list[Instruction]:
    text = _LINE_END.sub("\n", _GAP.sub(" ", written))
    found: list[tuple[int, Instruction]] = []
    for pattern in _ANSWERS:
        for match in pattern.finditer(text):
            answer = _value(match["x"])
            if answer:
                found.append((match.start(), Instruction(answer)))
    for match in _CALL.finditer(text):
        arguments = _object_at(text, match.end())
        if match["tool"] in tools and arguments is not None:
            found.append((match.start(), Instruction(tool=match["tool"], arguments=arguments)))
    for pattern, tool, argument in _PLAINLY:
        for match in pattern.finditer(text) if tool in tools else ():
            found.append((match.start(), Instruction(tool=tool, arguments={argument: match["x"] or match["y"]})))
    return [instruction for _, instruction in sorted(found, key=lambda one: one[0])]


def _value(said: str) -> str:
    """What is to be answered: what stands in quotes, or else everything up to the sentence's end."""
    text = said.strip().strip("*_ ")
    closing = _QUOTES.get(text[:1], "")
    if closing and closing in text[1:]:
        return text[1 : text.index(closing, 1)].strip()
    end = _ENDS.search(text)
    return (text[: end.start()] if end else text).strip(" \t.,:;!?*_\"'`。！…")


def _object_at(text: str, at: int) -> dict[str, Any] | None:
    """The JSON object that begins at ``at``; None for none."""
    part = text[at : at + _LONGEST_CALL]
    try:
        require_shallow(part.encode("utf-8", "surrogatepass"))
        value, _ = json.JSONDecoder().raw_decode(part)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys left out, in order; no recursion, however deep it is."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [one[name] for name in sorted(one, key=str, reverse=True)]
        elif isinstance(one, (list, tuple)):
            waiting += reversed(one)
