"""From the setting `RAG_VISION` to what recognises text on pictures."""

from __future__ import annotations

from rag_assets.config import Settings
from rag_assets.errors import SettingsError
from rag_assets.models.vision.base import Vision
from rag_assets.models.vision.tesseract import Tesseract, is_installed


def open_vision(settings: Settings) -> Vision | None:
    """What the settings name; None for nothing, also where `auto` finds nothing installed.

    Raises:
        SettingsError: the setting names what is not installed.
    """
    wanted = settings.vision
    if wanted == "none" or (wanted == "auto" and not is_installed()):
        return None
    if not is_installed():
        hint = "Debian, Ubuntu: apt install tesseract-ocr tesseract-ocr-deu."
        raise SettingsError("settings", "RAG_VISION: tesseract with German is not installed", hint=hint)
    return Tesseract(timeout_s=settings.model_timeout_s)
