"""What the mode of a fault means. Cases put it in words: ``throttle_all``, ``reject_writes``, ``bulk_429``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TARGETS = ("embedder", "index", "table")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_ORDER = ("words", "vectors", "partial", "throttle", "hang", "delay", "swap", "absent", "fail", "clear")
"""Of two effects that one mode names, the first here counts: a ``timeout error`` hangs."""
_OF_ONE_TARGET = {"words": "index", "vectors": "index", "partial": "index", "swap": "embedder"}
_MEANINGS = {
    "clear": r"clear(ed)?|none|normal|ok|healthy|recover(ed)?|restored?|up",
    "throttle": r"throttl(e|ed|es|ing)|429|overload(ed)?|overrun|busy|quotas?|limit(s|ed)?|many",
    "hang": r"hang(s|ing)?|hung|stall(s|ed)?|timeouts?|timed|out",
    "delay": r"delay(s|ed)?|slow|latency|lag(s|ging)?",
    "absent": r"absent|missing|gone|lost|deleted?|404",
    "fail": r"fail(s|ed|ing|ure|ures)?|errors?|refus(e|es|ed|ing)|reject(s|ed|ing|ions?)?|den(y|ies|ied)|block(s|ed)?|"
    r"down|offline|outage|broken|crash(ed)?|unavailable|unreachable|disconnect(ed)?|reset|403|5\d\d",
    "swap": r"swap(ped)?",
    "partial": r"partial(ly)?|some",
    "words": r"keywords?|lexical|words?",
    "vectors": r"vectors?|dense",
    "writes": r"writ(e|es|ing)|bulk|commits?|documents?|readonly",
    "reads": r"read(s|ing)?|search(es)?|quer(y|ies)",
    "once": r"once|first",
    "nothing": r"all|every|always|too|requests?|calls?|connections?|server|time|rate|only|mode|model|leg|by|with|on|"
    r"and|index|table|embedder",
}


class UnknownFault(Exception):
    """There is no such target, or it has no such mode."""


@dataclass(frozen=True, slots=True)
class Mode:
    """``effect``: one of ``_ORDER``. ``reads`` and ``writes``: which calls it meets; for the embedder these are queries
    and texts to store. ``calls``: how many of them, None for all. ``seconds``: how long a call is held, if it says so.
    ``model`` and ``other_size``: what ``swap`` makes of the embedder."""

    effect: str
    reads: bool = True
    writes: bool = True
    calls: int | None = None
    seconds: float | None = None
    model: str | None = None
    other_size: bool = False


NO_FAULT = Mode("clear")


def read_mode(fault: Mapping[str, Any]) -> Mode:
    """The mode of the fault. Raises UnknownFault."""
    target, written = fault.get("target"), str(fault.get("mode"))
    if target not in TARGETS:
        raise UnknownFault(f"unknown target {target}; there are {', '.join(TARGETS)}")
    words = [word.lower() for word in _WORD.findall(re.sub("read.?only", "readonly", written, flags=re.IGNORECASE))]
    found = {next((name for name, form in _MEANINGS.items() if re.fullmatch(form, word)), None) for word in words}
    effect = next((one for one in _ORDER if one in found), "fail" if found & {"reads", "writes", "once"} else None)
    if None in found or effect is None or _OF_ONE_TARGET.get(effect, target) != target:
        raise UnknownFault(
            f"unknown mode {written} of the {target}: a mode says clear, throttle, error, absent, delay or timeout, "
            "and may add once, reads or writes; the embedder has swap, the index partial, keyword_leg and vector_leg"
        )
    writes = "writes" in found or effect == "partial"
    reads = "reads" in found or not writes
    return Mode(
        effect=effect,
        reads=reads,
        writes=writes or (target != "index" and "reads" not in found),
        calls=fault.get("times", 1 if "once" in found else None),
        seconds=fault.get("seconds"),
        model=fault.get("model"),
        other_size=fault.get("dims") == "other",
    )


def meets_index_writes(fault: Mapping[str, Any]) -> bool:
    """Whether it is a fault of what the indexer does. Raises UnknownFault."""
    return fault.get("target") == "index" and read_mode(fault).writes
