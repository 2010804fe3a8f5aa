"""What becomes of each real document today: `done`, or the code of the error that it ends in.

One table for all tests that read `docs/` of the corpora. Whoever teaches the readers a format changes its lines here.
"""

from __future__ import annotations

from typing import Final

OUTCOMES: Final = {
    "01_KI-Policy_BFH.pdf": "done",
    "02_Online-Videos_Kapitel2.pdf": "done",
    "03_BGBl_II_71_2018_Lehrplan.pdf": "done",
    "04_FOM_Thesis_de.pdf": "done",
    "05_maint-guide.de.pdf": "done",
    "06_KI_in_Lernumgebungen_kompetenz.html": "done",
    "07_Kompetenz_erwerben.docx": "done",
    "08_Was_sind_Chatbots_Folien.pptx": "done",
    "09_Lehrbuch_InternetDerDinge.html": "done",
    "10_Lehrbuch_RechtUndGesetz.html": "done",
    "11_Lehrbuch_Deutsch.odt": "done",
    "12_Lehrbuch_gesamt.html": "done",
    "13_BBiG_2005.md": "done",
    "14_FernUSG.md": "done",
    "15_HeilprG.md": "done",
    "16_KJHG.docx": "done",
    "17_Freud_Massenpsychologie_latin1.txt": "done",
    "18_Freud_Massenpsychologie.htm": "done",
    "19_Freud_Kap_I-III_utf16le_BOM.txt": "done",
    "20_Freud_Massenpsychologie.epub": "done",
    "21_Freud_Scan_S1-6_nur_Bild.pdf": "needs_ocr",
    "22_ubuntu-paketieren.de.epub": "done",
    "25_debian-faq_basics.html": "done",
    "26_BBiG_Auszug.rtf": "done",
    "27_VL_Versionsverwaltung_LiaScript.md": "done",
    "28_VL_Generics_LiaScript.md": "done",
    "29_cwa_scoping_document.de.md": "done",
    "30_cwa_scoping_document.en.md": "done",
    "31_workshop-durchfuehrung.md": "done",
    "40_german-umlaut-r.pdf": "done",
    "41_copy_paste_ligatures.pdf": "done",
    "42_glyph_accent.pdf": "done",
    "43_rotation.pdf": "done",
    "44_empty_protected.pdf": "empty",
    "45_r4-owner-password.pdf": "done",
    "46_r6-user-password.pdf": "done",
    "47_bad1_five_bytes.pdf": "damaged",
    "48_append-xref-loop.pdf": "done",
    "49_empty_zero_pages.pdf": "empty",
    "50_multi-column-2p.pdf": "done",
    "51_libreoffice-form.pdf": "done",
    "52_libreoffice-form.odt": "done",
    "53_testOptionalHyphen.docx": "done",
    "54_testOptionalHyphen.pdf": "done",
    "55_testRTFUmlautSpaces.rtf": "done",
    "56_footnotes.docx": "done",
    "57_testWORD_truncated.docx": "damaged",
    "58_testODTnotaZipFile.odt": "damaged",
    "59_testODTEncrypted.odt": "locked",
    "60_fake-html-cp1252.html": "done",
    "61_fake-email-utf-16-le.eml": "done",
    "62_rfc2822_example01.eml": "done",
    "63_attachment_nonascii_filename.eml": "done",
    "64_empty_zero_bytes.pdf": "empty",
    "65_docx_tables.docx": "done",
    "66_masks_wikipedia_druck.pdf": "needs_ocr",
    "67_libreoffice-writer-password.pdf": "locked",
}

#: Pages without any text, of the documents that have such pages.
NEEDS_OCR: Final = {
    "21_Freud_Scan_S1-6_nur_Bild.pdf": 6,
    "66_masks_wikipedia_druck.pdf": 1,
}
