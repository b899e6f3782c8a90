"""What part a number plays in an answer: the answer itself, or only where, when, of how many, by which calculation.

Every question is asked of the little text around a number (``REACH`` characters, never past its neighbours), so
reading stays linear in the answer.
"""

from __future__ import annotations

import re
from fractions import Fraction

REACH = 60
"""Characters to either side of a number that say what it is."""

CLAIM, WORD, BLOCK, MENTION, MOMENT, PREMISE = range(6)
"""How far from an answer a number stands: the answer itself; a small word that may be an article; a block height;
what is counted from, by or among; a date; what a conclusion is drawn from. An answer that has nothing nearer is read
by what it has."""

_MONTH = (
    r"(?:jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|okt(?:ober)?|dez(?:ember)?|enero|febrero|marzo"
    r"|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet"
    r"|août|septembre|octobre|novembre|décembre)(?![a-zà-ÿ])\.?"
)
_YEAR = r"(?:19|20)\d{2}(?!\d)"
_OF = r"(?: (?:of|de|del))?"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_MOMENT = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,9})?Z?)?|\d{1,2}:\d{2}(?::\d{2})?"
    rf"|\b{_MONTH} {_NTH}(?:,? {_YEAR})?\b|\b{_NTH}\.?{_OF} {_MONTH},?{_OF} {_YEAR}"
    rf"|\b(?:[12]?\d|3[01])(?:\.|st|nd|rd|th|er)?{_OF} {_MONTH}|\b{_MONTH},?{_OF} {_YEAR}"
    r"|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b|(?<!total )(?<!count )(?<!number )(?<!sum )\bof (?:19|20)\d{2}(?=[.,;)\n]|$)"
    r"|\b(?:in|during|since|until|year|early|mid|late|before|after|im|seit|bis|ab|en|desde|hasta|durante|depuis|courant"
    r"|fin|début|anfang|mitte|ende) (?:19|20)\d{2}\b(?! ?[\d.,%]?\d)"
    rf"|\b(?:[1-4]\. ?)?(?:quarter|quartals?|trimestre|halbjahr(?:es)?|semestre|jahr(?:e?s)?|año|année"
    rf"|half){_OF} {_YEAR}"
    rf"|\b[1-4]\. ?(?:quartals?|halbjahr(?:es)?)\b|\b(?:[QTHS][1-4]|FY),?{_OF} ?(?:'\d{{2}}\b|{_YEAR})"
    r"|\b\d{4}[ -]?(?:[QT][1-4]|[HS][12])\b|\b[QT][1-4]/\d{2,4}\b|UTC ?[+-]\d{1,2}"
    r"|\d{4} ?年(?:第[一二三四1-4]季度|[上下]半年)?(?: ?\d{1,2} ?月(?: ?\d{1,2} ?[日号])?)?"
    r"|\d{1,2} ?月(?: ?\d{1,2} ?[日号])"
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
    r"|trailing|timestamp|gas used|gas limit|ersten|letzten|vergangenen|nächsten|primer[ao]s?|últim[ao]s|próxim[ao]s"
    r"|premiers?|premières?|derni[eè]re?s)(?: (?:number|no\.?|of))?|第|前|近|过去|最近)[\s\"':=#(]*$"
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
_CITED = re.compile(
    r"\b(?:quer(?:y|ies)|dashboards?|abfrage|consulta|requête|查询)(?: (?:id:?|no\.?|number|nr\.?))? ?"
    r"#?\d{4,12}(?![\d.,]*\d)"
    r"(?: ?(?:,|and|&|y|und|et) ?#?\d{4,12}(?![\d.,]*\d))*"
    r"|\b(?:sources?|refs?\.?|references?|footnotes?|citations?|quellen?|fuentes?|来源)(?: (?:no\.?|nr\.?))? ?#?\d{1,3}"
    r"(?: ?(?:,|and|&|y|und|et) ?#?\d{1,3})*(?=[.;)\]]?(?:\s*$|\n)|[)\]])"
    r"|\b(?:sources|references|quellen|fuentes): ?\d{1,2}(?:, ?\d{1,2})+(?=\.?(?:\s*$|\n))",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"(?:\b(?:totals?|totale?s?|sum|sums|altogether|overall|combined|gesamt\w*|insgesamt|summe|suma|somme)\b"
    r"[^.;\n\d(,]{0,40}|(?:总计|合计|共计|总共|总额|总量|总数|一共)[^。；，\n\d(]{0,10})$",
    re.IGNORECASE,
)
_IN_ALL = re.compile(
    r",? (?:[A-Za-zÀ-ÿ]+ ){0,2}?(?:in total|in all|altogether|total|overall|combined|insgesamt|en total|au total)\b",
    re.IGNORECASE,
)
_BREAKDOWN = re.compile(
    r"[^.;\d]{0,40}\b(?:of (?:which|those|these)|including|incl\.|includes|thereof|broken down|breakdown|split|davon"
    r"|darunter|de l[ao]s cuales|incluid\w+|incluyendo|dont)\b[^.;\d]{0,40}|[^。；\d]{0,10}其中[^。；\d]{0,15}",
    re.IGNORECASE,
)
_PART = re.compile(r"[^.;\d]{0,40}[(:\n][^\d]{0,40}")
_RIVAL = re.compile(
    r"\b(?:or|but|however|versus|vs|instead|rather|accord\w*|per|says?|said|claim\w*|report\w*|estimat\w*|sources?|not"
    r"|etherscan|dune|defillama|coin\w*|nansen|arkham|alternativ\w*|maybe|perhaps|possibly|another|previous\w*|earlier"
    r"|later|revised|updated|if|data|figures?|exclu\w*|net|without|unique|distinct|only|actual\w*|real|correct\w*|dedup\w*"
    r"|oder|aber|laut|nach|o|pero|según|ou|mais|selon|blogs?|other (?:sources?|counts?))\b"
    r"|[或但]|还是|据|另",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"[个笔枚次名人]?[,(]? ?(?:[a-z]+ )?[,(]? ?(?:(?:out )?of(?: the| all| its| (?:a |the )?total of| a)*|[,(]? ?共) ?",
    re.IGNORECASE,
)
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
_FROM = re.compile(r"(?:\bfrom\W{0,3}|[从由]\s?)$", re.IGNORECASE)
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
_HEIGHTS = 100_000
"""Numbers from here on that are written like a label are heights of blocks, which tasks ask for."""
_NAMED = re.compile(
    r"(?:\b(?:pages?|ranks?|ranked|step|section|note|item|option|figure|table|tier|layer|level|phase|round|top|first|last"
    r"|past|previous|next)(?: (?:number|no\.?|nr\.?))?|\b(?:no|nr|nº|num|number)\.|第|前)[ \"'#(]*$"
    r"|#\s?$|\b(?:no|(?<!the )(?<!a )number) $",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"\s?(?:号|名(?!用户|地址|持有|成员|验证|投票|员工)|位(?!用户|地址|持有|成员|验证|投票)|-(?:st|nd|rd|th)\b)"
)
_MOVED = re.compile("[增升涨跌降减变]|提高|下滑|下调|缩")
_NO_COUNT = frozenset(("decimals", "decimal", "digits", "raw", "confidence"))


def moments(text: str) -> list[tuple[int, int]]:
    """Where dates, clock times and years stand, in order and apart."""
    return [found.span() for found in _MOMENT.finditer(text)]


def block_ranges(text: str) -> list[tuple[int, int]]:
    """Where ranges of blocks stand, in order and apart."""
    return [found.span() for found in _BLOCKS.finditer(text)]


def citations(text: str) -> list[tuple[int, int]]:
    """Where sources are named by a number ("Dune query 3012447", "Source 3"), in order and apart."""
    return [found.span() for found in _CITED.finditer(text)]


def whole(before: str, after: str) -> bool:
    """Whether the text calls a number the total."""
    return _TOTAL.search(before) is not None or _IN_ALL.match(after) is not None


def divides(between: str) -> bool:
    """Whether a number is said to be a part of the one before it ("of which", "including")."""
    return _BREAKDOWN.fullmatch(between) is not None and not rival(between)


def listed(between: str) -> bool:
    """Whether a list or a bracket opens between two numbers."""
    return _PART.fullmatch(between) is not None


def rival(between: str) -> bool:
    """Whether what stands between two numbers may set the one against the other."""
    return _RIVAL.search(between) is not None


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


def label(before: str, after: str, value: Fraction) -> bool:
    """Whether a number names one of many ("#42", "page 42", 第42, 42号) and counts none; no block's height."""
    if value >= _HEIGHTS:
        return False
    return _NAMED.search(before) is not None or _NAMED_AFTER.match(after) is not None


def moved(before: str, between: str) -> bool:
    """Whether words say that something went from the one number to the other ("rose from 10 to 42", 从10增加到42)."""
    if _FROM.search(before) is None or _TO.fullmatch(between) is None:
        return False
    if _MOVED.search(between) is not None:
        return True
    found = _ROSE_FROM.search(before)
    return found is not None and not found[0].startswith("从")


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
