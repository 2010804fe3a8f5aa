"""Knowledge as pure values and pure functions: ids, life cycles, names, ontology, resolution, conflicts, scoring.

Nothing here reads a file, asks a clock or draws a random number: the same arguments give the same result, in any
order in which they come. Storing, timing and auditing is done by the layers above.
"""
