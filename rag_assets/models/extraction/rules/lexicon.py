"""German words that the rules turn on: articles, prepositions, hedges, cue nouns. Data only.

Verbs and their frames live in `verbs`, given names in `knowledge.given_names`.
"""

from __future__ import annotations

from typing import Final

from rag_assets.knowledge.words import words

DETERMINERS: Final = words(
    """der die das des dem den ein eine einer eines einem einen jede jeder jedes jeden jedem alle allen aller beide
    kein keine keiner keines keinem keinen sämtliche"""
)
INDEFINITE: Final = words("ein eine einer eines einem einen")
POINTING: Final = words(
    """dies diese dieser dieses diesem diesen jene jener jenes solche solcher solches sein seine seiner seines seinem
    seinen ihr ihre ihrer ihres ihrem ihren unser unsere mein meine dein deine welche welcher welches manche einige
    andere anderer anderes viele mehrere wenige derartige folgende"""
)
PRONOUNS: Final = words(
    """er sie es wir ich du man ihr ihn ihm uns mich dich sich wer was das dies dieses hier da dort so damit dabei
    daraus dazu darin darunter dafür dadurch hierbei hierzu jemand niemand alles etwas nichts"""
)
PREPOSITIONS: Final = words(
    """nach von vom bei beim mit für in im ins aus zu zum zur über durch gegen ohne auf an am ans laut gemäß neben
    zwischen unter als wie seit vor hinter während wegen trotz innerhalb außerhalb statt anhand mittels um entlang
    gegenüber bis ab pro je samt außer entsprechend angesichts aufgrund infolge hinsichtlich bezüglich anstelle zufolge per binnen mitsamt"""
)
CONJUNCTIONS: Final = words(
    """und oder aber sowie sondern denn doch weil dass daß wenn falls ob obwohl während nachdem bevor indem damit
    sodass sobald solange wobei wodurch weshalb bzw beziehungsweise als wie"""
)
SUBORDINATORS: Final = words("weil dass daß da als nachdem obwohl indem wenn während bevor wie wobei")
RELATIVES: Final = words("der die das den dem deren dessen welche welcher welches welchen welchem")

NEGATIONS: Final = words(
    "nicht kein keine keiner keines keinem keinen nie niemals keineswegs keinesfalls weder nirgends kaum nichts"
)
HEDGES: Final = words(
    """vielleicht möglicherweise vermutlich wahrscheinlich eventuell womöglich angeblich mutmaßlich anscheinend
    scheinbar offenbar scheint scheinen schien schienen dürfte dürften könnte könnten würde würden hätte hätten wäre
    wären mag mögen denkbar vorstellbar vermutet vermuten angenommen gegebenenfalls mitunter möglich"""
)
NORMS: Final = words(
    """muss müssen musste mussten muß soll sollen sollte sollten darf dürfen durfte durften verpflichtet verpflichtend
    untersagt verboten unzulässig zulässig vorgeschrieben verbindlich einzuhalten sicherzustellen"""
)
MODAL_VERBS: Final = {
    "muss": "müssen", "muß": "müssen", "müssen": "müssen", "soll": "sollen", "sollen": "sollen", "sollte": "sollen",
    "sollten": "sollen", "darf": "dürfen", "dürfen": "dürfen",
}  # fmt: skip
REPORTING: Final = {
    "behauptet": "behaupten", "behauptete": "behaupten", "behaupten": "behaupten", "meint": "meinen",
    "meinte": "meinen", "sagt": "sagen", "sagte": "sagen", "schreibt": "schreiben", "schrieb": "schreiben",
    "argumentiert": "argumentieren", "argumentierte": "argumentieren", "betont": "betonen", "betonte": "betonen",
    "vertritt": "vertreten", "vertrat": "vertreten", "erklärt": "erklären", "erklärte": "erklären",
    "berichtet": "berichten", "berichtete": "berichten", "glaubt": "glauben", "glaubte": "glauben",
    "postuliert": "postulieren", "postulierte": "postulieren", "fordert": "fordern", "forderte": "fordern",
    "nimmt": "annehmen", "kritisiert": "kritisieren", "kritisierte": "kritisieren", "warnt": "warnen",
    "hält": "halten", "bezeichnet": "bezeichnen", "bezeichnete": "bezeichnen", "formuliert": "formulieren",
    "formulierte": "formulieren", "zeigt": "zeigen", "zeigte": "zeigen", "stellt": "feststellen",
}  # fmt: skip
REPORTED_SPEECH: Final = words("sei seien zufolge behauptet behauptete")

PERSON_ROLES: Final = words(
    """psychologe psychologin psychologen psychotherapeut psychotherapeutin therapeut therapeutin familientherapeut
    familientherapeutin psychiater psychiaterin soziologe soziologin soziologen philosoph philosophin philosophen
    pädagoge pädagogin pädagogen autor autorin autors forscher forscherin wissenschaftler wissenschaftlerin arzt ärztin
    trainer trainerin biologe biologin biologen anthropologe anthropologin anthropologen kommunikationswissenschaftler
    sozialpsychologe sozialpsychologin schriftsteller schriftstellerin dichter dichterin politiker politikerin
    präsident präsidentin minister ministerin bundeskanzler bundeskanzlerin kanzler kanzlerin bürgermeister
    bürgermeisterin oberbürgermeister direktor direktorin regisseur regisseurin schauspieler schauspielerin sänger
    sängerin komponist komponistin maler malerin architekt architektin bischof papst könig königin kaiser kaiserin
    herzog graf gräfin fürst fürstin prinz prinzessin ministerpräsident ministerpräsidentin staatssekretär abgeordnete
    abgeordneter historiker historikerin linguist linguistin physiker physikerin ökonom ökonomin jurist juristin
    begründer begründerin gründer gründerin erfinder erfinderin urheber urheberin schüler schülerin kollege kollegin
    verfasser verfasserin mathematiker chemiker ingenieur unternehmer unternehmerin journalist journalistin fotograf
    nobelpreisträger professor professorin berater beraterin coach pastor pfarrer pater vorsitzende vorsitzender
    geschäftsführer geschäftsführerin leiter leiterin sprecher sprecherin stürmer torwart torhüter verteidiger
    pfarrerin rabbiner imam bruder schwester sohn tochter ehefrau ehemann gattin freund freundin mutter vater onkel
    tante witwe nachfolger nachfolgerin vorgänger vorgängerin assistent assistentin gastgeber experte expertin
    mittelfeldspieler kapitän general oberst ritter außenminister außenministerin innenminister finanzminister"""
)
NOT_A_SURNAME: Final = words(
    """universität stiftung institut straße platz schule gmbh ag verlag preis haus gymnasium gesellschaft kirche park
    allee weg stadt museum theater klinik hochschule akademie zentrum verein schloss burg brücke halle stadion
    airport flughafen bibliothek medaille orden kapelle krankenhaus grundschule realschule gesamtschule siedlung
    school college university institute foundation street house hospital award center centre
    kaserne see berg insel gasse ufer damm ring cup pokal stadt dorf"""
)
CLASS_NOUNS: Final = words(
    """konzept konzepts konzepte begriff begriffs begriffe methode methoden technik techniken theorie theorien modell
    modells modelle ansatz ansatzes ansätze prinzip prinzips prinzipien haltung haltungen verfahren verfahrens
    fragetechnik idee ideen lehre schule werkzeug instrument format prozess vorgehen vorgehens vorgehensweise form art
    buch buches buchs werk werks werkes aufsatz aufsatzes schrift text artikel artikels handbuch skript hauptwerk
    standardwerk klassiker roman film programm axiome grundbegriff grundlagen"""
)
TIME_NOUNS: Final = words(
    """jahr jahre jahren jahres jahrhundert jahrhunderts ende anfang beginn mitte januar februar märz april mai juni juli
    august september oktober november dezember jahrzehnt jahrzehnten zeit uhr monat monaten jahrzehnte"""
)
WORK_CUES: Final = words(
    """buch buches buchs buche bücher werk werks werkes werke aufsatz aufsatzes aufsätze schrift schriften artikel
    artikels roman romans film films studie bericht berichts hauptwerk hauptwerks standardwerk klassiker lehrbuch
    lehrbuchs fachbuch handbuch handbuchs skript skripts monografie monographie dissertation essay beitrag beitrags
    band publikation veröffentlichung sammelband ratgeber leitfaden leitfadens broschüre titel"""
)
WORK_TYPES: Final = {
    "buch": "Buch", "aufsatz": "Aufsatz", "artikel": "Aufsatz", "roman": "Roman", "film": "Film", "studie": "Studie",
    "bericht": "Bericht", "lehrbuch": "Buch", "fachbuch": "Buch", "handbuch": "Handbuch", "skript": "Skript",
    "monografie": "Buch", "monographie": "Buch", "dissertation": "Dissertation", "essay": "Aufsatz",
    "beitrag": "Aufsatz", "sammelband": "Sammelband", "ratgeber": "Ratgeber", "leitfaden": "Leitfaden",
    "broschüre": "Broschüre", "bücher": "Buch", "buches": "Buch", "buchs": "Buch", "buche": "Buch",
    "aufsatzes": "Aufsatz", "artikels": "Aufsatz", "handbuchs": "Handbuch", "lehrbuchs": "Buch", "skripts": "Skript",
}  # fmt: skip
WORK_VERBS: Final = words(
    """erschien erscheint erschienen veröffentlichte veröffentlicht veröffentlichten publizierte publiziert verfasste
    verfasst schrieb geschrieben betitelt trägt heißt herausgegeben"""
)
ROLE_NOUNS: Final = words(
    """berater beraterin berater:innen coach coaches coachin klient klientin klienten klientinnen coachee supervisor
    supervisorin supervisoren mediator mediatorin mediatoren moderator moderatorin moderatoren trainer trainerin
    teilnehmer teilnehmerin teilnehmende teilnehmenden auftraggeber auftraggeberin ausbilder dozent dozentin dozenten
    mentor mentorin lehrende lernende führungskraft führungskräfte therapeut therapeutin therapeuten studierende
    teilnehmerinnen kundin kunde kunden beraterinnen auszubildende mitarbeiter mitarbeiterin mitarbeitende
    lehrtrainer lehrtrainerin prüfer prüfling absolventen absolventin absolvent gruppenleitung kursleitung leitung"""
)
ABSTRACT_SUBJECTS: Final = words(
    """ziel ziele frage fragen ergebnis problem probleme beispiel vorteil nachteil grund gründe folge folgen
    voraussetzung aufgabe aufgaben schritt schritte teil teile kern grundlage kapitel abschnitt text seite tabelle
    abbildung unterschied thema punkt aspekt sache fall fälle mensch menschen leute mann frau kind kinder jahr jahre
    tag zeit ort weg anfang ende leben welt antwort idee gedanke wort satz bild rest regel wichtigste merkmal ursache
    zweck sinn wirkung nutzen inhalt überblick hinweis schwerpunkt hintergrund motto name titel autor autorin
    gegenteil alternative variante möglichkeit chance gefahr risiko basis zusammenhang verhältnis vorgehen anliegen"""
)
ADVERBS: Final = HEDGES | words(
    """häufig meist meistens oft manchmal selten immer stets heute früher später dann danach dabei dadurch damit dazu
    daher deshalb deswegen dennoch trotzdem zudem außerdem ferner allerdings jedoch hingegen dagegen zunächst zuerst
    anschließend schließlich letztlich grundsätzlich normalerweise üblicherweise typischerweise beispielsweise
    insbesondere besonders gerade erst schon bereits inzwischen mittlerweile seitdem seither hier dort insgesamt
    entsprechend folglich somit also sonst ebenso ebenfalls gleichzeitig zugleich idealerweise erfahrungsgemäß
    regelmäßig natürlich selbstverständlich vielmehr wichtig entscheidend zentral genau wesentlich darüber hinaus
    ursprünglich ähnlich anders gemeinsam weiterhin weitere viel mehr wenig kurz"""
)
ABSTRACT_ENDINGS: Final = (
    "ung", "heit", "keit", "ität", "ismus", "tion", "sion", "schaft", "ik", "logie", "pathie", "nomie", "ing", "enz",
    "anz", "poiesis", "tät", "analyse", "these", "ose", "kratie",
)  # fmt: skip
