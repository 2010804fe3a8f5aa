"""What must hold whenever everything is up to date, each check under its name; those of the product's own invariants too.

The product's `ledger.invariants` could be wrong together with what they judge. So what can be known without asking is
kept here: the folder, who is who, what people last said, what was ever there.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from rag_assets.ledger.stages import STAGES
from rag_assets_tests.histories.base import Base, Looked, opened
from rag_assets_tests.histories.folder import SENTENCE, Change, ChangingFolder

MIRROR = "the base mirrors the folder"
IDENTITY = "a document stays the one it is"
ANSWERS = "what is there answers, what is gone does not"
RERUN = "doing it again changes no row"
STAY = "no entity vanishes, a key's uid is constant"
WORDS = "what people said holds"
ONE_GO = "one go in another order knows the same"

_FACTS = ("relation", "statement", "property")
_TABLES = {
    "entity": "entities",
    "relation": "relations",
    "statement": "statements",
    "property": "entity_properties",
}
# What a fact or an entity may be while a person's word about it stands; more depends on whether it has evidence.
_MAY_BE = {
    ("fact", "reject"): {"rejected"},
    ("fact", "validate"): {"validated", "deprecated"},
    ("fact", "deprecate"): {"deprecated"},
    ("entity", "validate"): {"validated", "merged", "deprecated"},
    ("entity", "deprecate"): {"deprecated", "merged"},
}


class Broken(AssertionError):
    """Something that must hold does not; `check` names it."""

    def __init__(self, check: str, what: object) -> None:
        super().__init__(f"{check}: {what}")
        self.check = check


def demand(check: str, holds: bool, what: object) -> None:
    """Raise unless it holds."""
    if not holds:
        raise Broken(check, what)


@dataclass
class Known:
    """What was seen and said so far."""

    uids: dict[str, str] = field(default_factory=dict)
    """Documents by path, when last looked at."""
    removed: dict[str, str] = field(default_factory=dict)
    """Documents that were seen to be there and then to be gone, by path."""
    entities: dict[str, str] = field(default_factory=dict)
    """Uids by key."""
    words: dict[tuple[str, str], str] = field(default_factory=dict)
    """The last decision on the status of (subject, uid)."""
    pairs: dict[frozenset[str], str] = field(default_factory=dict)
    """The last decision on a pair of entities, in order."""
    answering: dict[str, bool] = field(default_factory=dict)
    """Whether each word was there when it was last asked for."""
    counts: Counter[str] = field(default_factory=Counter)


def check_all(base: Base, folder: ChangingFolder, known: Known, changes: list[Change], *, again: bool = True) -> None:
    """Everything, after these changes were taken in; the cheapest and most telling first."""
    documents = base.documents()
    violations = base.violations()
    demand(next(iter(violations), ""), not violations, violations)
    mirrors(documents, folder)
    uids = {path: document.uid for path, document in documents.items()}
    keeps_identity(known, changes, uids)
    known.uids = uids
    answers_follow(base, folder, known, {d.sha256 for d in documents.values()})
    entities_stay(base, known)
    words_hold(base, known)
    known.counts["looks"] += 1
    if again:
        before = base.dump()
        base.by_library()
        after = base.dump()
        demand(RERUN, before == after, sorted(name for name in after if after[name] != before[name]))


def mirrors(documents: dict[str, Looked], folder: ChangingFolder) -> None:
    """The same paths, the same contents, all stages done; what no reader takes is in error and says why."""
    files = folder.documents()
    demand(MIRROR, documents.keys() == files.keys(), (sorted(documents), sorted(files)))
    for path, content in files.items():
        document = documents[path]
        state = (document.status, document.error_code)
        if folder.is_broken(content):
            demand(MIRROR, state[0] == "error" and state[1] in {"empty", "unsupported", "damaged"}, (path, state))
        else:
            demand(MIRROR, state == ("done", None), (path, state))
            demand(MIRROR, document.sha256 == sha256(content).hexdigest(), (path, "another version answers"))
            demand(MIRROR, document.stages_done == len(STAGES), (path, "not through all stages"))


def keeps_identity(known: Known, changes: list[Change], uids: dict[str, str]) -> None:
    """What can be told for certain: of a single change everything, of several only that the others are left alone."""
    touched: frozenset[str] = frozenset().union(*(change.paths for change in changes))
    still = {path: uid for path, uid in known.uids.items() if path not in touched}
    demand(IDENTITY, still == {path: uids.get(path) for path in still}, (changes, still, uids))
    if len(changes) == 1:
        (change,) = changes
        for old, new in change.follows.items():
            demand(IDENTITY, uids.get(new) == known.uids[old], (change, old))
        known.counts["identities"] += len(change.follows)
        if change.newcomer is not None:
            demand(IDENTITY, uids[change.newcomer] not in known.uids.values(), (change, "took another's place"))
        if change.returns in known.removed:
            demand(IDENTITY, uids.get(change.returns) == known.removed[change.returns], change)
            known.counts["identities"] += 1
    living = set(uids.values())
    if len(changes) == 1:
        known.removed |= {path: uid for path, uid in known.uids.items() if path not in uids and uid not in living}
    else:
        known.removed = {path: uid for path, uid in known.removed.items() if path not in touched}
    known.removed = {path: uid for path, uid in known.removed.items() if path not in uids and uid not in living}


def answers_follow(base: Base, folder: ChangingFolder, known: Known, answering: set[str | None]) -> None:
    """Each content answers to its word while it is there (or the last readable one of a document), and not after.

    Only words of which that has changed are asked for; forget `known.answering` to ask for all.
    """
    for content, mark in folder.marks.items():
        there = sha256(content).hexdigest() in answering
        if known.answering.get(mark) != there:
            found = any(SENTENCE.format(mark) in passage for passage in base.passages(mark))
            demand(ANSWERS, found == there, (mark, "is there" if there else "is gone"))
            known.answering[mark] = there
            known.counts["asked"] += 1


def entities_stay(base: Base, known: Known) -> None:
    """Every entity ever seen is still there, under the same uid."""
    now = dict(base.rows("SELECT canonical_key, uid FROM entities"))
    demand(STAY, known.entities.items() <= now.items(), sorted(known.entities.items() - now.items()))
    known.entities = now


def words_hold(base: Base, known: Known) -> None:
    """What people said last of a status or a pair is so, whatever came after."""
    for subject, table in _TABLES.items():
        statuses = dict(base.rows(f"SELECT uid, status FROM {table}"))
        kind = "fact" if subject in _FACTS else subject
        for (of, uid), word in known.words.items():
            if of == subject and uid in statuses and (kind, word) in _MAY_BE:
                demand(WORDS, statuses[uid] in _MAY_BE[kind, word], (subject, word, statuses[uid]))
    into = dict(base.rows("SELECT e.uid, s.uid FROM entities e JOIN entities s ON s.id = e.merged_into_id"))
    newest = None
    for pair, word in known.pairs.items():
        one, two = sorted(pair)
        same = into.get(one, one) == into.get(two, two)
        if word == "merge":
            newest = (pair, same)
        else:
            demand(WORDS, not same, (word, sorted(pair)))
    # An older merge may be impossible beside a later word on another pair; the newest one never is.
    demand(WORDS, newest is None or newest[1], ("merge", newest))


def one_go_agrees(base: Base, folder: ChangingFolder, place: Path, *, notation: bool) -> None:
    """A second installation takes the final files and decisions at once, other folders in another order, and agrees."""
    for number, (path, content) in enumerate(sorted(folder.documents().items(), reverse=True)):
        file = place / "folder" / f"{number:02}" / Path(path).name
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    with opened(place, namespace=base.namespace(), notation=notation) as other:
        for subject, uid, kind, payload in _decisions(base):
            other.decide(subject, uid, kind, **payload)
        other.by_library(backwards=True)
        violations = other.violations()
        demand(ONE_GO, not violations, violations)
        wanted, found = base.living(), other.living()
        differing = {
            name: {"only in the history": here - there, "only in one go": there - here}
            for name in wanted
            if (here := Counter(wanted[name])) != (there := Counter(found[name]))
        }
        demand(ONE_GO, not differing, differing)


def failing() -> bool:
    """Whether an exception is on its way, so that a last check would only hide it."""
    return isinstance(sys.exc_info()[1], Exception)


def _decisions(base: Base) -> list[tuple[str, str, str, dict[str, str]]]:
    rows = base.rows("SELECT id, subject_type, subject_key, decision, payload FROM review_decisions")
    return [(kind, uid, word, json.loads(payload)) for _, kind, uid, word, payload in sorted(rows)]
