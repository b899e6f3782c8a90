"""What the words around a number say about it: a bound, a change up or down, a denial."""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["", "<", ">"]

EITHER = 2
"""The change of "rose or fell by 42"."""
LEVEL = 3
"""What "fell to 42" says: where it went, and not by how much."""

_ABOUT = r"(?:\s*(?:about|approximately|roughly|around|just|slightly|the|a|an|some|total of|大?约|[~≈(])\s*)*+\s*$"
_SIDE = r"(?: block| height| slot)(?: number)?"
_MORE = re.compile(
    r"(?:\b(?:(?<!no )(?<!not )(?:more|greater|higher|larger|bigger) than(?: or equal to)?"
    r"|equal to or (?:more|greater) than|over|above|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|at least"
    r"|(?:no|not) (?:less|fewer|lower) than|upwards? of|north of|in excess of|beyond|(?:a )?minimum(?: of)?"
    rf"|as (?:few|little) as|(?:after|since|later than|from after){_SIDE}"
    r"|mehr als|über|mindestens|wenigstens|nicht weniger als|más de|al menos|por lo menos|como mínimo|superior(?:es)? a"
    r"|plus d[e']|au moins|mais de|pelo menos|più di|almeno)"
    r"|(?<![-=])>=?|[≥≧≳]|超过|超出|至少|大于|高于|不少于|不低于|不小于|多于|最少|最低|逾|起码|突破)" + _ABOUT,
    re.IGNORECASE,
)
_LESS = re.compile(
    r"(?:\b(?:(?<!no )(?<!not )(?:less|fewer|lower|smaller) than(?: or equal to)?"
    r"|equal to or (?:less|fewer) than|under|below|at most|up to|(?:no|not) (?:more|greater|higher|larger) than"
    r"|(?:not|never) exceed(?:ing)?|south of|short of|shy of|(?:a )?maximum(?: of)?|as (?:many|much|high) as"
    rf"|(?:before|until|prior to|earlier than){_SIDE}"
    r"|weniger als|unter|höchstens|maximal|bis zu|nicht mehr als|menos de|como m(?:áximo|ucho)|no más de|hasta"
    r"|inferior(?:es)? a|moins d[e']|au plus|au maximum|jusqu'à|no máximo|meno di|al massimo)"
    r"|<=?(?!-)|[≤≦≲]|少于|小于|低于|不到|不足|不超过|不高于|不大于|最高|最多|至多|未满|未到)" + _ABOUT,
    re.IGNORECASE,
)
_OR_MORE = re.compile(
    r"\s?\+(?!\s?[\d.])|,?\s?(?:or|and)\s(?:more|greater|higher|above|up|over|upwards?|larger)\b"
    r"(?! precisely| exactly| specifically)|\s?[<≤]=?\s?[A-Za-z]\b|,?\sat (?:least|minimum|a minimum)\b|,?\sminimum\b"
    r"|\stoo (?:many|few|much)\b|\splus\b(?!\s[\d$])"
    r"|\s(?:squared|cubed|dozen)\b|\sand (?:count|ris|grow|climb)ing\b"
    r"|\s?(?:个|笔|枚)?(?:以上|多(?![数少])|余(?!额)|有余|起(?!初))",
    re.IGNORECASE,
)
_OR_LESS = re.compile(
    r"(?:\s[a-z]+){0,3}?\s(?:(?:short|shy) of\b|(?:away|off) (?:from|of|the)\b|(?:short|shy|off)(?=\s*(?:[.,;!)]|$))"
    r"|minus\b(?!\s[\d$])"
    r"|less (?:(?:the|any|all|its|their) )?(?:\w+ )?(?:fees?|gas|costs?"
    r"|commissions?|slippage|tax\w*|royalt\w+|penalt\w+)\b)"
    r"|,?\s?(?:or|and)\s(?:less|fewer|lower|below|under|smaller)\b|\s?[>≥]=?\s?[A-Za-z]\b"
    r"|,?\sat (?:most|maximum|a maximum)\b|,?\smaximum\b|\s?(?:以下|以内|不到)",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"(?:\b(?:almost|nearly|close to|near|nearing|approaching|bordering on|not quite|virtually|practically|all but"
    r"|(?:just|only just|slightly|barely|marginally|narrowly|(?:a )?(?:little|bit|hair|touch|tad|shade|fraction))"
    r" (?:under|over|above|below|past|shy of|short of|beyond|north of|south of|less than|more than|fewer than)"
    r"|beinahe|fast|nahezu|knapp|casi|cerca de|presque|près de|quasi|quase)|几乎|接近|将近|近乎|(?<![最附])近|差点)"
    r"(?:\s*(?:exactly|precisely))?" + _ABOUT,
    re.IGNORECASE,
)
_NEAR_AFTER = re.compile(
    r"[,(]?\s?(?:[,(]|\b)(?:almost|nearly|not quite)(?=\s*(?:[.,;!)\n]|$|reached\b|there\b))", re.IGNORECASE
)
_UPWARD = (
    r"up|ris(?:e|es|en|ing)|rose|increas\w*|gr[eo]w(?:n|s|ing|th)?|gain(?:s|ed|ing)?|climb\w*|jump\w*|surg\w*|soar\w*"
    r"|higher|above|appreciat\w*|expan[ds]\w*|advanc(?:e|ed|es|ing)|rall(?:y|ied)|inflows?|positive"
    r"|gestiegen|stieg(?:en)?|steigt|steigerung|anstieg|zunahme|zugenommen|zugelegt|gewachsen|wuchs|wächst|erhöh\w*|zuwachs"
    r"|höher|wachstum|sub(?:ió|ido|e|ieron|ida)|aument\w+|creci(?:ó|do|eron|miento)|crece|increment\w+|alza|ganó|ganancia"
    r"|sali(?:to|ta|ti)|cresciut[oa]|aumentat[oa]|вырос\w*|увелич\w*|рост|上昇|増加|漲|증가|상승|plus von"
    r"|augment\w*|hausse|progress(?:é|ion)|grimpé|monté|bondi|accru|croissance|gagné|aumentou|subiu|cresceu"
    r"|↑|▲|⬆|📈|上涨|增长|增加|上升|上调|涨|提高|升|攀升|走高|净流入"
)
_DOWNWARD = (
    r"down|fall(?:s|en|ing)?|fell|decreas\w*|declin\w*|drop(?:s|ped|ping)?|los(?:e|es|t|ing|s|ses)|shr[aiu]nk\w*"
    r"|slump\w*|plung\w*|plummet\w*|s[aiu]nk|lower|below|reduc\w*|contract(?:ed|ion|ing)|depreciat\w*|dip(?:s|ped)?"
    r"|sli[dp]\w*|tumbl\w*|crash\w*|outflows?|negative|less|fewer"
    r"|gesunken|gefallen|fiel(?:en)?|fällt|sinkt|rückgang|zurückgegangen|abgenommen|abnahme|verloren|verlor|verring\w*"
    r"|reduzier\w*|geschrumpft|schrumpft\w*|niedriger|tiefer|weniger|eingebrochen|einbruch|verlust|gesenkt|absturz"
    r"|sces[oa]|calat[oa]|calo|diminuit[oa]|упал\w*|сниз\w*|сократ\w*|паден\w*|下落|減少|減|감소|하락|minus von"
    r"|ca(?:yó|ído|ída|e|yeron)|baj(?:ó|ado|a|aron|ada)|disminu\w+|descen(?:dió|dido|dieron|so)|reduj\w+|perdi(?:ó|do)|pérdida"
    r"|retroced\w+|retroceso|decreci\w+|menos|baiss\w*|diminu\w+|chut(?:é|e)|recul\w*|perdu|perte|tombé|réduit\w*"
    r"|réduction|fléchi|caiu|queda de|caíram|diminuiu"
    r"|↓|▼|⬇|📉|下降|下跌|减少|跌|降低|降|缩水|缩减|回落|下滑|下挫|滑落|萎缩|收缩|走低|损失|净流出"
)
_SPLIT = re.compile(r"\b(?:n[aie][hm]{1,2}(?:t|en)?|ging(?:en)?|geht|legten?|legt)\b[^.;\n]{0,40}$", re.IGNORECASE)
_SPLIT_END = re.compile(r" (zu|ab|zurück|runter|herunter)\b", re.IGNORECASE)
"""German verbs in two: "nahm um 12 % ab"."""
_CHINESE_CHANGE = "上涨|增长|增加|上升|涨|升|下降|下跌|减少|跌|降低|降|减"
_CHANGE = re.compile(rf"(?<![A-Za-zÀ-ÿ])(?:(?P<up>{_UPWARD})|(?P<down>{_DOWNWARD}))(?![A-Za-zÀ-ÿ])", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?<!i\.e)(?<!e\.g)(?<!vs)(?<!approx)[.;!?\n。；！？](?=\s|$|[^\x00-\x7f])"
    r"|\b(?:but|while|whereas|although|sondern|sino|aber|pero|während|mientras|mais)\b|但|而是"
)
_UNSAID = re.compile(
    r"(?:\b(?:not|no|never|without|neither|nor|rather than|instead of|nicht|kein\w{0,2}|nie|ohne|nunca"
    r"|sin|pas|jamais|sans)|n't|没有|并未|未|不是|并非)"
    r"(?: an?| the| any| se| ha)* ?$",
    re.IGNORECASE,
)
_EITHER = re.compile(r"\W{0,3}(?:or|/)\W{0,3}|或", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:not|never)|n't) (?:(?!but |only |just )[a-z]+ ){0,2}(?:by |to |at |of )?"
    r"(?:about |roughly |around |exactly )?[$€£¥Ξ~≈+-]?\s?$"
    r"|\b(?:nicht|nie|nunca|jamais|pas) [~≈+-]?$"
    r"|\b(?:nicht|nie|nunca|jamais|pas|no)(?<!\bno\.) "
    r"(?:(?!nur |solo |sólo |seulement )(?:se |ha |han |été )?[a-zà-ÿ]+ )?"
    r"(?:um|de|en|un|una|des?|por) (?:un |una |rund |etwa |environ )?[~≈+-]?\s?$"
    rf"|(?:没有?|并未|未曾?|不曾)(?:{_CHINESE_CHANGE})了?(?:约|大约)?\s?$",
    re.IGNORECASE,
)
_REACHED = re.compile(
    rf"(?<![A-Za-zÀ-ÿ])(?:{_UPWARD}|{_DOWNWARD})(?: back| all the way| further)? (?:to|auf|à|al?)"
    r"(?: (?:about|around|roughly|just|only|approximately|nearly|almost|rund|etwa|nur))* ?[$€£~≈]?$"
    rf"|(?:{_CHINESE_CHANGE})[至到为]了?约?\s?$",
    re.IGNORECASE,
)
_LEVEL = re.compile(
    r" of (?:the|its|their|his) (?:\w+ )?(?:earlier|previous|former|original|prior|initial|peak|old|starting)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:blogs?|articles?|posts?|tweets?|threads?|websites?|sites?|news|rumou?rs?|pages?|press|media|headlines?)\b"
    r"[^.;\n\d]{0,40}$|(?:文章|博客|网站|网页|帖子|推文|论坛|网上|新闻|媒体|传言)[^。;\n\d]{0,20}$",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable to|not sure|unsure|unclear|uncertain|don't know|do not know)\b"
    r"[^.;\n]{0,30}\b(?:which|who|tell|decide)\b|\bone of (?:these|the two)\b",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"[^.;\n]{0,40}?[,;]? ?\b(?:but|however|yet|whereas|while)\b|[^。；\n]{0,20}?(?:但|然而|而实际)", re.IGNORECASE
)


def bound(before: str, after: str) -> Bound:
    """ ">" or "<" when the number is only said to be passed or not reached ("at least 42", "42+"); else empty."""
    if _LESS.search(before) or _OR_LESS.match(after):
        return "<"
    return ">" if _MORE.search(before) or _OR_MORE.match(after) else ""


def near(before: str, after: str) -> bool:
    """Whether the number is only said to be almost reached or hardly passed ("nearly 42", "just over 42", 将近)."""
    return _NEAR.search(before) is not None or _NEAR_AFTER.match(after) is not None


def change(before: str, after: str) -> int:
    """Which way the words nearest to a number say it goes: 1 up, -1 down, 0 without any, ``EITHER`` or ``LEVEL``."""
    if _REACHED.search(before):
        return LEVEL
    split = _SPLIT_END.match(after)
    if split is not None and _SPLIT.search(before):
        return 1 if split[1].casefold() == "zu" else -1
    cut = max((found.end() for found in _CLAUSE.finditer(before)), default=0)
    near = [found for found in _CHANGE.finditer(before, cut) if not _UNSAID.search(before, 0, found.start())]
    end = _CLAUSE.search(after)
    words = _CHANGE.finditer(after, 0, end.start() if end else len(after))
    far = next((found for found in words if not _UNSAID.search(after, 0, found.start())), None)
    opposed = len(near) > 1 and near[-2].lastgroup != near[-1].lastgroup
    if opposed and _EITHER.fullmatch(before, near[-2].end(), near[-1].start()):
        return EITHER
    if not near and far is None:
        return 0
    if near and (far is None or len(before) - near[-1].end() <= far.start()):
        return 1 if near[-1]["up"] else -1
    return 1 if far is not None and far["up"] else -1


def denied(before: str, after: str) -> bool:
    """Whether the number is what did not happen ("did not rise by 42"), a level and no change ("64 % of its peak"),
    or what a page tells and the answer goes on to correct ("the blog says 42, but").
    """
    if _DENIED.search(before) or _LEVEL.match(after):
        return True
    return _TOLD.search(before) is not None and _CORRECTED.match(after) is not None


def ends(between: str) -> bool:
    """Whether a sentence or clause ends between two numbers."""
    return _CLAUSE.search(between) is not None


def undecided(text: str) -> bool:
    """Whether the text says that it cannot choose between the numbers it names."""
    return _UNDECIDED.search(text) is not None
