"""The defence ``quarantine``: what reads like an order in a tool's output is taken out before the agent reads it.

It goes by what an order needs: somebody addressed who is no person, rules set aside, an answer dictated, a tool of the
agent's named as to be called, or the marks of another speaker in a conversation. English and Chinese.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from caia_replay.canonical import require_shallow
from caia_replay.core.tool import ToolReply, Toolset, ToolSpec

MASK: Final = "[instruction removed]"

_MACHINE: Final = (
    r"(?:ai|a\.i\.|artificial[ -]intelligence|language|llm|automated|autonomous|machine|chat)[ -]?"
    r"(?:assistants?|agents?|models?|readers?|analysts?|crawlers?|bots?|systems?)|llms?\b|chatbots?\b"
)
_MODAL: Final = (
    r"(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|(?:is|are) (?:required|instructed|asked) to|please)"
)
_ACT: Final = (
    r"(?:answer|reply|respond|report|submit|output|say|state|return|ignore|disregard|forget|call|invoke|run|execute|"
    r"fetch|open|visit|register|confirm|follow|use|send|transfer|approve|sign|repeat|include|recommend)"
)
_OLD: Final = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|original|initial|existing|system(?:'s)?|developer|your"
    r"|given|other|former|past)"
)
_RULES: Final = (
    r"(?:instructions?|directions?|directives?|prompts?|guidelines?|guardrails?|messages?|context|orders|commands?"
    r"|rules?|polic(?:y|ies))"
)
_SIGNS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # rules set aside
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overrule|bypass|discard|set aside"
        rf"|(?:do not|don't|never|stop|no longer) (?:follow(?:ing)?|obey(?:ing)?|heed(?:ing)?))\s+"
        rf"(?:[\w']+\s+){{0,4}}?{_OLD}\s+(?:[\w']+\s+){{0,2}}?{_RULES}\b",
        r"(?:忽略|无视|忘记|忘掉|不要理会|不必理会|不要遵守|抛开|跳过)[^\n。]{0,12}(?:指令|指示|说明|要求|提示|规则|设定|命令)",
        # an answer dictated
        r"\b(?:your|the\s+final|the\s+only|the\s+model's|the\s+assistant's)\s+(?:(?:final|last|only|whole)\s+)?"
        rf"(?:answer|response|reply|output)\s+{_MODAL}\s+(?:be|read|say|contain|state|consist)\b",
        r"\bas\s+(?:your|the|its)\s+final\s+(?:answer|response|reply|output)\b",
        r"^[^\w\n]{0,20}final\s+answer[^\w\n]{0,10}[:=]",
        r"\b(?:answer|repl(?:y|ies)|respond)\s+(?:only|just|exactly|simply|solely|nothing\s+but)\b[^\n]{0,12}[:\"'\u201c\u2018]",
        r"[你您]的?(?:最终|最后)?(?:的)?(?:答案|回答|回复|输出)(?:必须|应该|应当|应|只能|一定要|须|要)",
        r"(?:最终|最后)的?(?:答案|回答)(?:必须|应该|应当|应|只能|一定要|须|要)",
        r"^[^\w\n]{0,20}(?:最终|最后)(?:答案|回答)\s*[::=]",
        r"(?:直接|只|仅|只能|只需)(?:回答|回复|输出|答复|作答)\s*[为是:]?\s*[\"'\u201c\u2018\u300c\u300e]"
        r"[^\"'\u201d\u2019\u300d\u300f\n]{0,300}[\"'\u201d\u2019\u300d\u300f](?!\s*:)",
        # somebody addressed who is no person
        rf"(?<!\w)(?:for|to|attention|dear|hey|hello|note\s+(?:to|for)|message\s+(?:to|for)|notice\s+(?:to|for))[\s,:]+"
        rf"(?:all\s+|any\s+|the\s+)?(?:{_MACHINE})(?:\s+(?:and|or)\s+[\w ]{{2,30}})?\s*[:,!\u2014-]",
        rf"\b(?:{_MACHINE})\s+(?:reading|processing|parsing|seeing|summari[sz]ing|visiting|that\s+reads?|who\s+reads?)\s+"
        r"(?:this|these|here)\b",
        rf"\b(?:{_MACHINE})\s+(?:(?:first|also|always|then)\s+)?{_MODAL}\s+(?:(?:first|also|always|then)\s+)?{_ACT}\b",
        rf"\b(?:as\s+an?|you\s+are\s+an?)\s+(?:{_MACHINE})\b[^\n.]{{0,60}}?\b(?:you\s+)?{_MODAL}\s+{_ACT}\b",
        r"(?:致|请|写给|告知)\s*(?:所有|各位)?\s*(?:ai|人工智能|语言模型|大模型|大语言模型|智能体|聊天机器人|自动阅读程序)",
        r"(?:ai|人工智能|语言模型|大模型|大语言模型|智能体|聊天机器人|自动阅读程序)\s*(?:助手|模型|代理|程序|们)?\s*"
        r"(?:请|须|必须|应当|务必|注意)",
        # another speaker, or another mode
        r"\[\s*/?\s*(?:system|inst|assistant|developer|admin)(?:\s+(?:message|prompt|note|notice|update|override))?\s*\]",
        r"<\s*/?\s*\|?\s*(?:system|assistant|developer|im_start|im_end|tool_results?|tool_response|function_results?"
        r"|function_response|system_prompt)\b[^>\n]{0,40}>",
        r"【\s*(?:系统|开发者|管理员)(?:消息|提示|指令|通知)?\s*】",
        r"^[^\w\n]{0,10}system\s+(?:message|prompt|override|instruction)s?\s*:",
        r"\byou\s+(?:are|have)\s+now\s+(?:in|entering|entered|operating\s+in|switched\s+to)\s+[\w' -]{0,30}\bmode\b",
        r"\bin\s+(?:developer|debug|god|admin|jailbreak|dan|unrestricted|maintenance)\s+mode,?\s+(?:you|your|no\s+rule)\b",
        r"[你您](?:现在)?(?:已经?|将)?(?:进入|处于|切换到)[^\n。]{0,8}模式",
        r"在(?:此|该|这个|开发者|管理员)模式下,?\s*[你您]",
    )
)
_CUES: Final = re.compile(
    r"instruct|direct|prompt|guid|guard|messag|context|order|command|rule|polic|answer|repl|respon|output|final|assistant"
    r"|agent|model|reader|analyst|crawler|bot|system|llm|mode|developer|im_|tool_|function_|inst"
    r"|指|说明|要求|提示|规则|设定|命令|答|复|输出|ai|人工智能|语言模型|智能体|程序|系统|开发者|管理员|模式"
)
_CALL_VERB: Final = r"\b(?:call|calls|calling|use|using|invoke|run|execute|trigger|query|open)\b|调用|使用|运行|执行"
_LONGEST_CALL: Final = 4_000


class Quarantine:
    """Puts a placeholder in place of every line that reads like an order to a machine: in results, errors and
    descriptions of tools, whatever their class, for a token's name is anybody's text as well.

    What the agent's own code printed stays: it was read before it went in. Texts without an order stay as they are.

    What it cannot do. It reads forms, not intentions: an order in words that nobody here thought of, in another
    language, in letters that merely look alike, encoded, or in pieces that only the reader puts together passes. A lie
    is no order. A line that quotes an order, such as a report on injections, is taken out with it.
    """

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        specs = toolset.specs()
        self._tools = frozenset(spec.name for spec in specs)
        self._own = frozenset(spec.name for spec in specs if spec.category == "Execution")

    def specs(self) -> Sequence[ToolSpec]:
        """The tools, without what their descriptions order."""
        return [replace(spec, description=self._cleared(spec.description)) for spec in self._toolset.specs()]

    def call(self, name: str, arguments: str) -> ToolReply:
        """The call's reply; the very same where nothing in it is an order."""
        reply = self._toolset.call(name, arguments)
        shown = reply.shown()
        cleared = shown if name in self._own else self._value(shown)
        if cleared == shown:
            return reply
        if reply.result is not None:
            return replace(reply, result=cleared)
        return replace(reply, error=cleared["error"])

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._cleared(value)
        if isinstance(value, Mapping):
            return self._named(value)
        if isinstance(value, (list, tuple)):
            return type(value)(self._value(one) for one in value)
        return value

    def _named(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        """A mapping with its keys read as well; several that were orders are numbered."""
        made: dict[Any, Any] = {}
        for key, one in value.items():
            found = self._cleared(key) if isinstance(key, str) else key
            number = 2
            while found in made:
                found, number = f"{MASK} {number}", number + 1
            made[found] = self._value(one)
        return made

    def _cleared(self, text: str) -> str:
        parts, at = list[str](), 0
        for start, end in orders_in(text, self._tools):
            parts += [text[at:start], MASK]
            at = end
        return "".join([*parts, text[at:]])


def orders_in(text: str, tools: Collection[str]) -> list[tuple[int, int]]:
    """Where the orders of a text stand, as (start, end), whole lines, in order and apart from each other.

    ``tools`` are the names of the agent's tools. Letters are compared without case, width and invisible marks.
    """
    plain = text.lower() if text.isascii() else "".join(map(_told, text))
    spans = list(_spans(plain, tools))
    if not spans:
        return []
    places = _places(text)
    found = [_lines(text, places[start], places[end]) for start, end in spans]
    made: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(made[-1][1], end)
        else:
            made.append((start, end))
    return made


def _spans(plain: str, tools: Collection[str]) -> Iterator[tuple[int, int]]:
    if _CUES.search(plain):
        for sign in _SIGNS:
            yield from (found.span() for found in sign.finditer(plain))
    there = [re.escape(name) for name in tools if name in plain]
    if there:
        named = rf"[`\"'\u201c\u300c]?(?:{'|'.join(sorted(there))})\b[`\"'\u201d\u300d]?"
        demand = rf"(?:{_CALL_VERB})[^\n]{{0,40}}?{named}[^\n{{(]{{0,40}}[{{(]|{named}\s*[({{]\s*[\"'{{}})]"
        for found in re.finditer(demand, plain):
            yield found.start(), _end_of_call(plain, found.end() - 1)


def _end_of_call(plain: str, at: int) -> int:
    """Behind the JSON object that begins at ``at``, which may go on for lines; ``at`` itself where none does."""
    part = plain[at : at + _LONGEST_CALL]
    try:
        require_shallow(part.encode("utf-8", "surrogatepass"))
        return at + json.JSONDecoder().raw_decode(part)[1]
    except (ValueError, RecursionError):
        return at


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The whole lines that a stretch of text lies in."""
    after = text.find("\n", max(start, end - 1))
    return text.rfind("\n", 0, start) + 1, len(text) if after < 0 else after


def _places(text: str) -> list[int]:
    """Where each letter of the plain text stands in the text, and the text's end."""
    widths = (1 if letter.isascii() else len(_told(letter)) for letter in text)
    return [*(at for at, width in enumerate(widths) for _ in range(width)), len(text)]


@lru_cache(maxsize=20_000)
def _told(letter: str) -> str:
    """A letter in lower case and one width, "" for a mark that nobody sees."""
    return "" if unicodedata.category(letter) == "Cf" else unicodedata.normalize("NFKC", letter).casefold()
