"""Helpers that several test files share, beyond the fixtures."""

from __future__ import annotations

from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from anyio.from_thread import BlockingPortal
from neo4j import Driver

from graph_memory import Code, GraphError, Memory
from graph_memory.model.events import Draft, Head, Op, Origin
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import State
from graph_memory.storage.log.work import Decision


class Conversation(NamedTuple):
    """An open memory, and the event loop on which it is asked."""

    portal: BlockingPortal
    memory: Memory


async def index(memory: Memory) -> None:
    """Have all texts of the memory's domain indexed for search, which is otherwise done behind the searches."""
    await memory._search.index(memory._domain(None))


async def last(memory: Memory) -> int:
    """Return the number at which the log of the memory's domain ends."""
    return (await memory.history.log(limit=1)).entries[0].seq


async def exists(memory: Memory, domain: str) -> bool:
    """Return whether there is a domain of this name. Listing all domains of a run takes seconds."""
    try:
        await memory.domain_info(domain=domain)
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return False
    return True


async def agrees(memory: Memory) -> None:
    """Assert that graph and log of the memory's domain agree. A rebuild returns what `verify` finds first."""
    assert (await memory.upkeep.rebuild()).differences == ()


def hits_of(driver: Driver, text: LiteralString, **arguments: object) -> int:
    """Return the number of accesses to the store of a statement: the same in each run, on any machine."""
    profile = driver.execute_query(f"PROFILE {text}", arguments).summary.profile
    assert profile is not None
    return _hits(profile)


def _hits(part: dict[str, Any]) -> int:
    return part.get("dbHits", 0) + sum(_hits(child) for child in part.get("children", ()))


def observation(text: str, time: datetime) -> State:
    """Return the stored state of an observation in an event."""
    return {"_text": text, "_time": time, "_origin": "chat", "_confidence": 0.5}


async def observe(memory: Memory, domain: str, node_id: str) -> str:
    """Write an observation through the log; the tools for it come later."""
    log = memory._core.log
    subject = f"obs_{node_id.removeprefix('mem_')}"

    async def nothing(*_: object) -> None:
        return None

    def decide(head: Head, _: None) -> Decision[None]:
        state = observation("likes tea", head.at)
        draft = Draft(op=Op.CREATE, kind=Kind.OBSERVATION, subject=subject, from_id=node_id, state=state)
        return Decision([draft], None)

    await log.write("observe", domain, Origin(session="s1", source="agent", actor="test"), nothing, decide)
    return subject


SCRIPTS = {
    "Hindi": ("मुझे हिंदी भाषा और राम पसंद हैं", "हिंदी", "हिंदू"),
    "Bengali": ("আমি বাংলা ভাষা ভালোবাসি", "ভাষা", "ভোষা"),
    "Gujarati": ("મને ગુજરાતી ભાષા ગમે છે", "ગુજરાતી", "ગુજરાતે"),
    "Tamil": ("எனக்கு தமிழ் மொழி பிடிக்கும்", "தமிழ்", "தமழ்"),
    "Telugu": ("నాకు తెలుగు భాష ఇష్టం", "తెలుగు", "తలుగు"),
    "Malayalam": ("എനിക്ക് മലയാളം ഇഷ്ടമാണ്", "മലയാളം", "മലയാളി"),
    "Sinhala": ("මට සිංහල භාෂාව කැමතියි", "සිංහල", "සංහල"),
    "Thai": ("ฉันชอบกินไก่ทอดที่กรุงเทพมาก", "ไก่ทอด", "ปลา"),
    "Turkish with a suffix": ("O İstanbul'da yaşıyor", "İstanbul", "İstanbullu"),
    "Greek in capitals": ("ΟΔΟΣ ΑΘΗΝΑΣ ΕΔΩ", "οδος", "οδοι"),
    "Thai grapheme": ("ฉันมาปีนี้", "ปี", "ปู"),
    "Lao": ("ຂ້ອຍມັກພາສາລາວຫຼາຍ", "ພາສາ", "ພູສູ"),
    "Khmer": ("ខ្ញុំចូលចិត្តភាសាខ្មែរណាស់", "ភាសា", "ភូមិ"),
    "Burmese": ("ကျွန်တော်မြန်မာဘာသာကိုကြိုက်တယ်", "ဘာသာ", "ဘူသူ"),
    "Tibetan": ("ང་བོད་ཡིག་ལ་དགའ།", "བོད", "བུད"),
    "Arabic": ("أُحِبُّ اللُّغَةَ العَرَبِيَّةَ كثيرا", "العَرَبِيَّةَ", "العَرَبُيَّةُ"),
    "Persian": ("من می‌خواهم بروم", "می‌خواهم", "نمی‌خواهم"),
    "Hebrew": ("אֲנִי אוֹהֵב עִבְרִית מְאֹד", "עִבְרִית", "עָבְרִית"),
    "Hebrew acronym": ('הוא שירת בצה"ל שנים', 'בצה"ל', "בצהל"),
    "Vietnamese": ("Tôi thích tiếng Việt lắm", "tiếng Việt", "phượng"),
    "French": ("un élève très doué à Nîmes", "élève", "cathédrale"),
    "Turkish": ("Ben İstanbul şehrinde yaşıyorum", "İstanbul", "Ankara"),
    "Greek": ("Η ΟΔΌΣ είναι μεγάλη", "ΟΔΌΣ", "ΝΌΜΟΣ"),
    "Korean": ("나는 한국어 책을 읽는다", "한국어", "일본어"),
    "Japanese": ("私はガラスの東京タワーが好きです", "ガラス", "カラス"),
    "Chinese": ("我喜欢喝绿茶和咖啡", "绿茶", "红酒"),
    "Amharic": ("አማርኛ ቋንቋ እወዳለሁ", "ቋንቋ", "ውሃ"),
    "soft hyphen": ("ein Donau\u00addampfschiff fährt", "Donaudampfschiff", "Dampfer"),
}
"""By script: a text, a word as it stands in it, and another word."""
