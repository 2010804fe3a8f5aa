"""The verb lexicon: which German verb forms say which relation, in which direction and with which preposition.

Data and its index. How a sentence is searched with it is in `relations`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb in base form and the relation it states.

    `turned`: the grammatical object is the relation's source ("Rogers entwickelte X": X AUTHORED_BY Rogers).
    `preposition`: what must stand before the object; `particle`: what must close the clause ("wendet … an").
    """

    verb: str
    type: str | None
    turned: bool = False
    preposition: tuple[str, ...] = ()
    particle: str | None = None
    confidence: float = 0.85


_AUTHOR: Final = "AUTHORED_BY"
# (frame, finite forms, participle); participles of verbs without passive are left out.
_VERBS: Final[tuple[tuple[Frame, str, str], ...]] = (
    (Frame("entwickeln", _AUTHOR, turned=True), "entwickelte entwickelten", "entwickelt"),
    (Frame("begründen", _AUTHOR, turned=True), "begründete begründeten", "begründet"),
    (Frame("gründen", _AUTHOR, turned=True, confidence=0.7), "", ""),
    (Frame("verfassen", _AUTHOR, turned=True), "verfasste verfassten verfaßte", "verfasst"),
    (Frame("schreiben", _AUTHOR, turned=True), "schrieb schrieben", "geschrieben"),
    (Frame("veröffentlichen", _AUTHOR, turned=True), "veröffentlichte veröffentlichten", "veröffentlicht"),
    (Frame("publizieren", _AUTHOR, turned=True), "publizierte publizierten", "publiziert"),
    (Frame("herausgeben", _AUTHOR, turned=True, confidence=0.7), "", "herausgegeben"),
    (Frame("erfinden", _AUTHOR, turned=True), "erfand erfanden", "erfunden"),
    (Frame("formulieren", _AUTHOR, turned=True, confidence=0.8), "formulierte formulierten", "formuliert"),
    (Frame("entwerfen", _AUTHOR, turned=True), "entwarf entwarfen", "entworfen"),
    (Frame("konzipieren", _AUTHOR, turned=True), "konzipierte konzipierten", "konzipiert"),
    (Frame("einführen", _AUTHOR, turned=True, particle="ein", confidence=0.75), "führte führten", "eingeführt"),
    (Frame("zurückgehen", _AUTHOR, preposition=("auf",), particle="zurück"), "geht gehen ging gingen", ""),
    (Frame("stammen", _AUTHOR, preposition=("von", "vom")), "stammt stammen stammte stammten", ""),
    (Frame("beeinflussen", "INFLUENCED"), "beeinflusst beeinflusste beeinflussten", "beeinflusst"),
    (Frame("prägen", "INFLUENCED"), "prägt prägte prägten", "geprägt"),
    (Frame("inspirieren", "INFLUENCED"), "inspirierte inspirierten inspiriert", "inspiriert"),
    (Frame("gehören", "PART_OF", preposition=("zu", "zum", "zur")), "gehört gehören gehörte gehörten", ""),
    (Frame("zählen", "PART_OF", preposition=("zu", "zum", "zur"), confidence=0.8), "zählt zählen", ""),
    (Frame("umfassen", "PART_OF", turned=True), "umfasst umfaßt umfassen umfasste", ""),
    (Frame("beinhalten", "PART_OF", turned=True, confidence=0.8), "beinhaltet beinhalten", ""),
    (Frame("enthalten", "PART_OF", turned=True, confidence=0.75), "enthält enthalten", ""),
    (Frame("bestehen aus", "PART_OF", turned=True, preposition=("aus",)), "besteht bestehen", ""),
    (Frame("nutzen", "APPLIES"), "nutzt nutzen nutzte nutzten", "genutzt"),
    (Frame("verwenden", "APPLIES"), "verwendet verwenden verwendete verwendeten", "verwendet"),
    (Frame("anwenden", "APPLIES", particle="an"), "wendet wenden wandte wandten", "angewendet"),
    (Frame("einsetzen", "APPLIES", particle="ein"), "setzt setzen setzte setzten", "eingesetzt"),
    (Frame("arbeiten mit", "APPLIES", preposition=("mit",)), "arbeitet arbeiten arbeitete arbeiteten", ""),
    (Frame("widersprechen", "CONTRADICTS"), "widerspricht widersprechen widersprach widersprachen", ""),
    (Frame("erweitern", "EXTENDS"), "erweitert erweitern erweiterte erweiterten", "erweitert"),
    (Frame("aufbauen", "EXTENDS", preposition=("auf",), particle="auf"), "baut bauen baute bauten", ""),
    (Frame("beruhen", "EXTENDS", preposition=("auf",), confidence=0.6), "", ""),
    (Frame("zitieren", "CITES"), "zitiert zitieren zitierte", "zitiert"),
    (Frame("berufen", "CITES", preposition=("auf",)), "beruft berufen berief", ""),
    (Frame("verweisen", "CITES", preposition=("auf",), confidence=0.75), "verweist verweisen verwies", ""),
    (Frame("behandeln", "TREATS"), "behandelt behandeln behandelte", "behandelt"),
    (Frame("beschreiben", "TREATS"), "beschreibt beschreiben", "beschrieben"),
    (Frame("erläutern", "TREATS"), "erläutert erläutern", "erläutert"),
    (Frame("erklären", "TREATS", confidence=0.75), "erklärt", "erklärt"),
    (Frame("thematisieren", "TREATS"), "thematisiert thematisieren", "thematisiert"),
    (Frame("handeln", "TREATS", preposition=("von", "vom")), "handelt handeln", ""),
    (Frame("befassen", "TREATS", preposition=("mit",)), "befasst befassen befaßt", ""),
    (Frame("beschäftigen", "TREATS", preposition=("mit",)), "beschäftigt beschäftigen", ""),
    (Frame("widmen", "TREATS", confidence=0.8), "widmet widmen", ""),
    (Frame("vorstellen", "TREATS", particle="vor", confidence=0.8), "stellt stellen stellte", "vorgestellt"),
)  # fmt: skip

FINITE: Final[dict[str, tuple[Frame, ...]]] = {}
PARTICIPLES: Final[dict[str, Frame]] = {}
ATTRIBUTIVE: Final[dict[str, Frame]] = {}
for _frame, _finite, _participle in _VERBS:
    for _form in _finite.split():
        FINITE[_form] = (*FINITE.get(_form, ()), _frame)
    if _participle:
        PARTICIPLES[_participle] = _frame
        for _ending in ("e", "en", "er", "es", "em"):
            ATTRIBUTIVE[_participle + _ending] = _frame

# "ist Teil von", "ist eine Weiterentwicklung der", "steht im Widerspruch zu", "ist der Begründer der":
# (noun, frame) after a form of sein or stehen; the object follows the noun with von or in the genitive.
NOMINAL: Final[dict[str, Frame]] = {
    "teil": Frame("sein Teil von", "PART_OF"),
    "bestandteil": Frame("sein Teil von", "PART_OF"),
    "element": Frame("sein Teil von", "PART_OF", confidence=0.8),
    "baustein": Frame("sein Teil von", "PART_OF", confidence=0.8),
    "weiterentwicklung": Frame("weiterentwickeln", "EXTENDS"),
    "erweiterung": Frame("erweitern", "EXTENDS"),
    "widerspruch": Frame("widersprechen", "CONTRADICTS"),
    "gegensatz": Frame("widersprechen", "CONTRADICTS", confidence=0.6),
    "begründer": Frame("begründen", _AUTHOR, turned=True),
    "begründerin": Frame("begründen", _AUTHOR, turned=True),
    "mitbegründer": Frame("begründen", _AUTHOR, turned=True, confidence=0.8),
    "mitbegründerin": Frame("begründen", _AUTHOR, turned=True, confidence=0.8),
    "begründern": Frame("begründen", _AUTHOR, turned=True),
    "erfinder": Frame("erfinden", _AUTHOR, turned=True),
    "erfinderin": Frame("erfinden", _AUTHOR, turned=True),
    "entwickler": Frame("entwickeln", _AUTHOR, turned=True),
    "entwicklerin": Frame("entwickeln", _AUTHOR, turned=True),
    "autor": Frame("verfassen", _AUTHOR, turned=True),
    "autorin": Frame("verfassen", _AUTHOR, turned=True),
    "verfasser": Frame("verfassen", _AUTHOR, turned=True),
    "verfasserin": Frame("verfassen", _AUTHOR, turned=True),
    "urheber": Frame("entwickeln", _AUTHOR, turned=True),
    "urheberin": Frame("entwickeln", _AUTHOR, turned=True),
    "vater": Frame("begründen", _AUTHOR, turned=True, confidence=0.6),
    "mutter": Frame("begründen", _AUTHOR, turned=True, confidence=0.6),
}

PASSIVE: Final = frozenset("wurde wurden wird werden worden ist sind war waren".split())
PERFECT: Final = frozenset("hat haben hatte hatten".split())
BE: Final = frozenset("ist sind war waren gilt gelten bildet bilden steht stehen".split())
