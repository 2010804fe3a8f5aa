"""Mail: headers and bodies in any encoding, quotations, attachments as sections, and what no mail may bring down."""

from __future__ import annotations

import io
import tempfile
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest

from rag_assets.errors import DocumentError
from rag_assets.readers import registry
from rag_assets.readers.base import ReadResult
from rag_assets.readers.files import unnamed_file
from rag_assets_tests.readers.helpers import blocks, draw_pdf, read, write


def crlf(text: str, encoding: str = "utf-8") -> bytes:
    return text.replace("\n", "\r\n").encode(encoding)


def plain(body: str, *, subject: str = "Rückblick", more: str = "") -> bytes:
    return crlf(
        f"From: Jürgen Köhler <jk@example.org>\nSubject: {subject}\nMessage-ID: <1@example.org>\n{more}\n{body}"
    )


def body_of(result: ReadResult) -> list[tuple[str, str]]:
    """What follows subject and head."""
    return blocks(result)[2:]


ALTERNATIVE = """\
Received: from mx.example.org (mx.example.org [192.0.2.1])
\tby imap.example.org; Mon, 2 Mar 2026 09:00:03 +0100
From: =?iso-8859-1?Q?K=F6hler=2C_J=FCrgen?= <jk@example.org>
To: "Team, Lehre" <team@example.org>, =?utf-8?B?w4Rubm8=?= <a@example.org>, nur@example.org,
 "ziel@example.org" <ziel@example.org>
Cc: Geheime Kopie <kopie@example.org>
Subject: =?utf-8?B?QVc6IFLDvGNrYmxpY2s=?= =?utf-8?Q?_=E2=80=93_Gr=C3=B6=C3=9Fe?=
Date: Mon, 2 Mar 2026 00:30:00 +0100
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=XX

Dies ist eine mehrteilige Nachricht.
--XX
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Zielkl=E4rung am 9. M=
=E4rz.
--XX
Content-Type: text/html; charset=utf-8

<h1>Treffen</h1><p>Zielklärung am 9. März.</p>
--XX--
"""


def test_subject_people_day_and_the_body_once(tmp_path: Path) -> None:
    result = read(tmp_path / "ohne-endung", crlf(ALTERNATIVE))
    assert (result.title, result.authors, str(result.published_on), result.mime_type) == (
        "Rückblick – Größe",
        ("Jürgen Köhler",),
        "2026-03-02",
        "message/rfc822",
    )
    assert blocks(result) == [
        ("heading1", "Rückblick – Größe"),
        ("paragraph", "E-Mail von Jürgen Köhler an Lehre Team und Änno vom 2. März 2026."),
        ("paragraph", "Zielklärung am 9. März."),
    ]
    everything = " ".join(text for _, text in blocks(result))
    assert "@" not in everything
    assert "Kopie" not in everything


def test_markup_is_read_where_the_plain_part_only_points_to_it(tmp_path: Path) -> None:
    stub = ALTERNATIVE.replace("Zielkl=E4rung am 9. M=\n=E4rz.", "Bitte HTML.").replace(
        "<p>Zielklärung", "<p>" + "Wir klären die Ziele. " * 5 + "Zielklärung"
    )
    assert [kind for kind, _ in body_of(read(tmp_path / "a.eml", crlf(stub)))] == ["heading2", "paragraph"]


@pytest.mark.parametrize(
    ("declared", "encoding", "warnings"),
    [
        ("utf-8", "utf-8", ()),
        ("utf-8", "cp1252", ("encoding_guessed",)),
        ("iso-8859-1", "utf-8", ()),
        ("iso-8859-1", "cp1252", ()),
        ("gibt-es-nicht", "cp1252", ("encoding_guessed",)),
        ("punycode", "cp1252", ("encoding_guessed",)),
        ("", "cp1252", ("encoding_guessed",)),
        ("utf-7", "utf-7", ()),
    ],
)
def test_umlauts_survive_what_headers_claim(
    tmp_path: Path, declared: str, encoding: str, warnings: tuple[str, ...]
) -> None:
    header = f"Content-Type: text/plain; charset={declared}\nContent-Transfer-Encoding: 8bit\n"
    mail = plain("", more=header) + "Schöne Grüße – süß.\r\n".encode(encoding)
    result = read(tmp_path / "a.eml", mail)
    assert body_of(result) == [("paragraph", "Schöne Grüße – süß.")]
    assert result.warnings == warnings
    assert result.authors == ("Jürgen Köhler",)  # unencoded in the header, which no standard allows


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "cp1252"])
def test_mails_saved_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    text = plain("Schöne Grüße.", more="Content-Type: text/plain; charset=utf-8\n").decode("utf-8")
    result = read(tmp_path / "a.eml", text.encode(encoding))
    assert blocks(result) == [
        ("heading1", "Rückblick"),
        ("paragraph", "E-Mail von Jürgen Köhler."),
        ("paragraph", "Schöne Grüße."),
    ]


def test_earlier_mails_stand_in_a_section_of_their_own_and_replies_keep_what_they_reply_to(tmp_path: Path) -> None:
    mail = plain(
        "Ja, gern.\n\n> Können wir am Montag\n> sprechen?\nAm Montag geht es.\n\n-- \nJürgen Köhler\nTel. 0123\n\n"
        "Am 1. März 2026 um 10:00 schrieb\nAnna Beispiel <a@example.org>:\n\n> Hallo Jürgen,\n>\n>> Wann denn?\n"
    )
    result = read(tmp_path / "a.eml", mail)
    assert body_of(result) == [
        ("paragraph", "Ja, gern."),
        ("paragraph", "> Können wir am Montag"),
        ("paragraph", "> sprechen?"),
        ("paragraph", "Am Montag geht es."),
        ("heading2", "Zitierte Nachricht"),
        ("paragraph", "Am 1. März 2026 um 10:00 schrieb"),
        ("paragraph", "Anna Beispiel <a@example.org>:"),
        ("paragraph", "Hallo Jürgen,"),
        ("paragraph", "Wann denn?"),
    ]
    assert result.repairs == {"signature": 1}


OUTLOOK = "Danke.\n\nVon: Anna Beispiel\nGesendet: Montag, 2. März 2026 09:00\nAn: Team\nBetreff: Ziele\n\n"


@pytest.mark.parametrize(
    "announcement",
    [
        OUTLOOK,
        "Danke.\n\n-----Ursprüngliche Nachricht-----\n",
        "Danke.\n\n---------- Forwarded message ---------\nFrom: Anna\n",
        "Danke.\n\nAnfang der weitergeleiteten Nachricht:\n",
    ],
)
def test_programs_announce_an_earlier_mail_in_many_ways(tmp_path: Path, announcement: str) -> None:
    result = body_of(read(tmp_path / "a.eml", plain(announcement + "Das sind die Ziele.")))
    assert result[0] == ("paragraph", "Danke.")
    assert result[1] == ("heading2", "Zitierte Nachricht")
    assert result[-1] == ("paragraph", "Das sind die Ziele.")


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Danke.</p><p>Anna schrieb am Montag:</p><blockquote type='cite'><p>Das sind die Ziele.</p></blockquote>",
        "<p>Danke.</p><div class='x gmail_quote'><div>Anna schrieb:<br></div><blockquote class='gmail_quote'>"
        "<p>Das sind die Ziele.</p></blockquote></div>",
        "<p>Danke.</p><div><p><b>Von:</b> Anna<br><b>Gesendet:</b> Montag<br><b>An:</b> Team</p></div>"
        "<p>Das sind die Ziele.</p>",
    ],
)
def test_quotations_in_markup(tmp_path: Path, markup: str) -> None:
    mail = plain(f"<html><body>{markup}</body></html>", more="Content-Type: text/html; charset=utf-8\n")
    result = body_of(read(tmp_path / "a.eml", mail))
    assert result[:2] == [("paragraph", "Danke."), ("heading2", "Zitierte Nachricht")]
    assert result[-1] == ("paragraph", "Das sind die Ziele.")
    assert len(result) == 4


def test_what_is_quoted_again_stands_once(tmp_path: Path) -> None:
    long = "Wir treffen uns am Montag um neun Uhr im großen Saal."
    mail = plain(f"{long}\n\n-----Ursprüngliche Nachricht-----\n{long}\n\nUnd ich bringe Kuchen mit.\n")
    result = read(tmp_path / "a.eml", mail)
    assert [text for _, text in body_of(result)].count(long) == 1
    assert body_of(result)[-1] == ("paragraph", "Und ich bringe Kuchen mit.")
    assert result.repairs == {"quoted_twice": 1}


def test_flowed_lines_are_joined(tmp_path: Path) -> None:
    header = "Content-Type: text/plain; charset=utf-8; format=flowed\n"
    result = read(
        tmp_path / "a.eml", plain("Ein Satz, der \nweitergeht.\n> Eine Frage, \n> die weitergeht?\nJa.\n", more=header)
    )
    assert body_of(result) == [
        ("paragraph", "Ein Satz, der weitergeht."),
        ("paragraph", "> Eine Frage, die weitergeht?"),
        ("paragraph", "Ja."),
    ]


def word_document() -> bytes:
    document = docx.Document()
    document.add_heading("Grundlagen", 1)
    document.add_paragraph("Aus dem Anhang.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def message(subject: str, body: str) -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Anna Beispiel <anna@example.org>"
    made["Subject"] = subject
    made["Message-ID"] = "<2@example.org>"
    made.set_content(body)
    return made


def test_attachments_are_sections_and_a_bad_one_is_a_warning(tmp_path: Path) -> None:
    mail = message("Unterlagen", "Anbei alles.")
    mail.add_attachment(word_document(), maintype="application", subtype="octet-stream", filename="Größe & Ziel.docx")
    pdf = draw_pdf(tmp_path / "a.pdf", [lambda canvas: write(canvas, ["Aus dem PDF."])])
    mail.add_attachment(pdf.read_bytes(), maintype="application", subtype="pdf", filename="plan.pdf")
    mail.add_attachment(b"kein PDF", maintype="application", subtype="pdf", filename="../../kaputt.pdf")
    mail.add_attachment(b"GIF89a\x01\x00\x01\x00", maintype="image", subtype="gif", filename="bild.gif")
    mail.add_attachment(b"BEGIN:VCALENDAR", maintype="text", subtype="calendar", filename="termin.ics")
    mail.add_attachment(b"GIF89a\x01", maintype="image", subtype="gif", disposition="inline", cid="<logo>")
    inner = message("Die Regeln", "Innen steht dies.")
    inner.add_attachment("Notiz mit Öl.", filename="notiz.txt")
    mail.add_attachment(inner)
    mail.add_attachment(
        plain("Als Datei.", subject="Datei"), maintype="application", subtype="octet-stream", filename="alt.eml"
    )
    result = read(tmp_path / "a.eml", bytes(mail))
    assert blocks(result) == [
        ("heading1", "Unterlagen"),
        ("paragraph", "E-Mail von Anna Beispiel."),
        ("paragraph", "Anbei alles."),
        ("heading2", "Anhang: Größe & Ziel.docx"),
        ("heading3", "Grundlagen"),
        ("paragraph", "Aus dem Anhang."),
        ("heading2", "Anhang: plan.pdf"),
        ("paragraph", "Aus dem PDF."),
        ("heading2", "Anhang: Die Regeln"),
        ("paragraph", "E-Mail von Anna Beispiel."),
        ("paragraph", "Innen steht dies."),
        ("heading4", "Anhang: notiz.txt"),
        ("paragraph", "Notiz mit Öl."),
        ("heading2", "Anhang: Datei"),
        ("paragraph", "E-Mail von Jürgen Köhler."),
        ("paragraph", "Als Datei."),
    ]
    assert all(block.page is None for block in result.blocks), "a mail has no pages"
    assert result.warnings == ("attachment_damaged", "attachment_unsupported")
    assert result.repairs == {"picture": 1}


def test_depth_and_number_of_attachments_have_limits(tmp_path: Path) -> None:
    deep = message("Tiefe 0", "Text 0.")
    for depth in range(1, 9):
        outer = message(f"Tiefe {depth}", f"Text {depth}.")
        outer.add_attachment(deep)
        deep = outer
    result = read(tmp_path / "tief.eml", bytes(deep))
    assert [text for _, text in blocks(result) if text.startswith("Text")] == [f"Text {n}." for n in (8, 7, 6, 5, 4, 3)]
    assert result.warnings == ("attachments_left_out",)
    many = message("Viele", "Anbei.")
    for number in range(105):
        many.add_attachment(f"Notiz {number}.", filename=f"{number}.txt")
    result = read(tmp_path / "viele.eml", bytes(many))
    assert sum(text.startswith("Anhang") for _, text in blocks(result)) == 100
    assert result.warnings == ("attachments_left_out",)


def test_what_holds_nothing_to_read_is_refused_for_its_reason(tmp_path: Path) -> None:
    encrypted = plain(
        "--x\nContent-Type: application/octet-stream\n\nxyz\n--x--",
        more="Content-Type: multipart/encrypted; boundary=x\n",
    )
    broken = message("Leer", " ")
    broken.add_attachment(b"kein PDF", maintype="application", subtype="pdf", filename="kaputt.pdf")
    for content, code in ((encrypted, "locked"), (bytes(broken), "damaged"), (plain(" \n"), "empty")):
        with pytest.raises(DocumentError) as refusal:
            read(tmp_path / "a.eml", content)
        assert refusal.value.code == code


@pytest.mark.parametrize(
    ("text", "name", "reader"),
    [
        ("From: a@b.de\nSubject: x\n\nText", "notiz.txt", "mail"),
        ("From a@b.de Mon Mar  2 09:00:00 2026\nFrom: a@b.de\nDate: heute\n\nText", "x", "mail"),
        ("Subject: x\n\nText", "x.eml", "mail"),
        ("Subject: x\nDate: heute\n\nText", "x.txt", "plain"),
        ("Title: Ein Buch\nDate: 2020\nSubject: Ziele\n\n# Text", "x.md", "markdown"),
        ("From: hier\nTo: dort\nein Gedicht\n\nText", "x.txt", "plain"),
        ("Ohne Kopf.", "x.eml", "plain"),
    ],
)
def test_what_begins_like_a_mail_is_one(tmp_path: Path, text: str, name: str, reader: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert registry.detect(path).name == reader


def test_attachments_leave_no_name_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with unnamed_file(b"vertraulich") as path:
        assert path.read_bytes() == path.read_bytes() == b"vertraulich"
        assert list(tmp_path.iterdir()) == []
