"""Language models by provider: one adapter per technology behind one protocol. What is asked of them lives elsewhere."""
