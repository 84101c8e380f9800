"""A restored table whose items are not all of one moment."""

from m4a.adapters.dynamodb.keys import MEMORY, Key
from m4a.domain.records import Committed
from tests.contract.building import ANN, Scribe, insertion
from tests.support.dynamodb import Dynamo


def test_strays_of_a_forgotten_memory_are_erased_and_its_text_is_free_again(dynamo: Dynamo, ann: Scribe) -> None:
    gone = ann.update(ann.remember("Ann rides the bus.", importance="high"), "Ann rides a bicycle.")
    kept = ann.update(ann.remember("Ann plays chess.", importance="high"), "Ann plays go.")
    dynamo.table.delete(Key(ANN.key, MEMORY + gone.memory_id))
    again = ann.memory("Ann rides a bicycle.")
    assert not isinstance(dynamo.store.commit(ANN, insertion(again)), Committed)
    before = len(dynamo.sort_keys())
    assert dynamo.forgotten.clear_strays(ANN, {gone.memory_id}) == 3
    assert len(dynamo.sort_keys()) == before - 3
    assert not [sk for sk in dynamo.sort_keys() if gone.memory_id in sk and not sk.startswith("P#")]
    assert isinstance(dynamo.store.commit(ANN, insertion(again)), Committed)
    assert dynamo.store.get(ANN, [kept.memory_id]) == {kept.memory_id: kept}
    assert len(dynamo.store.history(ANN, kept.memory_id)) == 1
