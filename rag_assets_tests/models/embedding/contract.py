"""What every embedding model must do, whoever runs it. Subclass it and give `embedder`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rag_assets.models.embedding.base import Embedder

TEXTS = [
    "Feedback geben heißt, eine Beobachtung zu beschreiben.",
    "Die Steuererklärung ist bis Ende Juli abzugeben.",
    "Kurz",
    "Zeile eins\nZeile zwei; mit „Anführung“ – und Gedankenstrich",
]


class EmbedderContract:
    """Shapes, units and promises of `Embedder`."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError

    def test_passages_come_as_unit_rows_in_order(self, embedder: Embedder) -> None:
        """Cosine is a plain product only when every row has length 1; order ties a vector to its text."""
        rows = embedder.embed_passages(TEXTS)
        assert rows.shape == (len(TEXTS), embedder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        turned = embedder.embed_passages(TEXTS[::-1])
        np.testing.assert_allclose(turned[::-1], rows, atol=1e-6)

    def test_a_batch_gives_what_single_calls_give(self, embedder: Embedder) -> None:
        """A window embedded again alone must keep its vector: vectors are stored by text, not by batch."""
        rows = embedder.embed_passages(TEXTS)
        singles = np.vstack([embedder.embed_passages([text]) for text in TEXTS])
        np.testing.assert_allclose(singles, rows, atol=1e-6)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """An empty document part is no error."""
        assert embedder.embed_passages([]).shape == (0, embedder.dimension)

    def test_a_question_is_one_unit_vector_of_the_same_space(self, embedder: Embedder) -> None:
        """The nearest of the four passages to a question about feedback is the one about feedback."""
        question = embedder.embed_query("Was bedeutet Feedback geben?")
        assert question.shape == (embedder.dimension,)
        assert question.dtype == np.float32
        assert abs(float(np.linalg.norm(question)) - 1.0) < 1e-5
        assert int(np.argmax(embedder.embed_passages(TEXTS) @ question)) == 0

    def test_it_says_who_it_is(self, embedder: Embedder) -> None:
        """The triple is stored with every vector; the columns take 40, 255 and 64 characters."""
        assert 0 < len(embedder.provider) <= 40
        assert 0 < len(embedder.name) <= 255
        assert re.fullmatch(r"[0-9a-f]{64}", embedder.digest)
        assert isinstance(embedder, Embedder)

    @pytest.mark.parametrize("text", ["", " ", "\n", "\0", "a\0b", "\udcff", "😀"], ids=repr)
    def test_odd_texts_still_have_a_direction(self, embedder: Embedder, text: str) -> None:
        """Whatever slips through cleaning must neither crash nor yield NaN."""
        assert np.isfinite(embedder.embed_passages([text])).all()
