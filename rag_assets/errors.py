"""The exception tree of the whole project and the catalogue of error codes.

Every error that a person may meet has a code from `CODES`; the code decides the exit status, whether a retry can
help, and the sentence that says what to do next. Here lives no handling and no formatting for a particular surface.

    RagError
    ├── UsageError        wrong arguments or an unusable question
    ├── SettingsError     a setting or a configuration file that cannot be used
    ├── DocumentError     one document cannot be read or worked on; the others go on
    ├── ModelError        a model refused, failed or returned something unusable
    ├── StoreError        database, archive or index are not in a state to work with
    └── ServiceError      a server is out of reach; the same call may succeed later

Messages carry ids, counts and codes, never the text of a document, a question or a reply: they end up in logs and in
Dagster, which by design know no text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """What a code means: `exit_status` of the command line, whether a retry can help, and the way out."""

    exit_status: int
    transient: bool
    hint: str


BREAKS_OFF: Final = frozenset({"database_unreachable", "database_damaged", "disk_full", "disk_failed", "no_permission"})
"""What meets one document today and every other one too: the run ends here, and says so."""

DONE: Final = 0
SOME_FAILED: Final = 1
WRONG_USE: Final = 2
OUT_OF_REACH: Final = 3
INTERRUPTED: Final = 130

CODES: Final[dict[str, ErrorCode]] = {
    # use and settings
    "usage": ErrorCode(WRONG_USE, False, "Run the command with --help."),
    "empty_question": ErrorCode(WRONG_USE, False, "Ask a question of at least one word."),
    "question_too_long": ErrorCode(WRONG_USE, False, "Shorten the question."),
    "no_such_folder": ErrorCode(WRONG_USE, False, "Check the path given or the folder in sources.yaml."),
    "no_permission": ErrorCode(WRONG_USE, False, "Give the user that runs this the right to read there."),
    "unknown_document": ErrorCode(WRONG_USE, False, "`rag status` lists the documents with their uids and paths."),
    "ambiguous_document": ErrorCode(WRONG_USE, False, "Name more of the path, or use the uid."),
    "no_such_version": ErrorCode(WRONG_USE, False, "`rag status DOCUMENT` lists the versions of the document."),
    "unknown_fact": ErrorCode(WRONG_USE, False, "`rag graph` lists the entities with their uids."),
    "unknown_session": ErrorCode(
        WRONG_USE, False, "The session expired or is not yours; leave it out to begin a new one."
    ),
    "unknown_message": ErrorCode(WRONG_USE, False, "There is no question with this uid; pass the question itself."),
    "nothing_to_answer_from": ErrorCode(WRONG_USE, False, "Build the knowledge first: `rag all`."),
    "settings": ErrorCode(WRONG_USE, False, "Correct the setting; the README lists them all."),
    "broken_sources": ErrorCode(WRONG_USE, False, "Correct sources.yaml at the place named."),
    "broken_ontology": ErrorCode(WRONG_USE, False, "Correct ontology.yaml at the place named."),
    "missing_package": ErrorCode(WRONG_USE, False, "Install the extra named, e.g. `pip install 'rag-assets[qdrant]'`."),
    # documents
    "locked": ErrorCode(SOME_FAILED, False, "Remove the password and save the file again."),
    "damaged": ErrorCode(SOME_FAILED, False, "Open the file in its program, repair or export it again."),
    "empty": ErrorCode(SOME_FAILED, False, "The file has no content; remove it or fill it."),
    "needs_ocr": ErrorCode(
        SOME_FAILED,
        False,
        "The pages are pictures with no text that was recognised: install tesseract with German if it is missing "
        "(`rag doctor`), else scan them again more clearly; then run again.",
    ),
    "too_large": ErrorCode(SOME_FAILED, False, "Split the file, or raise RAG_READ_MAX_BYTES or RAG_READ_MAX_PAGES."),
    "timeout": ErrorCode(SOME_FAILED, False, "Split or re-export the file, or raise RAG_READ_TIMEOUT_S."),
    "out_of_memory": ErrorCode(SOME_FAILED, False, "Split or re-export the file, or raise RAG_READ_MEMORY_MB."),
    "unsupported": ErrorCode(SOME_FAILED, False, "Save the document in a format that is read (PDF, DOCX, ODT, …)."),
    "unsafe_archive": ErrorCode(
        SOME_FAILED,
        False,
        "The file unpacks to far more than it holds; export it again, or raise RAG_READ_MAX_EXPANDED_BYTES or RAG_READ_MAX_EXPANSION_RATIO.",
    ),
    "unreadable": ErrorCode(SOME_FAILED, False, "Give the user that runs this the right to read the file."),
    "vanished": ErrorCode(SOME_FAILED, True, "The file went away while it was read; scan again."),
    "changed_while_read": ErrorCode(SOME_FAILED, True, "The file changed while it was read; run again."),
    "prerequisite": ErrorCode(SOME_FAILED, False, "An earlier stage of this document failed; mend that first."),
    "claimed": ErrorCode(SOME_FAILED, True, "Another process works on this document; wait for it, then run again."),
    "internal": ErrorCode(SOME_FAILED, False, "This is a bug; run with --debug and report what it prints."),
    # stores
    "database_unreachable": ErrorCode(OUT_OF_REACH, True, "Start the database, or check RAG_DATABASE_URL."),
    "database_newer": ErrorCode(WRONG_USE, False, "This home was made by a newer version; install that one."),
    "database_foreign": ErrorCode(WRONG_USE, False, "Name an empty database in RAG_DATABASE_URL."),
    "database_damaged": ErrorCode(SOME_FAILED, False, "Restore a backup, or remove the home and run `rag all` again."),
    "disk_failed": ErrorCode(
        OUT_OF_REACH, True, "The disk that holds RAG_HOME cannot be read or written; check it (mount, cable, `dmesg`)."
    ),
    "disk_full": ErrorCode(OUT_OF_REACH, True, "Free space on the disk that holds RAG_HOME, then run again."),
    "archive_corrupt": ErrorCode(
        SOME_FAILED,
        False,
        "Copy it again from its source with `rag scan --full`, else restore a backup of the archive.",
    ),
    "dimension_mismatch": ErrorCode(
        WRONG_USE, False, "The vectors were made by another model: set RAG_EMBEDDING back or run `rag embed --rebuild`."
    ),
    "no_collection": ErrorCode(SOME_FAILED, False, "This is a bug; run with --debug and report what it prints."),
    "index_damaged": ErrorCode(
        SOME_FAILED, False, "Remove the folder `index` in RAG_HOME; it is made again by itself."
    ),
    "illegal_transition": ErrorCode(SOME_FAILED, False, "This is a bug; run with --debug and report what it prints."),
    # services and models
    "vector_store_unreachable": ErrorCode(OUT_OF_REACH, True, "Start Qdrant, or check RAG_QDRANT_URL."),
    "vector_store_refused": ErrorCode(
        WRONG_USE, False, "Check RAG_QDRANT_API_KEY and the server's version (1.16 or newer)."
    ),
    "model_unreachable": ErrorCode(OUT_OF_REACH, True, "Start the model's server, or check its URL."),
    "model_missing": ErrorCode(WRONG_USE, False, "Install the model, e.g. `ollama pull MODEL`, or choose another."),
    "model_reply": ErrorCode(SOME_FAILED, False, "The model's reply could not be used; try again or change the model."),
    "model_busy": ErrorCode(
        OUT_OF_REACH, True, "The model's server is overloaded or limits requests; run again later."
    ),
    "model_refused": ErrorCode(SOME_FAILED, False, "The model declined this passage; choose another model for it."),
    "model_incomplete": ErrorCode(
        SOME_FAILED, False, "The reply broke off even for a short passage; choose a model with longer replies."
    ),
    "budget": ErrorCode(
        SOME_FAILED,
        True,
        "Raise RAG_BUDGET_RUN_EUR or RAG_BUDGET_DAY_EUR, or wait until tomorrow; running again goes on where it stopped.",
    ),
    "text_too_long": ErrorCode(SOME_FAILED, False, "The text is longer than the model takes; use smaller windows."),
}


class RagError(Exception):
    """Base of every error that this project raises on purpose.

    `code` is a key of `CODES`; `ids` name the things concerned (uids, counts, settings), never text of a document.
    """

    default_code: str = "internal"

    def __init__(
        self, code: str | None = None, message: str = "", /, *, hint: str | None = None, **ids: object
    ) -> None:
        self.code: str = code or self.default_code
        if self.code not in CODES:
            raise ValueError(f"error code {self.code!r} is not in errors.CODES")
        self.message = message
        self.ids = ids
        self.hint: str = hint or CODES[self.code].hint
        super().__init__(self.code, message)

    @property
    def transient(self) -> bool:
        """Whether the same call may succeed later without any change."""
        return CODES[self.code].transient

    @property
    def exit_status(self) -> int:
        """Exit status that the command line gives for this error."""
        return CODES[self.code].exit_status

    def __str__(self) -> str:
        named = ", ".join(f"{name}={value}" for name, value in self.ids.items())
        return ": ".join(part for part in (self.code, self.message, named) if part)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # Exceptions cross the reader's process boundary; keyword-only arguments need help with that.
        return (_rebuild, (type(self), self.code, self.message, self.hint, self.ids))


def _rebuild(kind: type[RagError], code: str, message: str, hint: str, ids: dict[str, object]) -> RagError:
    return kind(code, message, hint=hint, **ids)


class UsageError(RagError):
    """Wrong arguments, or a question that cannot be taken."""

    default_code = "usage"


class SettingsError(RagError):
    """A setting or configuration file that cannot be used; the message names the place."""

    default_code = "settings"


class DocumentError(RagError):
    """One document cannot be read or worked on. The other documents go on."""

    default_code = "damaged"


class ModelError(RagError):
    """A model refused, failed, or returned something that cannot be used."""

    default_code = "model_reply"


class StoreError(RagError):
    """Database, archive or index are not in a state to work with."""

    default_code = "database_unreachable"


class ServiceError(RagError):
    """A server is out of reach; the same call may succeed later."""

    default_code = "model_unreachable"
