"""Column types, naming rules and how a table is declared, equal on SQLite and MariaDB.

A table is a class, so that its columns have types that the checker knows, but a table of SQLAlchemy's Core: nothing here is
loaded as an object, and importing SQLAlchemy's ORM and mapping the classes would take most of the start of `rag status`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from sqlalchemy import Boolean, Column, Dialect, Float, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text
from sqlalchemy.dialects.mysql import DATETIME, DOUBLE, LONGBLOB, LONGTEXT
from sqlalchemy.types import DateTime, NullType, TypeDecorator, TypeEngine

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


# What a column's annotation means where the column names no type.
_TYPES: Final[dict[str, type[TypeEngine[Any]]]] = {"int": Integer, "bool": Boolean}


class Base:
    """Base of all tables. In a statement the class stands for its table, its attributes for the columns.

    ```python
    class Word(Base):
        __tablename__ = "words"
        id: ColumnClause[int] = primary_key()
        text: ColumnClause[str | None] = column(Name)  # may be NULL, as its annotation says
        length: ColumnClause[int]


    select(Word.text, func.max(Word.length)).group_by(Word.text)
    ```
    """

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMING)
    __tablename__: ClassVar[str]
    __table_args__: ClassVar[tuple[Any, ...]]
    __table__: ClassVar[Table]

    def __init_subclass__(cls) -> None:
        columns = [cls._column(name, note) for name, note in cls.__annotations__.items()]
        *constraints, options = cls.__table_args__
        cls.__table__ = Table(cls.__tablename__, cls.metadata, *columns, *constraints, **options)

    @classmethod
    def _column(cls, name: str, annotation: str) -> Column[Any]:
        kind, _, null = annotation.removeprefix("ColumnClause[").removesuffix("]").partition(" | ")
        made: Column[Any] = cls.__dict__.get(name, Column())
        made.name = made.key = name
        if kind in _TYPES and not made.foreign_keys and isinstance(made.type, NullType):
            made.type = _TYPES[kind]()
        if not made.primary_key:
            made.nullable = null == "None"
        setattr(cls, name, made)
        return made

    @classmethod
    def __clause_element__(cls) -> Table:
        return cls.__table__


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


def column(kind: Any = None, *constraints: Any, **options: Any) -> Any:
    """A column whose nullability, and without `kind` also its type, are those of its annotation."""
    return Column(kind, *constraints, **options)


def primary_key() -> Any:
    """The surrogate key; never shown outside, never part of an identity."""
    return Column(primary_key=True, autoincrement=True)


def reference(target: str, *, ondelete: str | None = None, index: bool = True) -> Any:
    """A foreign key column to `table.column`, indexed unless a unique key already starts with it."""
    return Column(ForeignKey(target, ondelete=ondelete), index=index)
