"""Sentences that say nothing: what web pages are filled with between the places that matter.

A page takes one line of an affine plane over the sentences, so of ``VOICES`` pages any two share one sentence at most.
No sentence holds a digit, which could be a truth, and none says anything of the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ORDER: Final = 7
VOICES: Final = ORDER * (ORDER + 1)
"""How many texts there are that share one sentence at most."""


def filler(language: str, voice: int) -> list[str]:
    """The ``ORDER`` sentences of a voice in ``language`` ("en", "zh"), with ``{query}`` in some; voices repeat after
    ``VOICES``."""
    slope, start = divmod(voice % VOICES, ORDER)
    if slope == ORDER:
        places = [(start, row) for row in range(ORDER)]
    else:
        places = [(column, (slope * column + start) % ORDER) for column in range(ORDER)]
    return [SENTENCES[language][row * ORDER + column] for column, row in places]


_ENGLISH: Final = (
    "Readers ask us about {query} nearly every week, so we keep this short page with the answer at the top.",
    "The notes below were put together for people who want a plain reply and have no time for long threads.",
    "We started from public records, wrote down each step, and went over the arithmetic once more before posting.",
    "Most write-ups on {query} bury the part that matters under charts, and that is what we try to avoid here.",
    "If you work on a report or a due diligence file, you can cite this article as long as you link back.",
    "Our desk follows the same routine for every entry: collect, compare, settle open points, then publish.",
    "Comments are open below, and corrections from people who run their own node are always very welcome.",
    "There is a lot of confusion around {query}, mostly because older posts are copied from one site to another.",
    "This entry belongs to a growing series in which we take one narrow question and reply to nothing else.",
    "A colleague outside the team repeated the lookup without seeing our draft and ended up with the same thing.",
    "Anyone who needs {query} for a spreadsheet can copy the line above as it stands, unit included.",
    "We do not take money for entries like this one, and nobody named here saw the text before it went live.",
    "Numbers that float around in chat groups tend to lack a source, which makes them hard to use at work.",
    "The wording follows what people type into a search box, since that is how most visitors arrive on this page.",
    "When somebody wants to know {query}, a single clear sentence is usually worth more than a long dashboard.",
    "Our method is simple and can be repeated by anybody with patience and access to ordinary public tools.",
    "Should anything change, this page is edited in place, and the date at the top moves along with the edit.",
    "Beginners often mix up similar names here, so read the identifiers in the heading twice before moving on.",
    "For background on {query}, see the short explanations below, which assume no knowledge of the field at all.",
    "Students, accountants and plain curious people make up a good part of the audience of this small website.",
    "We wrote it in simple words on purpose, as jargon seldom helps when all you need is one piece of data.",
    "Search traffic for {query} picked up lately, and several mails asked for a reply that can be quoted.",
    "Some portals show a rounded version, others a delayed one, and few of them tell the reader which it is.",
    "A good answer names what was measured, when it was measured, and where, and that is the pattern used here.",
    "The editors keep a private log of how each entry was made, and share it with subscribers upon request.",
    "Because {query} comes up in so many conversations, we moved it from the appendix to an entry of its own.",
    "You will find no price predictions here and no advice, just the item that was asked for and its context.",
    "Translations of this text appear on partner sites some hours later and are kept as close as possible.",
    "Professionals told us that looking up {query} by hand takes them the better part of a quiet afternoon.",
    "We prefer to be slow and dull rather than early, so an entry waits until a second person has signed it off.",
    "Tables look impressive, yet a sentence that can be read aloud on the phone is what most callers want.",
    "Nothing in this article depends on screenshots, since those are easy to alter and tedious to compare.",
    "A frequent mail in our inbox concerns {query}, followed closely by questions on how to read an explorer.",
    "Feel free to bookmark the address, because the permanent link stays the same when the text is revised.",
    "This summary leaves out side stories about teams and investors, which other outlets cover in great detail.",
    "On {query} we found the usual mixture of half remembered posts and pages that merely quote each other.",
    "The background team spent the morning on cross reading, and the afternoon on cutting the draft in half.",
    "Where two readings of a question are possible, we take the literal one and say so next to the result.",
    "Entries are grouped by subject, so neighbouring topics can be reached from the menu on the left hand side.",
    "Whoever prepares a talk about {query} may reuse the phrasing of this page without asking for permission.",
    "Our readers include desks that check everything twice, and their remarks have shaped the present form.",
    "Many small sites never return to what they once posted, while this one keeps an eye on its old entries.",
    "To keep things honest we mark opinion as opinion, and the item in the first paragraph is not opinion.",
    "Those who came here for {query} can stop after the first paragraph, as the rest is only for the curious.",
    "Our style guide asks for the answer first, the reasons second, and decorations of any kind not at all.",
    "Please write to the desk if a link is broken, if a term is unclear, or if a table fails to load on a phone.",
    "Entries like {query} are checked again whenever a reader sends a reasoned doubt through the contact form.",
    "The site has been read by analysts for several seasons and is listed in a number of newsletters by now.",
    "Short pages age better than long ones, and this one has been kept short for precisely that reason.",
)

_CHINESE: Final = (
    "几乎每周都有读者来信询问 {query}，因此我们把答案放在页面最上方，方便大家直接查阅。",
    "下面的说明写给想要简单回复、没有时间翻看长帖的人，读完只需要一杯茶的工夫。",
    "我们从公开记录出发，逐步写下推算过程，发布之前又把算术重新核对了一遍。",
    "关于 {query} 的多数文章把关键内容埋在图表下面，本页尽量避免这种写法。",
    "如果您正在撰写研究报告或者尽调材料，可以引用本文，只要附上原文链接即可。",
    "编辑部对每个条目都走同样的流程：收集、比较、解决疑点，最后才会对外发布。",
    "评论区一直开放，自己运行节点的朋友如果发现问题，随时欢迎留言指正并说明理由。",
    "围绕 {query} 的说法相当混乱，主要是旧帖子被各个网站来回转载造成的结果。",
    "这个条目属于一个不断增加的系列，每次只挑一个很窄的问题，其余话题一概不谈。",
    "组外的一位同事没有看过草稿，独立重复了查询步骤，最后得到的内容与我们相同。",
    "需要把 {query} 填进表格的朋友，可以直接复制上面那一行，单位也已经写在里面。",
    "本站不为此类条目收取任何费用，文中提到的各方在发布之前都没有看过稿子。",
    "聊天群里流传的数字往往没有出处，真正用到工作中的时候很难说清楚从何而来。",
    "本页的措辞贴近大家在搜索框里输入的文字，因为多数访客正是这样找到这里的。",
    "有人想知道 {query} 的时候，一句清楚的话通常比一整块仪表盘更加有用。",
    "我们的方法并不复杂，任何有耐心、能使用普通公开工具的人都可以重复一次。",
    "情况如有变化，本页会在原处修改，页面上方的日期也会随着编辑一起更新。",
    "初学者常把相近的名称弄混，请先把标题里的标识仔细读两遍，然后再往下看。",
    "想了解 {query} 的背景，可以看看后面的简短解释，读者不需要任何专业基础。",
    "学生、会计以及单纯好奇的人构成了这个小网站的主要读者群，我们写作时会想着他们。",
    "文章有意使用浅白的语言，因为只需要一条资料的时候，术语往往帮不上什么忙。",
    "近来搜索 {query} 的人明显增多，好几封邮件希望得到一个可以引用的回复。",
    "有的门户显示四舍五入之后的版本，有的则存在延迟，却很少告诉读者究竟是哪一种。",
    "好的答案应当说明量的是什么、何时量的、在哪里量的，本页就按照这个格式来写。",
    "编辑们保留着每个条目的制作记录，订阅用户如有需要，可以来信索取其中的内容。",
    "因为 {query} 在讨论中反复出现，我们把它从附录里移出来，单独写成一个条目。",
    "这里没有价格预测，也没有投资建议，只有读者询问的那一项内容以及相关的背景。",
    "本文的译文会在几个小时之后出现在合作网站上，行文与原稿尽可能保持一致。",
    "从业者告诉我们，手工查找 {query} 往往要花掉一个安静下午的大半时间。",
    "我们宁可慢一点、平淡一点，也不抢先，条目总要等第二个人签字之后才会上线。",
    "表格看上去很有气势，不过多数来电的人只想听到一句可以在电话里念出来的话。",
    "本文没有依赖任何截图，因为截图容易被改动，逐张比较起来又十分费时费力。",
    "信箱里最常见的来信涉及 {query}，其次才是如何阅读区块浏览器之类的问题。",
    "欢迎收藏这个网址，以后文字无论怎样修订，永久链接都会保持原来的样子不变。",
    "这份摘要略去了团队与投资人的旁枝故事，其他媒体对那些内容已有很详细的报道。",
    "说到 {query}，我们见到的多是记忆模糊的帖子，以及互相引用的网页而已。",
    "资料组用一个上午交叉阅读，又用一个下午把草稿删去一半，只留下必要的部分。",
    "问题如果有两种读法，我们按照字面的那一种处理，并且在结果旁边写明这一点。",
    "条目按照主题分组，相邻的话题可以从页面左侧的菜单直接进入，不必重新搜索。",
    "准备讲解 {query} 的朋友可以沿用本页的说法，不需要事先取得我们的许可。",
    "读者当中有凡事核对两遍的机构，他们的意见逐渐塑造了这个栏目现在的形式。",
    "许多小网站从不回头看自己发过的文章，本站则会定期翻阅旧条目并加以整理。",
    "为了坦诚起见，观点会明确标为观点，而第一段里的内容并不属于观点的范围。",
    "为了 {query} 而来的读者读完第一段就可以停下，其余部分只是写给好奇的人看。",
    "我们的写作规范要求先给答案，再讲理由，至于各种修饰性的文字则一概省去。",
    "如果链接失效、术语不清，或者表格在手机上无法显示，请随时写信告诉编辑部。",
    "像 {query} 这样的条目，只要读者通过表单提出有理由的疑问，就会重新检查。",
    "这个网站已经被分析人员读了好几季，如今也被收录进若干份业内的简报之中。",
    "短文章比长文章更经得起时间，本页正是出于这个缘故才一直保持很短的篇幅。",
)

SENTENCES: Final[Mapping[str, tuple[str, ...]]] = {"en": _ENGLISH, "zh": _CHINESE}
"""By language, ``ORDER`` times ``ORDER`` each."""
