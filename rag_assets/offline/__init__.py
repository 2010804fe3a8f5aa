"""Building knowledge, one module per stage: documents, chunks, embeddings, entities, statements, ontology_graph.

A stage takes the parts it needs and one document, does its work in short transactions, records in the ledger how far it
came and returns a report of counts. Nothing here answers a question, and `online` is never imported: the two meet only
in what is stored.
"""
