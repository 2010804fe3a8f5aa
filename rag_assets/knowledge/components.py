"""Connected components of names under constraints: which links hold when some pairs must stay apart.

Used by `resolution`, which decides what is linked and what is kept apart.
"""

from __future__ import annotations

from collections.abc import Mapping

from rag_assets.knowledge.variants import Link, Node


class Components:
    """Connected components under constraints: what is kept apart never meets, two validated ones only by a person."""

    def __init__(self, nodes: Mapping[str, Node], apart: frozenset[frozenset[str]]) -> None:
        self._nodes = nodes
        self._members: dict[str, list[str]] = {key: [key] for key in nodes}
        self._home: dict[str, str] = {key: key for key in nodes}
        self._apart: dict[str, set[str]] = {}
        for pair in apart:
            for key in pair:
                self._apart.setdefault(key, set()).update(pair - {key})
        self.links: list[Link] = []

    def join(self, link: Link, *, by_person: bool = False) -> bool:
        """Join the components of a link's ends; False when a constraint forbids it."""
        a, b = self._home[link.a], self._home[link.b]
        if a == b:
            return True
        left, right = self._members[a], self._members[b]
        if not by_person and sum(any(self._nodes[key].validated for key in side) for side in (left, right)) > 1:
            return False
        if any(self._apart.get(key, set()) & set(right) for key in left):
            return False
        home, away = (a, b) if a < b else (b, a)
        for key in self._members[away]:
            self._home[key] = home
        self._members[home] = sorted(self._members[home] + self._members.pop(away))
        self.links.append(link)
        return True

    def clusters(self) -> list[tuple[Node, ...]]:
        """Members of each component, both in the order of keys."""
        return [tuple(self._nodes[key] for key in self._members[home]) for home in sorted(self._members)]
