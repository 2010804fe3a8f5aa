"""Words that decide where a sentence ends: abbreviations and words that begin sentences, German and English.

Data only; how it is used lives in `text.sentences`. All abbreviations in lower case, with inner periods and without
blanks and the last period: "z. B." is "z.b".
"""

from __future__ import annotations

#: After these a sentence goes on, whatever follows.
NEVER_END = frozenset(
    """
    z.b z.t z.zt z.hd d.h d.i d.s i.d.r i.d.f i.d.s i.e.s i.w.s i.s.d i.s.v i.v.m i.h.v i.a i.b i.ü i.s i.e i.w i.v i.h
    m.e m.a.w m.w m.e.w u.u u.v.a u.z u.e u.v v.a o.g o.b s.o s.u a.d a.i b.a lt gem vgl vergl bzw beziehungsw ca
    evtl event ggf ggfs gegebenenf inkl einschl exkl ausschl zzgl abzgl sog sogen insb insbes bes bspw beisp
    dr prof dipl med phil jur rer nat pol oec theol ing päd psych habil mag priv.-doz doz h.c dr.h.c hr hrn fr frl
    st hl geb gest verst verh hg hrsgg übers bearb red
    nr nrn abs kap kapt abb abbn tab tabn bd bde bdn fn anm art. ziff lit rn rdnr rz buchst s.a s.d vs
    resp allg wiss soz päda ehem ehm entspr verschied versch mind höchst tel fax mobil
    mr mrs ms messrs prof rev gen sen rep gov capt col lt.col fig figs eq eqs ch chap sect pp p vol vols ed.by cf
    e.g viz approx ca. i.e
    """.split()
)

#: These go on as a rule, and end a sentence when a word follows that begins one.
MAY_END = frozenset(
    """
    usw etc u.s.w u.dgl dgl u.ä u.ae o.ä u.a u.v.m u.v.a.m o.dgl a.m a.d.r e.v n.chr v.chr a.a.o ebd ff f std min sek
    jh jhd jhdt mio mrd tsd hrsg s.o.s str max et.al al u.s u.k ph.d m.a b.a b.sc m.sc b.ed m.ed mba inc ltd co corp
    jr sr vorm nachm mitt tägl mtl jährl wö wo a.d o.j o.o n.n p.a p.m a.m o.a ugs engl dt lat griech frz franz ital
    art eds ed trans repr univ inst abt jan feb mrz apr jun jul aug sep sept okt oct nov dez dec mo di mi do sa so
    no qm ha km cm mm kg min. mdl schriftl od u v n d m.w.h
    """.split()
)

#: Of `MAY_END`, those that usually close an enumeration: any word with a capital begins a new sentence.
USUALLY_END = frozenset("usw etc u.s.w u.dgl dgl u.ä u.ae o.ä u.v.m u.v.a.m o.dgl".split())

#: Of `MAY_END`, words of their own too ("auf diese Art."): abbreviations only when a number follows.
ONLY_BEFORE_NUMBER = frozenset(
    "art min max so do mo di mi sa co ed no str wo mitt inst km cm mm kg ha od u v n d".split()
)

#: Words that begin a sentence far more often than they stand with a capital inside one.
STARTERS = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines er sie es wir ich ihr man dies diese dieser dieses diesen
    diesem jene jener jede jeder jedes jeden alle alles auch aber als am an anders auf aus außerdem bei beide beim bis
    bisher da dabei dadurch dafür dagegen daher dahinter damit danach daneben dann daran darauf daraus darin darum
    darüber davon dazu denn dennoch deren derartige deshalb dessen deswegen doch dort durch ebenso einige entweder
    erst etwas falls ferner folglich für gegen genau gerade gleichzeitig hat haben hier hierbei hierfür hierzu hinter
    im in indem ins insgesamt ist ja jedoch kein keine keiner können kurz manche mehr mein meine meist mit muss nach
    nachdem neben nein nicht nichts noch nun nur ob obwohl oder ohne seine seit seitdem sein sind so sobald solange
    solche sollte somit sonst soweit sowie sowohl später statt stattdessen trotz trotzdem um umgekehrt und unser unsere
    unter viel viele vielleicht vom von vor vorher wann war waren warum was weder weil weiter weiterhin weitere welche
    welcher wenn wer werden wie wieder wird wo wobei wodurch wofür wohl worauf während zu zudem zuerst zuletzt zum
    zunächst zur zusätzlich zwar zwei zwischen ihre ihren ihm ihnen sei seien wurde wurden
    the this that these those it he she we you they i a an his her their our its in on at by for from to with without
    as if when while although because however therefore thus then there here and but or so such not no yes what which
    who how why after before since until during under over between both each every all some many most more
    """.split()
)

#: A number with a period after one of these is an ordinal or an enumeration: "am 3. Mai", "das 1. Treffen".
BEFORE_ORDINAL = frozenset(
    """
    der die das den dem des am im zum zur vom beim ab bis seit jeder jede jedes jeden jedem dieser diese dieses diesem
    diesen ein eine einem einen einer mein sein ihr unser unsere unserer unserem kein und oder sowie als nach vor nr
    kapitel kap abschnitt teil punkt seite band phase stufe schritt modul übung auf in an zu von mit
    """.split()
)

MONTHS_AND_UNITS = frozenset(
    """
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert jahrhunderts jahrhunderte lebensjahr lebensjahres auflage aufl jahrgang jahrestag klasse semester
    sitzung treffen kapitel auflagen jh jhd etage stock platz tag woche monat jahr jan feb mrz apr jun jul aug sep
    sept okt nov dez
    """.split()
)
