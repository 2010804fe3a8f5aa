"""The version of each stage's code, as Dagster compares it: when it moves, what was made before counts as stale.

The whole of what a stage depends on (settings, models) is its fingerprint in `ledger.stages`; here stands only what
is known without opening anything.
"""

from __future__ import annotations

from functools import cache

from rag_assets.offline.intake import INTAKE_VERSION
from rag_assets.readers.base import READERS_VERSION
from rag_assets.text.chunking import CHUNKER_VERSION
from rag_assets.text.cleaning import CLEANING_VERSION
from rag_assets.text.lexical import LEXICAL_VERSION


@cache
def code_versions() -> dict[str, str]:
    """Code version by stage."""
    return {
        "documents": f"readers-{READERS_VERSION} cleaning-{CLEANING_VERSION}",
        "chunks": f"chunker-{CHUNKER_VERSION}",
        "embeddings": f"lexical-{LEXICAL_VERSION}",
        "entities": f"intake-{INTAKE_VERSION}",
        "statements": f"intake-{INTAKE_VERSION}",
    }
