"""Pure text work: one canonical text per document, its sections, sentences, chunks, windows and terms.

Nothing here reads files, takes the time or draws random numbers; the same input always gives the same output.
"""
