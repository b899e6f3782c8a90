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
    r"|(?P<not>not\s+(?:true|correct)|no\s+longer)\b)",
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
    r"|\bthere\s+(?:is|was|were|are|has\s+been|have\s+been)\s+no\s+(?!(?:reliable\s+|public\s+|clear\s+|"
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
    r"\b[^.;\n]{0,60}$|(?:\b(?:not|cannot|never)|n't)\s+(?:\w+\s+){0,4}$|(?:并非|不是)$",
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
"""Before a word that would decide: what takes the decision back."""
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


class BooleanVerifier:
    """Right when the answer says what the value says: yes, no, or "false premise".

    A leading yes or no decides, whatever its explanation repeats, unless the answer turns round later ("Yes. Actually,
    no."); so does another such word that ends its clause ("False: ..."). "Yes and no" is undecided and wrong. Without
    one, every such word in the text must agree, "not true" counting as no. Where the value is a false premise, only
    saying so is right ("this never happened", "there was no second hack"): a plain yes or no accepts the premise.
    """

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
    for found in _NO_PREMISE.finditer(text):
        if plainly and not re.search("premise|assumption|presupposition|前提", found[0], re.IGNORECASE):
            continue
        before = text[max(0, found.start() - 90) : found.start()]
        after = text[found.end() : found.end() + 60].lstrip(" ,;.")
        if not _UNSURE.search(before) and not _HEARSAY.search(before) and not _IT_DID.match(after):
            return True
    return False


def _readings(text: str) -> list[str]:
    found = []
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
