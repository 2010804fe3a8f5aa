"""Column types, naming rules and small helpers that every table shares, equal on SQLite and MariaDB."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Dialect, Float, ForeignKey, LargeBinary, MetaData, String, Text
from sqlalchemy.dialects.mysql import DATETIME, DOUBLE, LONGBLOB, LONGTEXT
from sqlalchemy.orm import DeclarativeBase, MappedColumn, mapped_column
from sqlalchemy.types import DateTime, TypeDecorator

# Named constraints: without names Alembic cannot change them, and SQLite's batch mode drops them with a warning.
NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

# The only collation of MariaDB that compares exactly: others hold Müller = Muller and ignore trailing spaces.
TABLE_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_nopad_bin",
}


class Base(DeclarativeBase):
    """Declarative base of all tables."""

    metadata = MetaData(naming_convention=NAMING)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC with microseconds; refuses naive values, returns aware ones."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """MariaDB's plain DATETIME loses the microseconds."""
        if dialect.name in {"mysql", "mariadb"}:
            return dialect.type_descriptor(DATETIME(fsp=6))
        return dialect.type_descriptor(DateTime())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store UTC without an offset."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive datetime")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give back an aware moment."""
        return None if value is None else value.replace(tzinfo=UTC)


LongText = Text().with_variant(LONGTEXT(), "mysql", "mariadb")
Blob = LargeBinary().with_variant(LONGBLOB(), "mysql", "mariadb")
# MariaDB's FLOAT has 24 bits: a value would not compare equal to itself after a round trip.
Real = Float(53).with_variant(DOUBLE(asdecimal=False), "mysql", "mariadb")
Uid = String(36)
Sha = String(64)
Name = String(255)
# 700 characters of utf8mb4 are the most that a unique index of InnoDB takes.
Key = String(700)
Code = String(40)

PERSONAL: dict[str, Any] = {"personal": True}


def primary_key() -> MappedColumn[int]:
    """The surrogate key; never shown outside, never part of an identity."""
    return mapped_column(primary_key=True, autoincrement=True)


def reference(target: str, *, ondelete: str | None = None, index: bool = True, **options: Any) -> MappedColumn[Any]:
    """A foreign key column to `table.column`, indexed unless a unique key already starts with it."""
    return mapped_column(ForeignKey(target, ondelete=ondelete), index=index, **options)
