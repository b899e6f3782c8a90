"""What part a number plays in an answer: the answer itself, or only where, when, of how many, by which calculation.

Every question is asked of the little text around a number (``REACH`` characters, never past its neighbours), so
reading stays linear in the answer.
"""

from __future__ import annotations

import re

REACH = 60
"""Characters to either side of a number that say what it is."""

CLAIM, WORD, BLOCK, MENTION, MOMENT, PREMISE = range(6)
"""How far from an answer a number stands: the answer itself; a small word that may be an article; a block height;
what is counted from, by or among; a date; what a conclusion is drawn from. An answer that has nothing nearer is read
by what it has."""

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_MOMENT = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?Z?)?|\d{1,2}:\d{2}(?::\d{2})?"
    rf"|\b{_MONTH} {_NTH}(?:,? \d{{4}})?\b|\b{_NTH} (?:of )?{_MONTH},? \d{{4}}\b"
    rf"|\b(?:[12]?\d|3[01])(?:st|nd|rd|th)? {_MONTH}(?![a-z])|\b{_MONTH},? \d{{4}}\b"
    r"|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b|(?<!total )(?<!count )(?<!number )(?<!sum )\bof (?:19|20)\d{2}(?=[.,;)\n]|$)"
    r"|\b(?:in|during|since|until|year|early|mid|late|before|after) (?:19|20)\d{2}\b(?! ?[\d.,%]?\d)"
    r"|\b(?:Q[1-4]|H[12]|FY) ?'?\d{4}\b|\b\d{4} ?(?:Q[1-4]|H[12])\b|UTC ?[+-]\d{1,2}"
    r"|\d{4} ?年(?: ?\d{1,2} ?月(?: ?\d{1,2} ?[日号])?)?|\d{1,2} ?月(?: ?\d{1,2} ?[日号])"
    r"|[〇零一二三四五六七八九]{4}年(?:[一二三四五六七八九十]{1,2}月(?:[一二三四五六七八九十]{1,3}[日号])?)?"
    r"|[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]",
    re.IGNORECASE,
)
_HEIGHT = r"#?\d[\d,. ]{0,20}?"
_BLOCKS = re.compile(
    rf"\b(?:blocks|heights|slots|epochs|block range|range of blocks)(?: from)? {_HEIGHT}"
    r" ?(?:to|-|and|through|until) ?#?\d[\d,.]{0,20}(?!\w)"
    r"|\b(?:block|height|slot|epoch) #?\d[\d,]{0,20} ?(?:to|-|through|until)"
    r" ?(?:block |height |slot |epoch )?#?\d[\d,]{0,20}"
    r"|(?:区块|高度)(?:高度)?\s?\d[\d,]{0,20}\s?(?:至|到|-|~)\s?(?:区块)?\s?\d[\d,]{0,20}",
    re.IGNORECASE,
)
_AT_BLOCK = re.compile(
    r"(?:\b(?:block|bloque|bloc|height|slot|epoch)(?: (?:number|no\.?|height|id|index))?|区块|高度)[\s\"':=#(]*$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:\b(?:chain id|nonce|log index|index|step|rank|ranked|top|first|last|past|previous|next|version|section|note"
    r"|layer|level|tier|phase|round|page|day|week|month|position|proposal|token id|tokenid|item|option|figure|table"
    r"|trailing|timestamp|gas used|gas limit)(?: (?:number|no\.?|of))?|第|前|近|过去|最近)[\s\"':=#(]*$"
    r"|(?:^|[^\w\s])\s*#$|\s#$",
    re.IGNORECASE,
)
_AMONG = re.compile(
    r"(?:\b(?:across|among|amongst|over|within|in|during|from|by|for|through|throughout|via|including|excluding|all"
    r"|out of|of the|of all|on|against|than|per|every|each|these|those|plus|after|before|using|checked with"
    r"|filter\w* out|remov\w+|ignor\w+|omit\w*|discard\w*)"
    r"(?: (?:the|its|all|these|those|just|only|about|a|total|of|other))*) ?$",
    re.IGNORECASE,
)
_OUT_OF = re.compile(r"\s?(?:[a-z]+ )?(?:(?:out )?of(?: the| all| its| a total of)*|,? ?共) ?", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?:\b(?:compared (?:to|with)|relative to|(?:up|down) from|previously|formerly|before it was|valued at|than the)"
    r"(?: (?:the|about|a|its))*|\bat a price of)[\s$€£]*$",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\W{0,3}\b(?:or|maybe|perhaps|possibly|alternatively|and/or)\b[^.;\n]{0,30}|\s?(?:或者?|还是)\s?", re.IGNORECASE
)
_ROSE_FROM = re.compile(
    r"(?:\b(?:rose|risen|rises|grew|grown|grows|increas\w+|fell|fallen|falls|dropp\w+|declin\w+|decreas\w+|went|goes"
    r"|going|moved|chang\w+|jump\w+|climb\w+|shr[aiu]nk|slid|surg\w+|plung\w+|slump\w+|gain\w+|los[te]\w*)"
    r" (?:\w+ ){0,3}from\W{0,3}|从\s?)$",
    re.IGNORECASE,
)
_FROM = re.compile(r"(?:\bfrom\W{0,3}|从\s?)$", re.IGNORECASE)
_TO = re.compile(r"[^.;\n]{0,24}?(?:\bto\b|->|→|到|至|升至|降至|增至|减至|跌至|涨至)[^.;\n]{0,12}", re.IGNORECASE)
_CONCLUDING = re.compile(
    r"\b(?:so(?! far| that|-called| much| many)|therefore|thus|hence|consequently)\b|=>|⇒|因此|所以|故而|可知"
    r"|(?:^|\n)\W{0,3}(?:the )?(?:final )?(?:answer|result)\s?(?:is\b|[:=])|\bfinal answer\b",
    re.IGNORECASE,
)
_OPERATOR = re.compile(r"[()\[\] ]*(?:[A-Za-z]+ )?[-+*/×÷·x][()\[\]$€£ ]*")
_EQUALS = re.compile(
    r"[()\[\]% ]*(?:[A-Za-z]+ )?[=≈][=≈~()\[\]$€£ ]*(?:about |approximately )?| ?\((?:i\.e\.,? |= ?)?[$€£]?"
    r"|,? ?(?:i\.e\.,?|that is,?|which is|which equals|equals|equal to|gives|giving|comes to|makes|yields) [$€£]?",
    re.IGNORECASE,
)
_NO_COUNT = frozenset(("decimals", "decimal", "digits", "raw", "confidence"))


def moments(text: str) -> list[tuple[int, int]]:
    """Where dates, clock times and years stand, in order and apart."""
    return [found.span() for found in _MOMENT.finditer(text)]


def block_ranges(text: str) -> list[tuple[int, int]]:
    """Where ranges of blocks stand, in order and apart."""
    return [found.span() for found in _BLOCKS.finditer(text)]


def conclusion(text: str) -> int:
    """Where the last conclusion of the text begins ("so ...", "Final answer: ..."); 0 without one."""
    return max((found.end() for found in _CONCLUDING.finditer(text)), default=0)


def place(before: str) -> int:
    """The role of a number that names a block, a rank, a step, an earlier value; ``CLAIM`` for any other."""
    if _AT_BLOCK.search(before):
        return BLOCK
    return MENTION if _PLACE.search(before) or _COMPARED.search(before) else CLAIM


def among(before: str) -> bool:
    """Whether the number counts what the answer is spread over ("across 7 chains")."""
    return _AMONG.search(before) is not None


def technical(noun: str) -> bool:
    """Whether a number is how a value is written ("6 decimals", "1500000 raw")."""
    return noun in _NO_COUNT


def out_of(between: str) -> bool:
    """Whether the second of two numbers is the whole that the first is a part of ("42 of the 100")."""
    return _OUT_OF.fullmatch(between) is not None


def alternatives(between: str) -> bool:
    """Whether what stands between two numbers offers the one for the other."""
    return _JOINED.fullmatch(between) is not None


def from_to(before: str, between: str) -> bool:
    """Whether two numbers are the ends of a change ("rose from 10 to 12")."""
    return between.strip() in ("->", "→", "=>") or (
        _ROSE_FROM.search(before) is not None and _TO.fullmatch(between) is not None
    )


def span(before: str, between: str) -> bool:
    """Whether something goes "from" the one number "to" the other, whatever does so."""
    return _FROM.search(before) is not None and _TO.fullmatch(between) is not None


def operands(betweens: list[str]) -> set[int]:
    """The positions of numbers that are only calculated with: those of a side of "=" that has an operator.

    ``betweens[i]`` stands between number i and number i + 1. A side without an operator is what it comes to.
    """
    out: set[int] = set()
    side, sides = [0], []
    for at, between in enumerate([*betweens, None]):
        if between is not None and _OPERATOR.fullmatch(between):
            side.append(at + 1)
            continue
        sides.append(side)
        side = [at + 1]
        if between is None or not _EQUALS.fullmatch(between):
            if any(len(one) == 1 for one in sides):
                out.update(position for one in sides if len(one) > 1 for position in one)
            sides = []
    return out
