"""What Dagster loads: the definitions with the settings of the environment."""

from rag_assets.orchestration.build import build_defs

defs = build_defs()
