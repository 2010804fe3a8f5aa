"""Write a step of the schema's history: `revision.py --first` anew from nothing, `revision.py "what"` for a change.

For developers. Compares the schema in `rag_assets.stores.schema` with what the steps so far lead to (on SQLite, in
memory), writes a module in `rag_assets/stores/migrations/versions` and sets `HEAD`. A person reads and corrects it.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from pathlib import Path
from typing import Any, Literal

from alembic.autogenerate import produce_migrations, render_python_code
from alembic.operations import ops
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.types import TypeDecorator

from rag_assets.stores import migrate
from rag_assets.stores.database import Database
from rag_assets.stores.migrations import HEAD
from rag_assets.stores.schema import Base

TEMPLATE = '''"""{message}."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

from rag_assets.stores.schema.base import UtcDateTime

revision = "{revision}"
down_revision = {down}
branch_labels = None
depends_on = None


def upgrade() -> None:
    {body}


def downgrade() -> None:
    raise NotImplementedError("there is no way back: restore the backup made before the upgrade")
'''

FOREIGN_KEYS = """
    # SQLite has this key in the table; elsewhere it can only be added when both tables are there.
    if op.get_bind().dialect.name != "sqlite":
        present = {{key["name"] for key in sa.inspect(op.get_bind()).get_foreign_keys("{table}")}}
        if "{name}" not in present:
            op.create_foreign_key("{name}", "{table}", "{target}", {columns}, {target_columns})
"""


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Spell our own types by their short names."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"{type(item).__name__}()"
    return False


def main() -> None:
    """Write the step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("message", nargs="?", default="First schema")
    parser.add_argument("--first", action="store_true", help="replace all steps by one; only before the first release")
    arguments = parser.parse_args()
    folder = migrate.FOLDER / "versions"

    # Batches are for tables that exist; a first step makes them.
    batch = not arguments.first
    options = {
        **migrate.CONTEXT_OPTIONS,
        "render_as_batch": batch,
        "render_item": render_item,
        "sqlalchemy_module_prefix": "sa.",
        "alembic_module_prefix": "op.",
        "user_module_prefix": None,
    }
    if arguments.first:
        engine = create_engine("sqlite://")
    else:
        database = Database("sqlite://")
        migrate.upgrade(database)
        engine = database.engine
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        script = produce_migrations(context, Base.metadata)
        assert script.upgrade_ops is not None
        for operation in script.upgrade_ops.ops:
            harden(operation)
        body = render_python_code(
            script.upgrade_ops, render_as_batch=batch, migration_context=context, render_item=render_item
        )
    if arguments.first:
        body = body.rstrip() + "\n" + late_foreign_keys().rstrip()
    body = re.sub(r"[ ]*# ### (?:commands auto generated|end Alembic).*\n?", "", body).strip()
    message = arguments.message[0].upper() + arguments.message[1:]
    revision = hashlib.sha256(body.encode()).hexdigest()[:12]
    number = 1 if arguments.first else len(list(folder.glob("0*.py"))) + 1
    if arguments.first:
        for old in folder.glob("0*.py"):
            old.unlink()
    slug = re.sub(r"[^a-z0-9]+", "_", message.lower()).strip("_")[:40]
    file = folder / f"{number:04d}_{slug}.py"
    down = "None" if arguments.first else f'"{HEAD}"'
    file.write_text(TEMPLATE.format(message=message, revision=revision, down=down, body=body), encoding="utf-8")
    init = migrate.FOLDER / "__init__.py"
    text = re.sub(r'HEAD: Final = ".*"', f'HEAD: Final = "{revision}"', init.read_text(encoding="utf-8"))
    init.write_text(text, encoding="utf-8")
    print(f"{file.relative_to(Path.cwd())}: {revision}")


def harden(operation: Any) -> None:
    """MariaDB keeps what a step did before it was broken off: the same step must be able to run again."""
    if isinstance(operation, ops.CreateTableOp | ops.CreateIndexOp):
        operation.if_not_exists = True
    for inner in getattr(operation, "ops", ()):
        harden(inner)


def late_foreign_keys() -> str:
    """The keys of tables that point to each other."""
    found = []
    for table in Base.metadata.sorted_tables:
        for constraint in sorted(table.foreign_key_constraints, key=lambda key: str(key.name)):
            if constraint.use_alter:
                columns = [column.name for column in constraint.columns]
                targets = [element.column.name for element in constraint.elements]
                found.append(
                    FOREIGN_KEYS.format(
                        name=constraint.name,
                        table=table.name,
                        target=constraint.referred_table.name,
                        columns=columns,
                        target_columns=targets,
                    )
                )
    return "".join(found)


if __name__ == "__main__":
    main()
