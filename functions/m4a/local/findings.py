"""What the doctor looks at in every profile, and in what words it tells."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from m4a.adapters.errors import Unusable
from m4a.domain.errors import M4AError
from m4a.domain.vectors import unpack
from m4a.ports import Embedder
from m4a.settings import SettingsError


@dataclass(frozen=True)
class Finding:
    """The result of one check, in a sentence."""

    check: str
    ok: bool
    finding: str


def check_model(load: Callable[[], Embedder], praise: str, hint: str = "") -> tuple[Embedder | None, list[Finding]]:
    """The embedding model, None if it can't be used. ``praise``: what else is known of one that can; ``hint``: where to
    look if it does not answer."""
    try:
        embedder = load()
        vector = unpack(embedder.embed(["The doctor asks for one vector."], "query")[0].data)
    except (Unusable, SettingsError) as error:
        return None, [Finding("model", False, str(error))]
    except M4AError as error:
        return None, [Finding("model", False, f"{error.message} {hint}".strip())]
    length = math.hypot(*vector)
    found = f"{len(vector)} dimensions, length {length:.3f}."
    return embedder, [
        Finding("model", True, f"{embedder.model}; {praise}"),
        Finding("embedding", abs(length - 1) < 0.01, found),
    ]
