"""What happened and what holds: the bookkeeping that building and answering share.

Stages (how far a document is), audit and its seals, reconcile, decisions, provenance, model calls with budget and cache,
the graph, invariants, knowledge versions. With `stores` the only package that knows SQL. It decides no policy for people;
that is `governance`.
"""
