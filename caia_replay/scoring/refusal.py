"""Answers that refuse: whether a cleaned text says that it gives no answer, or opens by having looked for one in vain.

A text that refuses is a refusal whatever it names besides ("I don't know; 42"), unless the refusing words are about
something else: they have another object ("I don't know why"), or say how far a search got and the text goes on
("I could not read it from the explorer, but the node says 42").
"""

from __future__ import annotations

import re

_WHOLE = frozenset(
    (
        *("unknown", "na", "none", "null", "notavailable", "notfound", "nodata", "noanswer", "cannotdetermine"),
        *("unabletodetermine", "cannotbedetermined", "idontknow", "idonotknow", "insufficientdata"),
        *("insufficientinformation", "未知", "无法确定", "不知道", "无法回答"),
    )
)
_FRUITLESS = re.compile(
    r"\W*(?:(?:unfortunately|sorry|apologies|i'm sorry|i am sorry)\W+(?:but\s+)?)?(?:based on [^,\n]{1,80},\s*)?"
    r"(?:(?:i|we)\s+)?(?:(?:was|am|were|are|have been|'m)\s+)?"
    r"(?:cannot(?! say more)|can't|can not|could not|couldn't|unable to|not able to|failed to|don't have|do not have"
    r"|(?:don't|do not) know(?! (?:of|why|who|how|where|when|what)\b)"
    r"|did not find|didn't find|have no|there (?:is|was|are) (?:no|not enough|insufficient"
    r"|not sufficient) (?:\w+ )?(?:data|information|answer|evidence|results?|records?)"
    r"|no (?:\w+ )?(?:data|information|answer|results?)|not enough|insufficient|not found|not available|无法|未能"
    r"|不清楚|不确定|抱歉|没有找到|找不到|未找到|没有足够)"
    r"|[^.;\n]{0,200}?\b(?:cannot|can't|could not|couldn't) be (?:\w+ )?(?:determined|found|identified|"
    r"verified|confirmed|computed|calculated|retrieved|established|answered)\b",
    re.IGNORECASE,
)
_IDENTIFIED = re.compile(r"(?<=[a-zA-Z])(?:[a-zA-Z0-9_$]|\()")
_CALLED = re.compile(r"[a-zA-Z]\(")
"""Names of code are no words: ``InsufficientOutput(uint256)`` and ``NotFound()`` refuse nothing."""
_ANSWERING = re.compile(
    r"\b(?:but|however|though|although|nevertheless|still|yet|best (?:guess|estimate))\b|但|不过"
    r"|(?:do|does|did)(?:n't| not) (?:exist|happen|occur)|\bno such\b|\bnever\b|premise|前提|不存在",
    re.IGNORECASE,
)
_OPENS = r"(?:\A|(?<=[.;:,!?\n(-])|(?<=[.;:,!?\n(-] )|\b(?:but|and|though|as|because)\s)"
_IT = (
    r"(?:\s(?:this|it|that|so|you|(?:this|the|that|your)\s(?:(?:exact|precise|correct|right|final|true)\s)?"
    r"(?:answer|question|value|number|figure|amount|count|total)|an?\s(?:answer|number|value|figure)))?"
)
_STOP = r"\s*(?:[.;:,!?)\n(-]|$)"
_FAR = r"(?:\s(?:from|with|using|based on|without|for|on|at|to|given|exactly|precisely|reliably)\b[^.;\n]{0,80}?)?"
_UNABLE = (
    r"(?:cannot|can't|can not|could not|couldn't|won't|will not|would not"
    r"|(?:am |are |was |were |'m )?(?:unable|not able) to|do not|don't|did not)"
)
_VALUE = r"(?:it|this|that|(?:the\s)?(?:\w+\s)?(?:answer|value|number|figure|count|amount))"
_WITHHELD = re.compile(
    rf"{_OPENS}(?:\W|(?:sorry|unfortunately|honestly|actually|frankly|to be honest)\W+)?(?:"
    r"i(?:'d| would) rather not (?:say|answer)|(?:i have )?no idea|"
    r"(?:(?:i|we)\s(?:(?:have to|must|do|hereby)\s)?)?(?:refuse|decline|abstain|(?:am|are) (?:refusing|declining))"
    rf"(?:\sto (?:answer|say|tell|respond|give|provide|guess|state){_IT})?"
    rf"|(?:(?:i|we)\s)?(?:(?:simply|really|just|honestly)\s)?{_UNABLE}"
    rf"\s(?:answer|say|tell|determine|know|decide|respond|(?:give|provide|state)(?=\s)){_IT}"
    rf"|{_VALUE}\s(?:is (?:unknown|not known|undetermined)|(?:cannot|can't|could not|couldn't) be (?:\w+ly\s)?"
    r"(?:determined|known|answered|given|established))"
    rf"|no answer|(?:ich )?wei(?:ß|ss) (?:es )?nicht|no (?:lo )?sé|je ne sais pas)(?P<far>{_FAR}){_STOP}"
    r"|(?:\A|[。.;,!?\n(:-]\s?)(?:我们?|本人)?(?:(?:无法|不能|不便)(?:回答|确定|得知|判断|作答|给出(?:答案|数值)|提供答案)"
    r"|不知道|不清楚|答案(?:是)?未知|拒绝(?:回答|作答)?|无可奉告)(?:(?:这个|该|此|本)?(?:问题|答案|数值|数字))?\s*(?:[。.;,!?\n)(:-]|$)"
    r"|\A\W*(?:n/a|n\.a\.|unknown|not (?:available|found|known)|undetermined|tbd|no data|未知|不详|无答案|无数据)"
    r"(?:\s*(?:[.,;:!?\n-]|$)|\s\()"
    r"|(?:[(;.-]|\bor)\s*(?:n/a|unknown|not known|未知|不详)[\s.!)]*\Z",
    re.IGNORECASE,
)
"""Words that refuse: a clause of their own without an object, or with the answer itself for one."""
_GOES_ON = re.compile(
    r"[^.;\n]{0,40}?\b(?:but|however|though|although|yet|best (?:guess|estimate))\b|[^。;\n]{0,20}?(?:但|不过)",
    re.IGNORECASE,
)
_PREMISE = re.compile(
    r"\bpremise\b|\bno such\b|(?:do|does|did)(?:n't| not) (?:exist|happen|occur)|前提|不存在", re.IGNORECASE
)


def withholds(text: str, folded: str) -> bool:
    """Whether a cleaned text says, as a whole or in a clause, that it gives no answer; ``folded``: its letters alone.

    A text that calls the question's premise false answers.
    """
    if folded in _WHOLE and not _CALLED.search(text):
        return True
    if _PREMISE.search(text):
        return False
    found = _WITHHELD.search(text)
    return found is not None and not (found["far"] and _GOES_ON.match(text, found.end() - 1))


def fruitless(text: str) -> tuple[bool, bool]:
    """Whether a cleaned text opens by having looked in vain, and whether it goes on to answer."""
    found = _FRUITLESS.match(text)
    if found is None or _IDENTIFIED.match(text, found.end()):
        return False, False
    return True, _ANSWERING.search(text, found.end()) is not None
