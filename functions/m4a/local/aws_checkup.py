"""What the doctor looks at in the profile aws: the table, the search index, and what waits between them."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from m4a.application.indexing import Indexing
from m4a.application.service import Service
from m4a.bootstrap import Operator
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Filters
from m4a.domain.owner import DEFAULT_TENANT, Owner
from m4a.domain.search import IndexQuery
from m4a.domain.text import RULES
from m4a.local.findings import Finding
from m4a.ports import Embedder
from m4a.ports.indexing import IndexOutdated
from m4a.ports.maintenance import Maintenance
from m4a.settings import Settings

_NOBODY = Owner(DEFAULT_TENANT, "m4a:doctor")
_COUNTED = 100
_WAITS = timedelta(minutes=3)
"""On Serverless each change waits a minute or two, for the sweep."""
_CREDENTIALS = "with the credentials that `aws sts get-caller-identity` shows"


def check_aws(operator: Operator, settings: Settings, embedder: Embedder | None) -> Iterator[Finding]:
    """Reads little, and writes nothing: safe while the store is in use."""
    indexing = operator.indexing
    if indexing is None:
        raise ValueError("this profile has no search index of its own")
    try:
        indexing.state.read()
        yield Finding("table", True, f"{settings.table} answers.")
        yield _token_rules(operator.maintenance)
        yield _outbox(operator.service, indexing)
        yield _embeddings(operator.service, operator.maintenance)
    except (Unavailable, Throttled) as error:
        asked = f"Asked for {settings.table} in {settings.region}, as M4A_TABLE and M4A_REGION say, {_CREDENTIALS}."
        yield Finding("table", False, f"{error.message} {asked}")
    else:
        yield from _index(operator.service, indexing, settings, embedder)


def model_hint(settings: Settings) -> str:
    """Where to look if the embedding model does not answer."""
    asked = f"Asked for {settings.embedding_model} in {settings.region}, as M4A_EMBEDDING_MODEL and M4A_REGION say"
    offered = "Bedrock must offer it there by this id, where some models have inference profiles alone (eu.<model>)"
    return f"{asked}, {_CREDENTIALS}: {offered}, and they need bedrock:InvokeModel for it."


def _token_rules(maintenance: Maintenance) -> Finding:
    found = maintenance.token_rules()
    if found == RULES:
        return Finding("token rules", True, f"Version {RULES}.")
    other = f"follow rules {found}, this version has {RULES}: run m4a reindex." if found else "have no rules: m4a init."
    return Finding("token rules", False, f"The stored words {other}")


def _outbox(service: Service, indexing: Indexing) -> Finding:
    after = max(indexing.settle_after, _WAITS)
    waiting = len(list(islice(indexing.outbox.unsettled(service.clock.now(), after), _COUNTED)))
    if not waiting:
        return Finding("outbox", True, "No change waits for the search index longer than it should.")
    hint = "Look whether the indexer runs; m4a sweep brings them in."
    return Finding("outbox", False, f"Changes that wait for the search index for minutes: {_at_least(waiting)}. {hint}")


def _embeddings(service: Service, maintenance: Maintenance) -> Finding:
    waiting = (one for one in maintenance.due(service.clock.now()) if one and one.reason == "embed")
    missing = len(list(islice(waiting, _COUNTED)))
    if not missing:
        return Finding("embeddings", True, "No memory waits to be embedded.")
    return Finding("embeddings", False, f"Memories that are not embedded: {_at_least(missing)}. Run m4a sweep.")


def _index(service: Service, indexing: Indexing, settings: Settings, embedder: Embedder | None) -> Iterator[Finding]:
    """Asks as a recall does, for someone who has no memories, so that what a recall would miss is found."""
    query = IndexQuery(embedding=None, terms=("doctor",), filters=Filters(), now=service.clock.now(), k=1)
    try:
        answer = service.index.search(_NOBODY, query)
        marker = indexing.admin.marker()
    except IndexOutdated as error:
        yield Finding("index", False, error.message)
        return
    except (Unavailable, Throttled) as error:
        asked = (
            f"Asked {settings.search_url}, as M4A_SEARCH_URL says, {_CREDENTIALS}: its access policy must name them."
        )
        yield Finding("index", False, f"{error.message} {asked}")
        return
    if answer.degraded or marker is None:
        yield Finding("index", False, " ".join(one.message for one in answer.degraded) or "It has no marker.")
        return
    yield Finding("index", True, f"Generation {marker.generation} is complete; the table vouches for it.")
    if embedder and marker.model != embedder.model:
        other = f"The search index holds vectors of {marker.model}, new ones come from {embedder.model}"
        yield Finding("index model", False, f"{other}: run m4a reindex.")


def _at_least(count: int) -> str:
    return f"{count:,} or more" if count == _COUNTED else f"{count:,}"
