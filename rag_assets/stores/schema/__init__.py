"""All tables, one module per group; importing this package registers every table on `Base.metadata`.

Here stands what is stored and what must hold of a row by itself. Queries live in the repositories beside this
package, legal changes of state in `knowledge.lifecycle`, and the way from one schema to the next in `migrations/`.
Columns with `info={"personal": True}` can hold text about people; the data map is made from these marks.
"""

from rag_assets.stores.schema import derivatives, governance, knowledge, online, ontology, pipeline, sources
from rag_assets.stores.schema.base import Base
from rag_assets.stores.schema.views import VIEWS

__all__ = ["VIEWS", "Base", "derivatives", "governance", "knowledge", "online", "ontology", "pipeline", "sources"]
