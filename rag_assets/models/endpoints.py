"""What all servers of models have in common: whose network they are in, and what their HTTP statuses mean."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from rag_assets.errors import ModelError, RagError, ServiceError, SettingsError

_OWN_SUFFIXES: Final = (".local", ".internal", ".lan", ".home.arpa", ".localhost")

_TOO_LONG: Final = ("context length", "context size", "context_length", "context window", "too long", "too many tokens")


def is_outside(url: str) -> bool:
    """Whether what is sent to `url` leaves the own network.

    Own are loopback and private addresses, names without a dot (as containers and local hosts have) and names that end
    in .local, .internal, .lan or .home.arpa. Everything else counts as outside, also what cannot be read.
    """
    host = (urlsplit(url if "//" in url else f"//{url}").hostname or "").rstrip(".").lower()
    try:
        address = ip_address(host)
    except ValueError:
        return not host or ("." in host and not host.endswith(_OWN_SUFFIXES))
    return not (address.is_loopback or address.is_private) or address.is_unspecified


def error_of_status(status: int, said: str, headers: Mapping[str, str], *, key: str, url: str, model: str) -> RagError:
    """Our error for an HTTP status. `said` is looked at and never passed on: it may quote the request.

    Args:
        status: HTTP status, 400 or more.
        said: the server's message.
        headers: of the response; `retry-after` in seconds becomes `retry_after_s` among the error's ids.
        key: name of the setting that holds the server's key.
        url: the server's address, for the error.
        model: the model asked, for the error.
    """
    if status in (401, 403):
        return SettingsError("settings", "the key is refused", hint=f"Check {key}.", url=url, model=model)
    if status == 404:
        hint = "Check the model's name and the URL."
        return ModelError("model_missing", "there is no such model there", hint=hint, url=url, model=model)
    if status == 413 or (status in (400, 422) and any(words in said.lower() for words in _TOO_LONG)):
        return ModelError("text_too_long", "the request is longer than the model takes", url=url, model=model)
    if status in (429, 503, 529):
        asked = headers.get("retry-after", "")
        ids: dict[str, Any] = {"status": status, "url": url, "model": model}
        if asked.replace(".", "", 1).isdigit():
            ids["retry_after_s"] = float(asked)
        return ServiceError("model_busy", "the server limits requests", **ids)
    if status in (408, 409) or status >= 500:
        return ServiceError(
            "model_unreachable", "the server answers with an error", status=status, url=url, model=model
        )
    return ModelError("model_reply", "the server refuses the request", status=status, url=url, model=model)
