"""Names in prose: what an answer names when it introduces, explains, or sets its name off against another."""

from __future__ import annotations

import re
from collections.abc import Set

from caia_replay.scoring.answer import clean, folded, phrases

_LINK = re.compile(r"\[([^\[\]\n]*)\]\(([^()\s]*)(?:\([^()\s]*\)[^()\s]*)?\)")
_CITED = re.compile(r"\s?\[\^?\d{1,2}\]:?|\s?【[^【】]{0,60}】|<?https?://[^\s<>()]+>?", re.IGNORECASE)
_SOURCES = re.compile(
    r"\n[^\S\n]*(?:sources?|references?|citations?|来源|参考)\s*[:：]?[^\n]*(?:\n+[^\S\n]*[-•*\d\[][^\n]*)*\s*\Z",
    re.IGNORECASE,
)
_CONTRASTED = re.compile(
    r"(?:^|(?<=[\s,;.(]))(?:and\s+|but\s+)?(?:not|rather\s+than|instead\s+of|as\s+opposed\s+to|contrary\s+to|"
    r"而不是|而非|不是)"
    r"(?!\s*(?:only|just|merely|sure|certain|clear|known|necessarily|yet|quite|exactly)\b)\b"
    r"[^,;.\n()]*?(?:,\s+(?:which|who|that)\b[^,;.\n()]*)?"
    r"(?:,?\s+as\s+(?:[\w'-]+\s+){1,5}?(?:says?|claims?|claimed|states?|stated|suggests?|reports?|reported|"
    r"lists?|shows?)\b(?=[,;.\n()]|$))?"
    r"(?:,?\s+but(?:\s+(?:rather|instead|actually))?\b|,?\s*而是|(?=[,;.\n()]|$))",
    re.IGNORECASE,
)
_FAULT = (
    r"(?:wrong|incorrect|false|fake|mistaken|outdated|inaccurate|a\s+(?:scam|decoy|lie|myth|fake)|"
    r"not\s+(?:the|correct|right|it|true|valid)\b)"
)
_ASIDE = re.compile(
    r"\W*(?:and\s+|but\s+)?(?:although|though|even\s+though|while|whereas|despite|contrary\s+to|unlike|ignoring|"
    r"disregarding|虽然|尽管)\b"
    rf"|[^\n]*?\b(?:is|was|are|were)\s+(?:clearly\s+|simply\s+)?{_FAULT}\b"
    r"|[^\n]*?\b(?:is|was|comes|came|ranks|ranked)\s+(?:only\s+|a\s+distant\s+)?(?:second|third|next|the\s+runner-?up)\b",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\b(?:blogs?|articles?|posts?|tweets?|forums?|sites?|sources?|pages?|websites?|snippets?|rumou?rs?|people|"
    r"dashboards?|others)\b"
    r"[^\n]*?\b(?:says?|said|claim\w*|state[sd]?|list\w*|report\w*|suggest\w*|mention\w*|name[sd]?)\b"
    r"|(?:博客|文章|帖子|网站|论坛|有人|传言)[^\n]*?(?:说|称|声称|显示)",
    re.IGNORECASE,
)
_TURN = re.compile(r"\W{0,9}(?:but|however|yet|actually|in\s+fact|in\s+reality|但|然而|其实|实际)", re.IGNORECASE)
_OPEN_DOUBT = re.compile(
    r"\b(?:could|might|may(?!\s+\d)|maybe|perhaps|possibl[ye]|likely|probabl[ye]|also|equally|unsure|uncertain|"
    r"unclear|"
    r"either|or)\b|或|可能|也",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[;\n])|(?<=[,.])\s|(?<=[，。；])")
_ARTICLE = re.compile(
    r"\W{0,9}(?:(?:the|an?|on|via|through|by|on\s+the|(?:type|kind|form)\s+of|likely|most\s+likely|probably)\s+)+",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"\s+(?:protocol|network|block\s?chain|chain|mainnet|project|platform|attack|exploit|token|team|dao|"
    r"exchange|mechanism|model|licen[cs]ed?|release|standard)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_DOUBT_AFTER = re.compile(
    r"\b(?:or|nor|not|no|nothing|never|but|however|although|though|alternative\w*|maybe|perhaps|possibly|"
    r"possibility|might|could|"
    r"may(?!\s+\d)|either|also|another|other|others|actually|wait|correction|instead|rather|unclear|unsure|"
    r"uncertain|unknown|"
    r"wrong|incorrect|false|fake|answer|candidates?|and/or|both|plus|as\s+well|together\s+with|along\s+with|"
    r"alongside|"
    r"co-\w+|co-?(?:lead|led|invest|found)\w*|includ\w+|contains?|adds?|added|followed|jointly|vs|versus|replaced|renamed|competitor|second|guess\w*|approximation)\b|n't|或|但|不|也|另|还有|以及|、",
    re.IGNORECASE,
)
_EXPLAINING = (
    r"(?:an?|the|which|who|where|whose|according|based|as|per|sources?|see|because|since|due|it|its|this|these|i|we|"
    r"confirmed|verified|listed|founded|launched|deployed|created|identified|found|shown|seen|via|from|on|in|at|"
    r"by|with|"
    r"given|meaning|i\.?e|namely|specifically|chain|block|data|reference|etherscan|used|using|having|holding|"
    r"accounting|"
    r"making|for|\d[\d,.]*\s?%?|\$?\d[\d,.]*\w?|after|when|where|led|ticker|symbol|contract|address|version)"
)
_BREAK = re.compile(
    rf"[\s\"']*(?:[,.;:\n(]|\s-+|-\s)[\s\"'(-]*{_EXPLAINING}(?![\w-])|[\s\"']*[,.;:\n(]\s*(?:根据|来源|该|这|因为|由|在|从|数据|即)",
    re.IGNORECASE,
)
_RUN_ON = re.compile(
    r"\s+(?:according\s+to|based\s+on|as\s+(?:of|shown|stated|reported|listed|per|seen|confirmed|indicated)|per|"
    r"because|since|"
    r"which|who|with\s+(?:an?|the|about|roughly|approximately|over|around|\$?\d[\d.,]*\w*)|at\s+(?:about|"
    r"\$?\d[\d.,]*\w*)|in\s+block|"
    r"(?:is|was|are|were)\s+(?:the|an?|one)|led|leads|holds?|held|has|had|won|raised|issued|deployed|created|founded)(?![\w-])",
    re.IGNORECASE,
)
_RESTATED = re.compile(
    r"\b(?:is|are|was|were|be)\s+(?!(?:an?|the|one|its?|in|on|at|by|from|about|around|roughly|approximately|"
    r"still|now|"
    r"currently|listed|shown|known|seen|held|built|based|live|only|just|read|made|sent|taken|given|sold|bought|"
    r"lost|found|"
    r"\w+ed|\w+ing|\$?\d[\d.,]*\w*)(?![\w-]))",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(r"\b(?:while|when|because|since|as|after|before|once|until)\b[^.;:\n]*", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\s*\(([^()]*)\)")
_HEXADECIMAL = re.compile(r"\b0x[0-9a-f]{8,64}(?:…|\.{3}|\b)", re.IGNORECASE)
_END = re.compile(r"[\s\"'.!,;:)\]}。]*")
_STOP = re.compile(r"[\s,;:.()\"'!?\]}，。；：、/-]|$")
_TRIED = 60
"""The most word ends tried for where a name stops; no value has more words."""


def introduced(answer: str) -> tuple[str, ...]:
    """What a submitted answer says without its links, citations and contrasted names, then what follows lead-ins."""
    text = uncited(answer)
    own = own_words(text)
    return tuple(dict.fromkeys((text, *phrases(own))))


def uncited(answer: str) -> str:
    """The cleaned answer without addresses of sources and citation marks; of a link only its words stay."""
    linked = _LINK.sub(r"\1", answer)
    cited = _CITED.sub("", linked)
    return clean(_SOURCES.sub(lambda found: found[0] if _DOUBT_AFTER.search(found[0]) else "", cited)).strip()


def own_words(text: str) -> str:
    """The cleaned ``text`` without what it says is not the answer, or only reports to set itself off against it."""
    kept: list[str] = []
    clauses = _CLAUSE.split(_CONTRASTED.sub(_dropped, text))
    for at, clause in enumerate(clauses):
        turned = at + 1 < len(clauses) and _TURN.match(clauses[at + 1]) is not None
        aside = _ASIDE.match(clause) is not None or (turned and _CLAIM.search(clause) is not None)
        if not aside or _OPEN_DOUBT.search(clause) or len(clauses) == 1:
            turn = _TURN.match(clause) if at and not kept else None
            kept.append(clause[turn.end() :] if turn else clause)
    return re.sub(r"\(\s*\)", "", " ".join(kept)).strip(" ,;.")


def _dropped(found: re.Match[str]) -> str:
    return found[0] if _OPEN_DOUBT.search(found[0]) else " "


def name_in(phrase: str, accepted: Set[str]) -> str | None:
    """Which of ``accepted`` (folded names) a phrase names: as a whole, or first and then only explained.

    What follows must explain ("..., a mixer on Ethereum", "(TORN)"): another name, an alternative or a doubt after
    it makes it no answer.
    """
    whole = folded(phrase)
    if whole in accepted:
        return whole
    article = _ARTICLE.match(phrase)
    for text in (phrase, phrase[article.end() if article else 0 :]):
        whole = folded(text)
        if whole in accepted:
            return whole
        longest = max(map(len, accepted), default=0)
        for count, stop in enumerate(_STOP.finditer(text)):
            head = folded(text[: stop.start()])
            if count == _TRIED or len(head) > longest:
                break
            if head in accepted and _only_explains(text[stop.start() :], head, accepted):
                return head
    return None


def _only_explains(rest: str, head: str, accepted: Set[str]) -> bool:
    if noun := _NOUN.match(rest):
        rest = rest[noun.end() :]
    if bracket := _PARENTHESIS.match(rest):
        inside = folded(bracket[1])
        if inside in accepted or _abbreviates(inside, head) or not inside or _HEXADECIMAL.search(bracket[1]):
            rest = rest[bracket.end() :]
            if noun := _NOUN.match(rest):
                rest = rest[noun.end() :]
    if _END.fullmatch(rest):
        return True
    return explains(rest)


def explains(rest: str) -> bool:
    """Whether what follows a name only tells more about it: no doubt, no alternative, no other answer."""
    if _DOUBT_AFTER.search(rest) or _RESTATED.search(_SUBORDINATE.sub("", rest)):
        return False
    return _BREAK.match(rest) is not None or _RUN_ON.match(rest) is not None


def _abbreviates(short: str, long: str) -> bool:
    """Whether ``short`` is a ticker of ``long``: up to six of its letters, in order, the first one first."""
    letters = iter(long)
    return 1 <= len(short) <= 6 and short[0] == long[0] and all(letter in letters for letter in short)
