"""Names in prose: what an answer names when it introduces, explains, or sets its name off against another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

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
    r"(?!\s*(?:only|just|merely|sure|certain|clear|known|necessarily|yet|quite|exactly|independently|officially|fully|"
    r"confirmed|verified|proven|established)\b)\b"
    r"\s*[^\s,;.\n()][^,;.\n()]*?(?:,\s+(?:which|who|that)\b[^,;.\n()]*)?"
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
    r"co-\w+|co-?(?:lead|led|invest|found)\w*|includ\w+|contains?|adds?|added|followed|jointly|vs|versus|replaced|renamed|competitor|second|guess\w*|approximation|unconfirmed|unverified|suspect\w*|disputed|denied|denies|unlikely|doubtful|"
    r"impost\w+|copycat\w*|spoof\w*|counterfeit|disproved|disproven|excluded|confidence|chance|\d{1,3}\s?%\s+(?:likely|sure|certain))\b|n't|或|但|不|也|另|还有|以及|、",
    re.IGNORECASE,
)
_EXPLAINING = (
    r"(?:an?|the|which|who|where|whose|according|based|as|per|sources?|see|because|since|due|it|its|this|these|i|we|"
    r"confirmed|verified|attributed|listed|founded|launched|deployed|created|identified|found|shown|seen|via|from|on|in|at|"
    r"by|with|"
    r"given|meaning|i\.?e|namely|specifically|chain|block|data|reference|etherscan|used|using|having|holding|"
    r"accounting|"
    r"making|for|\d[\d,.]*\s?%?|\$?\d[\d,.]*\w?|after|when|where|led|ticker|symbol|contract|address|version)"
)
_BREAK = re.compile(
    rf"[\s\"']*(?:[,.;:\n(]|\s-+|-\s)[\s\"'(-]*{_EXPLAINING}(?![\w-])|[\s\"']*[,.;:\n(]\s*(?:根据|来源|该|这|因为|由|在|从|数据|即)",
    re.IGNORECASE,
)
_BY_WAY_OF = re.compile(r"\s*\(\s*(?:via|through|using|with)\s+[A-Z]")
"""Another name in brackets that has a part in it; "(via Etherscan)" costs an answer, "(via Railgun)" would win one."""
_ASKED = re.compile(r"\?[\s\"')\]}.!?]*\Z|\(\s*\?+\s*\)")
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
_CATEGORY = (
    r"(?:(?:an?|the|of|from|and|in|by|based|for|its?|state|nation)|north|south|east|west|korean?s?|dprk|china|chinese|hong\s?kong|japan(?:ese)?|"
    r"singapore|taiwan(?:ese)?|india|vietnam(?:ese)?|russian?|ukraine|ukrainian|iran(?:ian)?|israel(?:i)?|turkey|turkish|"
    r"germany?|german|france|french|swiss|switzerland|uk|u\.?k\.?|british|us|usa|u\.?s\.?|american|united\s+states|canada|canadian|"
    r"brazil(?:ian)?|malta|cayman|bahamas|estonia|panama|朝鲜|韩国|中国|美国|日本|新加坡|俄罗斯|"
    r"hack(?:er|ing)s?|hackers|groups?|apt|threat|actors?|cyber|cybercrime|sponsored|backed|state-sponsored|state-backed|"
    r"government-backed|exchange|dex|cex|decentrali[sz]ed|centrali[sz]ed|protocol|lender|lending|borrowing|stablecoin|issuer|bridge|"
    r"mixer|company|firm|fund|venture|capital|vc|investor|auditor|auditing|security|token|native|governance|dao|project|platform|"
    r"network|block\s?chain|layer|l1|l2|rollup|wallet|provider|oracle|market|maker|crypto|cryptocurrency|defi|nft|amm|foundation|"
    r"liquid|staking|yield|perpetuals?|derivatives|custodian|service|services|software|client|consensus|execution|mechanism|"
    r"交易所|去中心化|黑客|组织|公司|协议|平台|项目|钱包|稳定币|借贷|跨链桥|混币器)"
)
_GLOSS = re.compile(rf"{_CATEGORY}(?:'s)?(?:[\s,/-]+{_CATEGORY}(?:'s)?){{0,7}}|\d{{4}}", re.IGNORECASE)
"""What says in brackets which kind of thing, or from where, the name before it is: no word in it names another one."""
_HAN_NOUN = re.compile(r"\s?(?:公司|团队|协议|平台|项目|集团|组织)[\s。.!]*$")
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


def only_asked(answer: str, values: Iterable[str]) -> bool:
    """Whether an answer ends in, or brackets, a question mark that no value has: it asks and does not answer."""
    return _ASKED.search(clean(answer)) is not None and not any("?" in value for value in values)


def _dropped(found: re.Match[str]) -> str:
    return found[0] if _OPEN_DOUBT.search(found[0]) else " "


def name_in(phrase: str, accepted: Set[str]) -> str | None:
    """Which of ``accepted`` (folded names) a phrase names: as a whole, or first and then only explained.

    What follows must explain ("..., a mixer on Ethereum", "(TORN)"): another name, an alternative or a doubt after
    it makes it no answer. Brackets may tell its kind or country in plain words ("(North Korea)").
    """
    whole = folded(phrase)
    if whole in accepted:
        return whole
    article = _ARTICLE.match(phrase)
    for text in (phrase, phrase[article.end() if article else 0 :]):
        for bare in (text, _HAN_NOUN.sub("", text)):
            if folded(bare) in accepted:
                return folded(bare)
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
        known = inside in accepted or _abbreviates(inside, head) or _HEXADECIMAL.search(bracket[1])
        if known or _GLOSS.fullmatch(bracket[1].strip()):
            rest = rest[bracket.end() :]
            if noun := _NOUN.match(rest):
                rest = rest[noun.end() :]
    if _END.fullmatch(rest):
        return True
    return explains(rest)


def explains(rest: str) -> bool:
    """Whether what follows a name only tells more about it: no doubt, no alternative, no other answer."""
    if _DOUBT_AFTER.search(rest) or _BY_WAY_OF.match(rest) or _RESTATED.search(_SUBORDINATE.sub("", rest)):
        return False
    return _BREAK.match(rest) is not None or _RUN_ON.match(rest) is not None


def _abbreviates(short: str, long: str) -> bool:
    """Whether ``short`` is a ticker of ``long``: up to six of its letters, in order, the first one first."""
    letters = iter(long)
    return 1 <= len(short) <= 6 and short[0] == long[0] and all(letter in letters for letter in short)
