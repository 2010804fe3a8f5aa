"""Words that carry no topic, as data: what the lexical index leaves out in German and in English.

Only function words stand here (articles, pronouns, prepositions, conjunctions, auxiliaries, question words and the
particles of spoken German). Verbs and nouns with a meaning of their own stay searchable, also frequent ones. Written
as they come out of `lexical`'s folding: lower case, `ss` for `ß`.
"""

from __future__ import annotations

from typing import Final

GERMAN: Final[frozenset[str]] = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
    dieser diese dieses diesen diesem dies jener jene jenes jenen jenem derselbe dieselbe dasselbe denselben
    desselben derselben derjenige diejenige dasjenige denjenigen solch solche solcher solches solchen solchem
    ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich man einander selbst selber
    mein meine meinen meinem meiner meines dein deine deinen deinem deiner deines sein seine seinen seinem seiner
    seines ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres unsrer euer eure euren eurem
    eurer eures jemand niemand etwas nichts alles alle allen allem aller jeder jede jedes jeden jedem
    beide beiden beides einige einigen einiger einiges manche manchen mancher manches mehrere mehreren viel viele
    vielen vieler vieles wenig wenige wenigen mehr meist
    wer wen wem wessen was wie wo wann warum wieso weshalb woran worin worauf woraus wodurch wofür wogegen womit
    wonach worüber worum wovon wovor wozu woher wohin welch welche welcher welches welchen welchem wieviel wieviele
    in im ins an am ans auf aufs aus bei beim bis durch für fürs gegen hinter mit nach neben ohne seit trotz über
    übers um unter unters von vom vor vors während wegen zu zum zur zwischen innerhalb ausserhalb gemäss laut ab
    je pro per samt statt anstatt bezüglich hinsichtlich
    und oder aber denn sondern sowie sowohl weder noch entweder als ob weil da damit dass obwohl obgleich falls wenn
    indem nachdem bevor ehe sobald solange sofern soweit während wobei doch jedoch dennoch trotzdem also daher darum
    deshalb deswegen somit folglich ausserdem zudem hingegen dagegen allerdings zwar nämlich
    bin bist ist sind seid war warst waren wart sei seien seist wäre wären wärst gewesen
    habe hast hat haben habt hatte hattest hatten hattet hätte hätten gehabt
    werde wirst wird werden werdet wurde wurdest wurden würde würden geworden worden
    kann kannst können könnt konnte konnten könnte könnten muss musst müssen müsst musste mussten müsste müssten
    soll sollst sollen sollt sollte sollten will willst wollen wollt wollte wollten
    darf darfst dürfen dürft durfte durften dürfte dürften mag magst mögen mögt mochte mochten möchte möchten
    nicht nur auch schon noch sehr so dann da dort hier hin her nun jetzt immer nie oft mal eben gerade etwa ja nein
    bereits bitte eher fast ganz ganze ganzen genau irgend irgendwie irgendwo kaum meistens sonst sogar vielleicht
    wieder wohl ziemlich zuerst überhaupt eigentlich einfach halt dabei dadurch dafür daran darauf daraus darin
    darüber darunter davon davor dazu danach daneben dahin daher hierzu hierbei hiermit hierfür hierin
    bzw ca etc usw zb dh ua evtl ggf sog vgl
    """.split()
)

# English words that are also German content ("not", "mine", "all", "her", "war", "die") are left out on purpose.
ENGLISH: Final[frozenset[str]] = frozenset(
    """
    the a an of and or to is are was were be been being by for from with at on in into it its this that these those
    there which who whom whose what when where why how do does did done has have had having he she they them their
    we our you your i me my can could should would shall might must if than then as but because about after before
    between during through over under out up down off such only own same so too very some any each few more most other
    no nor did
    """.split()
)
