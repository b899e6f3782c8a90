"""Yes, no, or that the question's premise is false, in the words people use for them."""

from __future__ import annotations

import re

from caia_replay.core.score import Score
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.answer import agreed, clean

_PREMISE = "false premise"
_YES = ("yes", "true", "yep", "yeah", "correct", "affirmative", "indeed", "confirmed", "sí", "oui", "sim", "да", "はい")
_NO = ("no", "false", "nope", "incorrect", "untrue", "negative", "non", "nein", "não", "нет", "いいえ")
_WORDS = {
    **dict.fromkeys((*_YES, "是", "是的", "对", "对的", "没错", "正确", "真", "肯定", "肯定的"), "yes"),
    **dict.fromkeys((*_NO, "否", "不是", "不对", "错误", "假", "没有", "不", "否定", "否定的"), "no"),
    **dict.fromkeys((_PREMISE, "the premise is false", "前提不成立"), _PREMISE),
}
_FLIPPED = {"yes": "no", "no": "yes"}
_ENGLISH = "|".join((*_YES, *_NO))
_ENDS = r"(?=\s*(?:[,.;:!?\n)}\]\"'，。；：、-]|$))"
_LEADING = re.compile(
    rf"\W*(?:(?P<yes>yes|sí|oui|nein|no(?=\W*$|\s*[^\w\s]|\s+(?:it|they|the|this|that|he|she|we|i|there|because|"
    rf"since|as)\b))\b|(?P<word>{_ENGLISH}|没错|是的|不是|正确|错误|是|否|对|不对|不|没有){_ENDS}"
    rf"|(?P<not>(?:not\s+(?:true|correct)|no\s+longer)\b|(?:never|从未|从不|从来没有|绝不){_ENDS}))",
    re.IGNORECASE,
)
_CHINESE_VERB = re.compile(
    r"\W*(?P<no>不|没|未|无)?(?P<verb>支持|包含|存在|可以|允许|属于|成功|启用|会|能|有)(?!没有|不)"
)
_ELLIPSIS = re.compile(
    r"\W*(?:it|they|he|she|this|that)\s+(?:does|did|do|is|was|are|were|has|have|had|can|could|will)"
    r"(?P<no>n't|\s+not)?\W*",
    re.IGNORECASE,
)
_THATS_RIGHT = re.compile(r"\W*(?:that|this|it)(?:'s|\s+is)\s+(?:right|so|the\s+case)\W*", re.IGNORECASE)
_WORD = re.compile(
    rf"\b(?P<en>{_ENGLISH})\b(?P<ends>{_ENDS}|\s+that\b)?|(?P<zh>不是|不对|没有|是的|正确|错误|肯定的|否定的)",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\b(?:not|never)|n't)(?:\s+(?:be|the|a|case|that|it|is|was))*\s*$", re.IGNORECASE)
_UNDECIDED = re.compile(
    r"^\W*(?:either\s+|both\s+)?(?:yes|true|是|no|false|否)\W*(?:and|or|but|/|,|和|或)?\W*(?:no|false|否|yes|"
    r"true|是)\b"
    r"(?=\s*(?:[,.;:!?)\n-]|$|for\b|in\b|on\b|if\b|when\b|depending\b))"
    r"|\beither\W+(?:yes|no|true|false)\b"
    r"|^\W*(?:yes|no)\W+(?:for|in|on|if|when)\b[^.;\n]*\b(?:no|yes)\b\s*(?:for|in|on|if|when|otherwise)"
    r"|\b(?:yes|no) or (?:no|yes)\b|\b(?:partly|partially)\b|\bit depends\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"(?:^|[.;:!?,\n]|\b(?:actually|wait|correction|or rather|rather|but|or|and|答案))\W*"
    rf"(?:the\s+(?:final\s+)?answer\s+(?:is|would be)\s+|it\s+is\s+|that\s+is\s+|答?案?是)?"
    rf"(?P<word>yes|no|true|false|肯定的|否定的|是的|不是){_ENDS}",
    re.IGNORECASE,
)
_FALSE = r"(?:false|wrong|incorrect|flawed|mistaken|invalid|faulty|untrue|inaccurate|unfounded)"
_NOT = r"(?:\s+not|n't)"
_EVENT = (
    r"(?:hacked|attacked|exploited|breached|drained|compromised|"
    r"launched|deployed|released|upgraded|minted|issued|created)"
)
_RECORD = (
    r"(?:data|information|answer|evidence|"
    r"records?|way|doubt|indication|results?|need|sign|reason|difference|change|source)"
)
_NO_PREMISE = re.compile(
    rf"\b{_FALSE}\s+(?:premise|assumption)\b"
    rf"|\b(?:premise|assumption|presupposition)\b[^.;\n]{{0,80}}?\b(?:is|was|are|were|seems|"
    rf"appears\s+to\s+be)\s+{_FALSE}\b"
    rf"|\b(?:premise|assumption|presupposition)\b[^.;\n]{{0,80}}?\b(?:(?:does|do|did){_NOT}\s+(?:hold|apply|"
    rf"stand)|(?:is|was){_NOT}\s+"
    r"(?:true|correct|valid|right)|fails)\b"
    r"|\bnever\s+(?:actually\s+)?(?:happened|occurred|took\s+place|existed|launched|been\b)(?!\s+(?:before|"
    r"until|again))"
    r"|\bnever\s+(?:happen|occur|take\s+place|exist)\b"
    r"|\bno\s+such\s+[\w'-]+"
    rf"|\b(?:does|do|did){_NOT}\s+(?:actually\s+|ever\s+)?(?:exist|happen|occur|take\s+place)\b"
    r"|\bthere\s+(?:is|was|were|are|has\s+been|have\s+been)\s+no\s+(?:such\s+)?(?!(?:reliable\s+|public\s+|clear\s+|"
    r"enough\s+)?(?:data|information|"
    r"answer|evidence|records?|way|doubt|indication|results?|need|sign|reason|difference|change)\b)[\w'-]+"
    r"|\bnon-?existent\b|\b(?:is|was|are|were)\s+(?:fictitious|fictional|imaginary)\b"
    rf"|\b(?:was|were|has\s+been|have\s+been)\s+never\s+(?:actually\s+)?{_EVENT}\b(?!\s+(?:again|before|until|"
    rf"after|by|with|using|from|to)\b)"
    rf"|\bthere\s+(?:was|were|is|are)(?:n't|\s+not)\s+(?:any|an?|ever)\s+(?!(?:\w+\s+)?{_RECORD}\b)[\w'-]+"
    rf"|(?:^|(?<=[.;:,]\s)|(?<=\bbut\s))no\s+(?!(?:\w+\s+)?(?:{_RECORD}|longer|"
    rf"one)\b)(?:[\w'-]+\s+){{1,8}}?(?:took\s+place|occurred|happened|existed|exists?)\b"
    r"|\b(?:assumes?|presupposes?|presumes?|implies)\b[^.;\n]{0,120}\bbut\b[^.;\n]{0,40}\bonly\s+(?:one|a\s+single)\b"
    r"|\bquestion\s+(?:itself\s+)?(?:does\s+not\s+apply|doesn't\s+apply|is\s+(?:moot|invalid|ill-posed))\b"
    r"|前提(?:条件|假设)?(?:是)?(?:不成立|错误|有误|错的|不正确|不存在|虚假)|错误的?前提|(?:不存在|从未发生|并未发生|没有发生|未发生|未曾发生)",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:(?-i:may|MAY|May(?=\s+(?:be|have|never|not|well)\b))(?!\s+\d)|might|could(?!\s+not|n't)|possibly|"
    r"perhaps|maybe|probably|likely|whether|if|unclear|unsure|uncertain|either|doubt|或许|可能|是否|如果)"
    r"\b[^.;\n]{0,60}$|(?:\b(?:not|cannot|never)|n't)\s+(?:(?!because\b|since\b|as\b)\w+\s+){0,4}$|(?:并非|不是|假如|假设|假若|若|如果|要是|除非)$",
    re.IGNORECASE,
)
_HEARSAY = re.compile(
    r"\b(?:some|many|most|people|others|critics|they|blogs?|articles?|posts?|tweets?|forums?|sites?|sources?|"
    r"pages?|rumou?rs?)\b[^.;\n]{0,40}?"
    r"\b(?:sa(?:y|ys|id)|claim\w*|state[sd]?|report\w*|believe\w*|argue\w*|think)\b[^.;\n]{0,30}$"
    r"|\b(?:claim|statement|idea|assertion|rumou?r|suggestion|notion|belief)\s+(?:is\s+)?that\b[^.;\n]{0,40}$",
    re.IGNORECASE,
)
_IT_DID = re.compile(
    r"\b(?:but|however,?|yet)\s+(?:it|they|this|that|there)\s+(?:actually\s+)?(?:did|does|was|were|"
    r"is)\b(?!n't|\s+(?:not|no)\b|\s+never)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"(?:\s+(?:ever|actually|exists?|existed|happened|occurred|took\s+place)\b){0,3},?\s+(?:(?:or|unless|only\s+if|if|"
    rf"except)\b|(?:is|are|was)\s+(?:what\b|{_FALSE}\b|a\s+(?:lie|myth)\b)|says?\b)"
    r"|(?:\s+[\w'-]+){0,8}(?:\s?\?|,\s+(?:an?\s+|the\s+|some\s+)?(?:\w+\s+)?(?:say|claim|argue|believe)s?\b)",
    re.IGNORECASE,
)
"""After a denial: what takes it back, makes it a condition, or hands it to somebody else."""
_UPHELD = re.compile(
    r"\b(?:premise|assumption|presupposition)s?\b(?:\s+(?:of|in|behind)\s+(?:the|this|your)\s+\w+)?\s+(?:itself\s+)?"
    r"(?:(?:does\s+|still\s+|actually\s+|indeed\s+)*(?:holds?|stands?)\b|(?:is|are|was|seems|appears\s+to\s+be)\s+(?:indeed\s+|actually\s+|"
    rf"perfectly\s+)?(?:true|correct|valid|right|sound|accurate|fine|justified|met)\b|(?:is|was)(?:\s+not|n't)\s+(?:an?\s+)?{_FALSE}\b)"
    rf"|\b(?:correct|true|valid)\s+(?:premise|assumption)\b|\b(?:no|not\s+an?|never\s+an?|without\s+an?|n't\s+an?)\s+{_FALSE}\s+(?:premise|assumption)\b"
    r"|前提(?:条件|假设)?(?:是)?(?:成立|正确|属实|有效|没错|没有(?:错误|问题)|并非(?:错误|虚假)|不是(?:错误|假))",
    re.IGNORECASE,
)
"""The premise said to hold: beside a denial, one of the two is not meant."""
_DISOWNED = re.compile(
    rf"\b(?:{_FALSE}|lie|myth|mistake|error|nonsense|absurd|misleading|nobody|no\s+one|none|hardly|barely|scarcely|"
    r"den(?:y|ies|ied|ying)|refut\w+|disput\w+|reject\w*|disagree\w*|contradict\w*|disprov\w+|dismiss\w*)\b[^.;:\n]{0,50}$"
    r"|\b(?:no|without|hardly|barely|far\s+from)\s+(?:an?\s+|any\s+)?$"
    r"|(?:不能|无法|不可|难以|并不|不是|并非|不要|没有人?|谁)[^。;\n]{0,6}$",
    re.IGNORECASE,
)
"""Before a denial: what denies it, or says that nobody makes it."""
_LOOKED = re.compile(
    r"\b(?:f(?:ou|i)nds?|saw|sees?|seen|locate[sd]?|return(?:s|ed)?|shows?|showed|shown|contain(?:s|ed)?|identif\w+|detect\w*|"
    r"list(?:s|ed)?|record(?:s|ed)?|observed?|got|gets?|aware\s+of|know\s+of|know|encounter\w*|spot(?:s|ted)?|"
    r"retriev\w+|yield(?:s|ed)?|turned\s+up|came\s+(?:across|up)|has\s+on\s+file|with)\s+$",
    re.IGNORECASE,
)
_NOT_SEEN = re.compile(
    r"[^.;,:\n]{0,40}?\b(?:(?:was|were|is|are|been|be)\s+(?:ever\s+)?(?:found|seen|located|identified|listed|returned|visible|"
    r"detected|available|shown|known|retrieved|given|provided)\b|(?:in|on|from|by|within|among)\s+(?:the|my|our|any|these|this|those)\s+"
    r"(?:\w+\s+){0,2}(?:docs?|documents?|documentation|data|dataset|results?|search(?:es)?|logs?|sources?|pages?|snippets?|"
    r"tools?|output|context|sample)\b|(?:that\s+)?(?:i|we)\s+(?:could|can|have|had|read|saw|found|checked|know|looked|searched|am|are)\b"
    r"|(?:as\s+far\s+as|to\s+my|for\s+me)\b)",
    re.IGNORECASE,
)
"""That a search found nothing is not that there is nothing."""
_MODAL = re.compile(
    r"\b(?:(?-i:may|MAY|May(?=\s+(?:be|have|never|not|well)\b))(?!\s+\d)|might|could|(?<!answer )would|"
    r"not\s+(?:certain|sure|clear|known|proven|confirmed|established)|"
    r"possibly|perhaps|maybe|whether|if|unclear|unsure|uncertain|cannot|can't)\b[^.;\n]{0,60}$",
    re.IGNORECASE,
)


_NOTHING_FOUND = re.compile(
    r"没有(?:任何|相关|足够的?|可用的?)*(?:数据|记录|答案|结果|权限|信息|资料|证据)|不是没有|没有(?:异议|问题|错(?!误))"
)
"""Words that hold 没有 and say neither yes nor no of what was asked."""
_TWICE = re.compile(
    r"\b(?:false|untrue|incorrect|wrong)\s+that\b[^.;\n]*\b(?:false|untrue|incorrect|not|never|no)\b", re.IGNORECASE
)
"""A denial denied."""


class BooleanVerifier:
    """Right when the answer says what the value says: yes, no, or "false premise".

    A leading yes or no decides, whatever its explanation repeats, unless the answer turns round later ("Yes. Actually,
    no."); so does another such word that ends its clause ("False: ..."). "Yes and no" is undecided and wrong. Without
    one, every such word in the text must agree, "not true" counting as no. Where the value is a false premise, only
    saying so is right ("this never happened", "there was no second hack"): a plain yes or no accepts the premise. Not
    having found something is not saying that it does not exist, and a premise both denied and upheld is neither.
    """

    reads: tuple[str, ...] = ()

    def verify(self, spec: AnswerSpec, answer: str) -> Score:
        """Judge ``answer``. Raises ``BadInput`` when the spec's value is none of the three."""
        wanted = _WORDS.get(spec.values[0].strip().casefold())
        if wanted is None or len(spec.values) != 1:
            raise BadInput(f"{spec.values[0]!r} is neither yes, no nor false premise", where="answer.values")
        text = _NOTHING_FOUND.sub("@", clean(answer))
        if _UNDECIDED.search(text):
            return Score(False, "hedged between yes and no")
        lead = _lead(text)
        if lead is None and _premise_denied(text, plainly=True):
            lead = _PREMISE
        if wanted == _PREMISE and lead != "yes" and _premise_denied(text, plainly=False):
            return Score(True, f"read {_PREMISE}", _PREMISE)
        reading, fault = (lead, "") if lead else agreed(_readings(text))
        if reading is None:
            return Score(False, fault)
        if lead in _FLIPPED and any(_WORDS[turn["word"].casefold()] != lead for turn in _TURNED.finditer(text, 1)):
            return Score(False, "hedged between yes and no")
        return Score(reading == wanted, f"read {reading}", reading)


def _lead(text: str) -> str | None:
    if first := _LEADING.match(text):
        return "no" if first["not"] else _WORDS[(first["yes"] or first["word"]).casefold()]
    if _THATS_RIGHT.fullmatch(text):
        return "yes"
    if verb := _CHINESE_VERB.match(text):
        return "no" if verb["no"] else "yes"
    if short := _ELLIPSIS.fullmatch(text):
        return "no" if short["no"] else "yes"
    return None


def _premise_denied(text: str, *, plainly: bool) -> bool:
    """Whether the text says that the premise does not hold; ``plainly``, by speaking of the premise itself."""
    if _UPHELD.search(text):
        return False
    for found in _NO_PREMISE.finditer(text):
        if plainly and not re.search("premise|assumption|presupposition|前提", found[0], re.IGNORECASE):
            continue
        before = text[max(0, found.start() - 90) : found.start()]
        after = text[found.end() : found.end() + 60].lstrip(" ,;.")
        taken_back = any(pattern.search(before) for pattern in (_UNSURE, _HEARSAY, _DISOWNED))
        taken_back = taken_back or _TAKEN_BACK.match(text, found.end()) is not None
        if not taken_back and not _IT_DID.match(after) and not _only_unseen(found, before, text):
            return True
    return False


def _only_unseen(found: re.Match[str], before: str, text: str) -> bool:
    """Whether a denial only tells that a search found nothing ("I found no such transaction")."""
    if "premise" in found[0].casefold() or "前提" in found[0]:
        return False
    return _LOOKED.search(before) is not None or _NOT_SEEN.match(text, found.end(), found.end() + 120) is not None


def _readings(text: str) -> list[str]:
    found = []
    if _TWICE.search(text):
        return []
    for word in _WORD.finditer(text):
        if word["en"] and word["ends"] is None:
            continue
        before = text[max(0, word.start() - 90) : word.start()]
        if _MODAL.search(before) or _HEARSAY.search(before):
            return []
        value = _WORDS[(word["en"] or word["zh"]).casefold()]
        negated = _NEGATED.search(text[max(0, word.start() - 40) : word.start()])
        found.append(_FLIPPED[value] if negated else value)
    return found
