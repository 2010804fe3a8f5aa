"""Models behind protocols, one adapter a technology: embedding, generation, extraction, vision. Knows no store, no reader."""
