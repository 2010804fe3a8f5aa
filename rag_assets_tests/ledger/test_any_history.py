"""Whatever happens in whatever order: the invariants hold, and the outcome is that of a base built in one go.

A second implementation stands against reconcile: a fresh installation (with the same namespace) that takes the final
documents and decisions at once. What lives must come out the same.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rag_assets.knowledge import ids
from rag_assets.knowledge.naming import canonical_key
from rag_assets.ledger import invariants
from rag_assets.stores.database import Database
from rag_assets_tests.campus import NAMESPACE, Campus

# The same ten histories every time; a long search sets more, and those are drawn anew.
EXAMPLES = int(os.environ.get("RAG_TEST_HISTORIES", "10"))

PEOPLE = ("Carl Rogers", "C. Rogers", "Rogers", "Charlotte Rogers", "Marion Blum", "Blum, Marion")
IDEAS = ("Nähe", "Ferne", "Empathie", "Gewaltfreie Kommunikation")
NAMES = (*PEOPLE, *IDEAS)
PATHS = ("a.md", "b.md", "c.md")

people = st.sampled_from(PEOPLE).map("[{}|Person]".format)
ideas = st.builds("[{}|{}]".format, st.sampled_from(IDEAS), st.sampled_from(("Konzept", "Modell", "Werk")))
lines = st.one_of(
    st.builds("{} =INFLUENCED=> {}".format, people, st.one_of(people, ideas)),
    st.builds("{} =AUTHORED_BY=> {}".format, ideas, people),
    st.builds("{} =CONTRADICTS=> {}".format, ideas, ideas),
    st.builds("{} :{}dauern: {} Jahre".format, ideas, st.sampled_from(("", "nicht ")), st.integers(1, 3)),
    st.builds("{} .definition. etwas".format, ideas),
)
texts = st.lists(lines, min_size=1, max_size=5).map("\n".join)
uids = st.sampled_from(NAMES).map(lambda name: ids.uid(NAMESPACE, "entity", canonical_key(name)))
operations = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(PATHS), texts),
        st.tuples(st.just("remove"), st.sampled_from(PATHS)),
        st.tuples(st.just("reconcile")),
        st.tuples(st.sampled_from(("validate", "deprecate", "withdraw")), uids),
        st.tuples(st.sampled_from(("merge", "unmerge", "keep_apart")), uids, uids),
        st.tuples(st.just("reject"), st.sampled_from(("relations", "statements")), st.integers(0, 9)),
    ),
    min_size=3,
    max_size=12,
)


@contextmanager
def fresh(template: Path) -> Iterator[Campus]:
    """An empty campus in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "campus.sqlite"
        shutil.copy(template, file)
        campus = Campus(Database(f"sqlite:///{file}"))
        yield campus
        campus.database.close()


def perform(campus: Campus, operation: tuple[Any, ...], documents: dict[str, str]) -> tuple[str, str, str, str] | None:
    """One operation; returns the decision that it was, if any."""
    match operation:
        case ("put", path, text):
            campus.put(path, text)
            documents[path] = text
        case ("remove", path):
            campus.remove(path)
            documents.pop(path, None)
        case ("reconcile",):
            campus.reconcile()
        case ("merge" | "unmerge" | "keep_apart" as kind, uid, other):
            if uid != other:
                return ("entity", uid, kind, other)
        case ("reject", table, place):
            facts = campus.rows(table, "uid")
            if facts:
                return (table[:-1], str(facts[place % len(facts)][0]), "reject", "")
        case (kind, uid):
            return ("entity", uid, kind, "")
    return None


def decide(campus: Campus, decision: tuple[str, str, str, str]) -> None:
    """Record a decision."""
    subject, uid, kind, other = decision
    campus.decide(subject, uid, kind, **({"other": other} if other else {}))


def replay(campus: Campus, rebuilt: Campus) -> None:
    """Carry the decisions over, as an export beside the archive would."""
    columns = ("id", "subject_type", "subject_key", "decision", "payload")
    for _, subject, uid, kind, payload in campus.rows("review_decisions", *columns):
        rebuilt.decide(str(subject), str(uid), str(kind), **json.loads(payload))


def living(campus: Campus) -> dict[str, list[tuple[Any, ...]]]:
    """All that lives, without ids: what two bases must agree on."""
    uid_of = dict(campus.rows("entities", "id", "uid"))
    entities = campus.rows("entities", "uid", "status", "canonical_name", "merged_into_id", "deprecation_reason")
    alive = {"normalized", "validated", "merged"}
    return {
        "entities": [(u, s, n, uid_of.get(m)) for u, s, n, m, _ in entities if s in alive and s != "merged"],
        "merged": [(u, uid_of.get(m)) for u, s, _, m, _ in entities if s == "merged" and lives(campus, u)],
        "relations": [row for row in campus.rows("relations", "uid", "status", "confidence") if row[1] in FACTS],
        "statements": [row for row in campus.rows("statements", "uid", "status", "confidence") if row[1] in FACTS],
        "synonyms": [
            row for row in campus.rows("entity_synonyms", "synonym", "origin", "status") if row[2] == "active"
        ],
    }


FACTS = {"proposed", "validated"}


def lives(campus: Campus, uid: str) -> bool:
    """Whether the entity has a mention of its own in a version that answers."""
    current = {v for v, removed in campus.rows("documents", "current_version_id", "removed_at") if removed is None}
    entity = {u: i for i, u in campus.rows("entities", "id", "uid")}[uid]
    mentions = campus.rows("entity_mentions", "entity_id", "document_version_id", "superseded")
    return any(e == entity and v in current and not gone for e, v, gone in mentions)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES <= 10,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=operations)
def test_any_history_ends_where_one_go_ends(template: Path, history: list[tuple[Any, ...]]) -> None:
    """Documents come, change, go and return among decisions; then a rebuild of the final state agrees."""
    documents: dict[str, str] = {}
    with fresh(template) as campus:
        seen: set[str] = set()
        for operation in history:
            decision = perform(campus, operation, documents)
            if decision is not None:
                decide(campus, decision)
            now = {str(uid) for (uid,) in campus.rows("entities", "uid")}
            assert seen <= now  # entities never vanish
            seen = now
        campus.reconcile()
        holds(campus)
        before = campus.dump()
        assert campus.reconcile().counts == {}
        assert campus.dump() == before
        with fresh(template) as rebuilt:
            replay(campus, rebuilt)
            for path in sorted(documents, reverse=True):
                rebuilt.put(path, documents[path])
            rebuilt.reconcile()
            holds(rebuilt)
            assert living(rebuilt) == living(campus)


def holds(campus: Campus) -> None:
    """Every invariant holds."""
    with campus.database.read() as connection:
        found = invariants.check_all(connection, campus.ontology)
    assert {name: violations for name, violations in found.items() if violations} == {}
