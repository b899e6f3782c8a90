"""Whether a day or moment is claimed, or only bounds, approximates or misnames the answer, by the words beside it."""

from __future__ import annotations

import re

_REACH = 48
"""Characters before a day that say what it is; reading stays linear."""

_TIME_UNIT = r"(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|blocks?)"
_HAN_UNIT = r"(?:秒钟?|分钟?|小时|天|日|周|星期|个月|月|年|区块)"
_HAN_COUNT = r"[\d一二两三四五六七八九十半几]{0,3}\s?个?"
_CALENDAR = (
    r"(?:lunar|lunisolar|julian|old[- ]style|hijri|islamic|hebrew|jewish|ethiopian|coptic|buddhist|persian|"
    r"chinese(?= calendar))"
)
_HAN_CALENDAR = r"(?:农历|農曆|阴历|陰曆|旧历|舊曆|夏历|黄历|儒略历|伊斯兰历|佛历)"
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:before|after|until|till|by|since|from|between|through|thru|throughout|past|beyond|following|preceding|"
    r"prior\s+to|up\s+to|(?:as|ahead)\s+of|as\s+from|later\s+than|earlier\s+than|sooner\s+than|no\s+later|within|"
    r"starting|beginning|ending|minus|plus|"
    r"(?:eve|weeks?|month|days?|hours?|end|start|beginning|middle|aftermath|wake|run-?up)\s+(?:of|to|from|past)|"
    r"antes|después|desde|hasta|vor|nach|seit|bis(?:\s+zum)?|ab|avant|après|depuis|jusqu'au|desde|até|prima|dopo|dal|"
    r"entro)"
    r"(?:\s+(?:the|on|at|about|around|or|and|le|el|de|del|dem|den|o|il|zum))*"
    r"|早于|晚于|先于|迟于|截至|截止[到至于]?|截止|直到|不晚于|不早于|最[晚迟早]|至少|(?<!来)自从?|(?<![服])从|以前|以后"
    rf"|[前后]\s?{_HAN_COUNT}{_HAN_UNIT}(?:的|是|为|,|:)?)\W*$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"\W{0,3}(?:(?:或者?)?(?:之前|以前|之后|以后|前(?!往|后)|后(?!来|台)|起(?!诉|初|源)|以来|为止|止(?!血))"
    r"|(?:or|and)\s+(?:later|earlier|before|after|sooner|onwards?|older|newer)\b"
    r"|at\s+(?:the\s+)?(?:latest|earliest|least|most)\b|onwards?\b|give\s+or\s+take\b|until\b|through\b|till\b"
    rf"|的?(?:前一|后一|第二|次|翌)[天日]|的[前后]\s?{_HAN_COUNT}{_HAN_UNIT}|的?前[夕夜]|[加减]去?上?\s?[\d一二两三四五六七八九十半]"
    rf"|(?:plus|minus|less)\s+(?:\w+\s+){{1,3}}?{_TIME_UNIT}\b|[+±]\s?\d+\s?(?:{_TIME_UNIT}|[hdsm])\b"
    rf"|(?:about\s+|around\s+)?(?:an?|one|two|three|several|a\s+few|\d+)\s+{_TIME_UNIT}\s+(?:(?:earlier|later)\b|(?:before|after)\b(?!\s*[\w\"'])))",
    re.IGNORECASE,
)
_NEARLY_BEFORE = re.compile(
    r"(?:\b(?:around|about|circa|ca|c|approx|approximately|roughly|near|nearly|almost|towards?|sometime|estimated|"
    r"presumably|probably|perhaps|maybe|possibly|likely|hacia|alrededor|sobre|etwa|ungefähr|gegen|vers|environ|circa)\b"
    r"(?:\s+(?:the|on|at|de|del|el|le|den|dem))*"
    r"|~|≈|大约|大概|约莫|(?<![合契公预条签])约|将近|接近|临近|差不多|估计|可能|也许|或许)[\W_]*$",
    re.IGNORECASE,
)
_NEARLY_AFTER = re.compile(
    r"\W{0,3}(?:左右|前后|上下|附近|or\s+(?:so|thereabouts|around|about|near)\b|-?ish\b|approx\w*|approximate\w*|roughly|"
    r"estimated?\b|more\s+or\s+less|circa|大约|大概)|\s?\?",
    re.IGNORECASE,
)
_OTHERWISE_BEFORE = re.compile(
    rf"(?:\b{_CALENDAR}\b(?:\s+(?:calendar|date|day|year))*|{_HAN_CALENDAR}(?:的|年|日期)?)[\W_]*$", re.IGNORECASE
)
_OTHERWISE_AFTER = re.compile(
    rf"\W{{0,3}}(?:(?:in|on|of|by|per|according\s+to)\s+(?:the\s+)?)?(?:{_CALENDAR}\b|B\.?C\.?(?:E\b|\W|$)"
    rf"|{_HAN_CALENDAR}(?!\s?[\d〇零一二三四五六七八九十正腊冬闰]))",
    re.IGNORECASE,
)


def claimed(text: str, start: int, end: int, *, nearly: bool = False) -> bool:
    """Whether what stands in the cleaned ``text`` from ``start`` to ``end`` is stated as the day or moment itself.

    Not where it is a bound ("by 4 June 2024", "截至2024年6月4日"), something is counted from it ("an hour before ..."),
    or it is told in another calendar (农历). "Around 4 June 2024" is one only if ``nearly`` is enough.
    """
    before = text[max(0, start - _REACH) : start]
    if _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(text, end):
        return False
    if _OTHERWISE_BEFORE.search(before) or _OTHERWISE_AFTER.match(text, end):
        return False
    return nearly or not (_NEARLY_BEFORE.search(before) or _NEARLY_AFTER.match(text, end))
