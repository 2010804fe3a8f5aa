"""Given names common in German texts, own list: what tells a person's name from other pairs of capitalised words.

Names that are also everyday German words (Ernst, Rose, Mark …) stand in `AMBIGUOUS`: they count only beside other
signs of a person. Spelling as written, lower case.
"""

from __future__ import annotations

from typing import Final

from rag_assets.knowledge.words import words

FEMALE: Final = words("""
    ada adele adelheid agatha agnes aisha aiyana albertine alena alessandra alexa alexandra alice alicia alina aline
    alma amalia amalie amanda amelie amina anastasia andrea anette angela angelica angelika angelina anita anja anke
    anna annabel annalena anne annegret annekatrin annelie anneliese annelore annemarie annett annette anni annie
    annika antje antoinette antonia antonie aretha ariane arzu asta astrid astrud audrey augusta auguste aurelia ayse
    ayşe babette barbara beata beate beatrice beatrix bella benita berenike berit bernadette berta bertha bettina betty
    bianca bianka birgit birgitta birte birthe brenda brigitta brigitte brita britt britta bruna brunhilde camilla
    carina carla carmen carola carolin carolina caroline cassandra catharina catherine cathrin cecilia celina celine
    chantal charlotte chiara christa christel christiana christiane christin christina christine cilli clara clarissa
    claudia clementine cleo conny constanze cora cordula corinna cornelia cosima dagmar daniela daphne deborah delia
    denise desiree diana dietlinde dilek dina dominique dora dorit doris dorothea dorothee dorothy edda edeltraud edith
    ekaterina elena eleonora eleonore elfi elfriede elif elisa elisabeth elise elizabeth elke ella ellen elli elma elsa
    elsbeth else elvira emilia emilie emily emma emmi emmy erica erika erna esther ethel eugenie eva evelin eveline
    evelyn fabienne fatima fatma felicitas fiona flora florence franca francesca frances franka franziska frauke frida
    frieda friedel friederike fritzi gabi gabriela gabriele gaby gerda gerlinde germaine gerti gertraud gertrud
    gertrude gesa gesine gisela gitta giulia gloria grace greta gretchen grete grit gudrun gunda gundula hanka hanna
    hannah hanne hannelore harriet hatice hedda hedwig heide heidemarie heidi heidrun heike helen helena helene helga
    hella hendrike henriette henrike herma hermine herta hertha hilde hildegard hillary hiltrud hilda ida ilka ilona
    ilse imke ina inga inge ingeborg ingelore ingrid ines inka insa insoo iris irina irene irma irmela irmgard
    irmtraud isa isabel isabell isabella isabelle isolde iva ivana ivonne jacqueline jana jane janet janina janine
    jasmin jeanette jeanne jennifer jenny jessica jill joan joana joanna johanna jolanda josefa josefine josephine
    judith julia juliana juliane julie juliette jutta kaja karen karin karina karla karola karolin karoline katalin
    katarina kate katharina kathleen kathrin kathy katja katrin kerstin kira kirsten klara klaudia konstanze kordula
    korinna kornelia kristin kristina kristine lara larissa laura lea leila lena leni lenka leona leonie leonore leyla
    lia liane lieselotte lieslotte lilian liliane lilli lilly lina linda lioba lisa lisbeth liselotte lore lotte louisa
    louise lucia lucie lucy ludmilla luisa luise luna lydia madeleine magda magdalena maike maja malin mandy manja
    manuela mara mareike maren margaret margareta margarete margaretha margarethe margit margot margret margrit maria
    mariana marianne marie marika marina marion marisa marit marlen marlene marlies marta martha martina mary marylin
    maryam mathilde maud maya mechthild mechtild melanie melina melissa melitta mercedes meredith merle meryem mia
    michaela michelle milena mina mira miriam mirjam moira molly mona monika nadia nadine nadja nancy nannette naomi
    natalia natalie natascha nele nelly nicola nicole nina nora norma odette olga olivia ottilie pamela patricia paula
    paulina pauline petra philippa phyllis pia ragna rahel ramona rahime raphaela rebecca rebekka regina regine regula
    reinhild renata renate ria ricarda rita roberta romy ronja rosa rosalie rosalinde rosemarie rosi roswitha roxana
    ruth sabine sabrina sahra samira sandra sandy sanna sara sarah saskia selina selma senta sevim sharon sibylle
    sieglinde siegrid sigrid sigrun silja silke silvana silvia simone sina sissi solveig sofia sofie sonja sophia
    sophie stefanie steffi stella stephanie susan susana susann susanna susanne svenja svetlana swantje sybille sylvia
    sylvie tabea tamara tanja tatjana teresa terese thekla theodora theres theresa therese theresia thea tilda tina
    trude trudi ulla ulrike ursel ursula uschi uta ute valentina valerie vanessa vera verena veronika veronique
    victoria viktoria viola virginia viviane waltraud wanda wencke wiebke wilhelmine wilma xenia yasemin yasmin yvette
    yvonne zeynep zoe zora
    """)

MALE: Final = words("""
    aaron abdul abraham achim achmed adalbert adam adelbert adolf adrian ahmed ahmet alain alan albert albrecht
    alejandro aleksander aleksandr alessandro alex alexander alexei alexej alf alfons alfred ali alois aloys alwin
    ambros amir anatol anders andi andre andreas andrej andrew andré andy angus anselm anthony antoine anton antonin
    antonio archibald ari aribert armin arnd arndt arne arno arnold arthur artur arvid august augustin augustus axel
    baptist barack bart bartholomäus bastian bela ben benedict benedikt benjamin benno benny berend bernard bernd
    berndt bernhard bert berthold bertold bertolt bertram bertrand bill billy birger björn bob bodo boris boto brian bruce
    bruno burkhard burkhart burrhus calvin carl carlo carlos carsten casimir cay cem cesar charles charlie chris
    christer christian christof christoph christopher claas clas claude claus clemens clint collin conrad constantin
    cornelius curt cyril daniel danny dave david denis dennis derek derk detlef detlev diego diether dietmar dietrich
    dieter dimitri dino dirk domenico dominic dominik don donald douglas duke eberhard eckart eckehard eckhard
    eckhardt eddie eddy edgar edmond edmund eduard edward edwin egbert egon ehrenfried elias elmar elvis emanuel emil
    emile emmanuel engelbert enno enrico enrique eric erich erik ernesto erwin eugen ewald fabian faruk federico
    felipe felix ferdinand fernando filip finn florian francesco francis francisco franco francois françois frank
    franz fred freddy frederic frederick frederik friedemann frieder friedhelm friedrich friedrichs fritjof fritz
    gabriel gaston gebhard geert georg george georges georgi gerald gerard gerd gereon gerhard gerhart gernot gerold
    gerrit gert gianni giacomo gideon gilbert giorgio giovanni giuseppe gregor gregory götz gottfried gotthold gottlieb
    guido guillaume guillermo gustav gustave günter günther gunnar gunter gunther hannes hanno hans hansjörg hanspeter
    harald hark harold harry hartmut hartwig hasan hassan hauke hector heiko heiner heini heino heinrich heinz helge
    helmut helmuth hendrik henk henning henri henrik henry herbert heribert hermann herman hieronymus hilmar hinrich
    holger horst howard hubert hubertus hugo humberto humphrey hussein ian ibrahim ignatius ignaz igor ilja immanuel
    imre ingmar ingo ingolf isaac ismail ivan ivar ivo iwan jack jacob jacques jaime jakob james jan jannik jannis jann
    janos janosch jaroslav jason jasper javier jean jeff jeffrey jens jeremias jeremy jerome jerry jesse jim jimmy
    joachim jochem jochen joe joel johan johann johannes john johnny jon jonas jonathan jordi jorge josef joseph
    joshua josua josé jose juan julian julien julius justin justus jörg jörn jürg jürgen kaspar karl karlheinz karsten
    kasimir kemal ken kenneth kevin kilian klaas klaus klemens knud knut konrad konstantin korbinian kristian
    kristof krzysztof kurt lars larry laurent laurenz laurin lawrence leander lennart leo leon leonard leonardo
    leonhard leopold levin lew lewis linus lorenz lorenzo lothar louis luca lucas lucian luciano lucien ludger ludwig
    lui luigi luis luke lukas lutz magnus maik manfred manuel marc marcel marcello marco marcus marek mario marius
    marko markus marlon marshall martin marvin massimo mathias mathieu mathis matthew matthias matthäus matti maurice
    mauricio maurizio max maxim maximilian mehmet meinhard melchior merlin michael michail michel miguel mihail mike
    mikael milan milton miro miroslav moritz morris mohamed mohammed moses muhammad mustafa neil nelson niccolo
    nicholas nick nicolas nicolaus niels niklas niko nikolai nikolaus nikolas nils noah noam noel norbert norman olaf
    olav ole oleg oliver olivier omar orlando oscar oskar osman oswald otmar ottfried ottmar otto ottokar pablo paolo
    pascal patrick paul pawel pedro per percy peter phil philip philipp philippe pier pierre pieter pietro pjotr
    quentin quirin raimund rainer ralf ralph ramon raoul raphael rasmus raul ray raymond reiner reinhard reinhart
    reinhold reiner reinier rené rene ricardo riccardo richard rick rob robert roberto robin rodolfo roger roland rolf
    roman romeo ron ronald ronny rouven rudi rudolf rudolph rufus ruben rupert rupprecht rüdiger salvador salvatore
    sam sami samuel sascha scott sean sebastian selim semjon sepp serge sergej sergei sergio siegbert siegfried
    siegmar siegmund sigmund silvester silvio simon sixtus stanislaus stanislav stanley stefan steffen sten stephan
    stephen steve steven stuart sven söhnke sönke söhren sören tarek ted thaddäus theo theodor theodore theophil thilo
    thomas thorben thorsten thorvald tibor till tilman tillmann tim timo timothy timm tito tobias toby tom tommy toni
    tony torben torsten traugott tristan udo ueli ulf uli ullrich ulrich umberto urs utz uwe valentin valerio veit
    victor viktor vincent vincenzo vinzenz vitus vittorio vladimir volker volkmar walter walther wayne wenzel werner
    wieland wilfried wilhelm willem willi william willibald willy winfried winston wladimir wolf wolfgang wolfhard
    wolfram woody xaver yannick yves yusuf zacharias
    waldemar gilles mihaly mihály irvin irving bernardo manolo pepe hiroshi kenji akira lev jürg ezechiel erving volkbert
    egino eckart burkard gerolf ruprecht sigurd theobald wendelin ansgar arvid bronislaw zygmunt michał piotr andrzej
    anatole claus-peter marcelo rodrigo gonzalo ramón josé jesús ignacio emmanuel rajesh sanjay arjun deepak ravi hideo
    haruki kazuo yoko jean-luc jean-paul maria-luise
    """)

AMBIGUOUS: Final = words("""
    amber ernst rose mark lieb frank franka wolf kai iris viola flora stella till felicitas august merle christian
    summer hope rosa grace ray art may heide erika melissa roman dominik robin marine will bill moritz adam eva
    """)

UNISEX: Final = frozenset({"andrea", "dominique", "kim", "robin", "sascha", "toni", "chris", "alex", "uli", "conny"})

ALL: Final = FEMALE | MALE | AMBIGUOUS | UNISEX
