"""Common given names of many languages, folded to lower case without accents."""

from importlib import resources
from typing import Final

_EUROPE_WEST: Final = """
jorn joern falk henning hendrik hartmut hartwig heiko heiner hinrich ingo ingolf jochen joachim kurt
lothar ludwig malte meinhard nico niko ole pascal raimund rainer robin ruediger rudiger silvio stephan
theodor theo thilo tilo tino udo ulli veit wilfried wilhelm winfried wolf yannick alfons alois anton armin
arndt bastian benno berthold bjoern burkhard carsten karsten christiane isabelle katharina lilli janine
stefanie raphael vivian jacqueline eyleen eileen dennis pia romy adrian albert vanessa jasmin jessica kim
larissa lara leonie lina linda lydia marina mareike margret margot mathilde merle nadja natascha olga
paula ramona rebekka ricarda saskia silja tabea tamara tatjana ulrika viktoria vivien wiebke wilma anett
annegret anneke antonie ariane bianca birte bruni christel corinna dörte doerte eleonore elfriede emilia
emily felicitas fiona frauke frieda gesa gudrun hedwig heidrun helene henriette imke inka isabell ivonne
jennifer josefine kai kaja klara lieselotte lotte mandy marianne marita marlies nele patricia rosemarie
sina swantje thea trude tara hector james john robert michael william david richard joseph thomas charles
christopher daniel matthew anthony mark donald steven paul andrew joshua kenneth kevin brian george
timothy ronald edward jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott
brandon benjamin samuel gregory alexander frank patrick raymond jack jerry tyler aaron jose adam nathan
henry zachary douglas peter kyle noah ethan jeremy walter christian keith roger terry austin sean gerald
carl harold dylan arthur lawrence jordan jesse bryan billy bruce gabriel joe logan alan juan willie elijah
wayne randy vincent mason roy ralph bobby russell bradley philip eugene trevor roman lucas brent graham
ian neil stuart simon nigel colin craig derek duncan fraser hamish hugh keiran kieran liam owen rhys
gareth geoffrey glen gordon howard ivan jamie jim tom tim ben bob dan dave ed fred greg jeff ken matt mike
nick pat pete phil ray rob ron sam steve ted tony will andy chris alex max leo oliver harry charlie
freddie alfie toby ollie barry clive desmond ernest gavin leonard malcolm maurice norman reginald mary
elizabeth barbara susan sarah karen lisa nancy betty sandra margaret ashley kimberly donna michelle carol
amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela shirley emma
brenda pamela nicole anna samantha katherine christine debra rachel carolyn janet maria catherine heather
diane olivia julie joyce victoria ruth virginia lauren kelly christina joan evelyn judith andrea hannah
megan cheryl martha madison teresa gloria sara janice ann kathryn abigail sophia frances jean alice judy
isabella julia grace amber denise danielle marilyn beverly charlotte natalie theresa diana brittany doris
kayla alexis lori marie jane lucy kate claire gillian hazel helen holly jill joanne kerry kirsty leanne
lesley louise lynn natasha nicola pauline philippa rosemary sally sheila sylvia tina tracy wendy zoe zoey
beth becky ellie molly chloe ella freya imogen jade georgia harriet poppy armando allison felicia isabel
karla shelley sandy carolina julian adele agnes bridget celeste daphne esme faye gwen ivy june hans klaus
jurgen wolfgang dieter manfred uwe gunter gunther horst helmut heinz gerhard bernd ralf dirk andreas
stefan matthias markus martin torsten thorsten sven jorg joerg jens lars olaf holger detlef volker norbert
werner karl heinrich friedrich fritz otto ernst erich rolf rudolf siegfried gunnar ulrich ulf axel harald
herbert hubert hermann georg josef franz johann johannes christoph christof philipp sebastian florian
tobias fabian dominik lukas leon finn jonas elias moritz jan niklas marcel marco mario patrik rene sascha
steffen timo till maximilian konstantin valentin clemens bernhard leopold gernot reinhard roland remo reto
urs beat jurg ruedi hansjorg arno andre engin oswald karina petra sabine monika claudia birgit susanne
martina gabriele angelika ute heike anja katrin kathrin silke simone tanja melanie daniela kerstin ulrike
ursula renate ingrid helga karin brigitte gisela elke cornelia bettina anke antje astrid beate britta
carmen carola dagmar edith elisabeth erika eva franziska friederike gerda gertrud hanna hannelore heidi
hildegard ilona ilse ines inge irene iris jana johanna juliane jutta katja kirsten lea lena luisa
magdalena manuela margit margarete maren marion marlene mechthild mia michaela miriam nadine nina nora
regina rita rosa roswitha sigrid silvia sonja sophie svenja ulla vera verena veronika waltraud yvonne
annika annette anneliese antonia esther pierre michel philippe alain bernard jacques nicolas christophe
francois laurent frederic stephane olivier thierry sebastien julien bruno gerard dominique serge didier
denis claude gilles yves marc xavier guillaume alexandre antoine maxime romain jerome fabrice franck
cedric damien mathieu matthieu arnaud aurelien benoit bertrand emmanuel etienne fabien florent gael
gilbert guy herve hugo joel lionel loic louis luc ludovic mickael quentin regis remi sylvain tristan yann
yoann nathalie sylvie martine francoise valerie sandrine veronique celine chantal anne monique aurelie
laurence annie emilie virginie corinne elodie christelle camille caroline florence laetitia audrey karine
amandine anais arlette aude beatrice benedicte bernadette carole cecile clemence colette coralie delphine
dorothee elise estelle evelyne fabienne fanny frederique gaelle genevieve ghislaine jeanne joelle josiane
juliette justine lucie magali manon margaux marine michele mireille morgane muriel myriam nadege noemie
odile odette pascale perrine sabrina severine solange sonia suzanne yvette
"""

_EUROPE_SOUTH: Final = """
jeremie jeremias leo noe enzo mathis nathan ethan gabin malo timeo ines lola lou lina jade zelie
antonio jose manuel francisco juan david javier daniel carlos jesus alejandro miguel rafael pedro pablo
angel sergio fernando jorge luis alberto alvaro adrian diego raul ivan ruben enrique oscar ramon vicente
andres joaquin santiago victor eduardo mario roberto jaime ignacio marcos salvador ricardo gabriel emilio
gonzalo hugo julio guillermo tomas agustin nicolas felix cesar cristian ismael samuel mariano domingo
alfonso gregorio lorenzo xavier aitor iker jon mikel unai unax asier gorka jordi marc pau oriol joan josep
arturo ernesto esteban fabian federico felipe gerardo gustavo hector horacio hernan leonardo marcelo
martin mauricio maximiliano patricio rodolfo rodrigo sebastian maria carmen ana isabel laura cristina
marta dolores lucia pilar elena sara paula raquel mercedes rosario beatriz teresa juana silvia julia
patricia irene montserrat andrea rocio monica rosa alba angela encarnacion alicia sonia sandra marina
susana yolanda natalia margarita eva inmaculada claudia esther noelia veronica angeles nuria victoria
carolina consuelo amparo lorena gloria catalina lidia fatima aurora celia ainhoa nerea leire amaia itziar
miren begona alejandra gabriela daniela valentina camila sofia fernanda ximena guadalupe leticia joao
paulo rui nuno tiago bruno vitor andre helder filipe goncalo duarte diogo marcio mateus lucas guilherme
renato rogerio thiago vinicius wagner wellington leandro luciano murilo otavio fabio flavio edson everton
caio abel joana catarina ines mariana carla rita filipa helena juliana adriana aline amanda bianca bruna
cristiane debora eliane fabiana giovanna jessica larissa luana luciana marcia michele priscila regina
renata roberta rosangela simone tatiana thais vanessa viviane giuseppe giovanni luigi francesco angelo
vincenzo pietro salvatore carlo franco domenico paolo giorgio aldo marco alessandro stefano davide luca
matteo massimo claudio enrico riccardo daniele maurizio mauro gianni giacomo filippo nicola gabriele
emanuele giancarlo gianluca gianfranco gianpaolo piero renzo rocco sandro silvio tommaso ugo umberto
valerio vito walter cristiano dario edoardo elio ettore eugenio fausto felice fulvio gino guido ivano anna
giuseppina carmela caterina francesca antonietta concetta margherita franca paola giulia chiara alessandra
federica elisa martina barbara patrizia sabrina stefania simona ilaria michela manuela arianna alice
beatrice camilla elisabetta emanuela emma erica gabriella giada ilenia isabella katia letizia lorenza
luisa maddalena miriam nadia noemi ornella raffaella rossella tiziana valeria viola virginia vittoria
giorgos georgios yannis ioannis nikos nikolaos dimitris dimitrios kostas konstantinos panagiotis vasilis
christos thanasis athanasios michalis stavros spyros manolis petros eleni katerina aikaterini vasiliki
georgia dimitra ioanna angeliki despina eirini γιωργος γεωργιος γιαννης ιωαννης νικος νικολαος δημητρης
κωστας κωνσταντινος μαρια ελενη κατερινα αννα ιωαννα mehmet mustafa ahmet ali huseyin hasan ibrahim ismail
osman yusuf murat omer ramazan emre burak can cem deniz erdem hakan kemal levent onur orhan serkan selim
sinan tolga ufuk volkan yilmaz fatma ayse emine hatice zeynep elif meryem merve busra esra derya ebru gul
gulsen hulya leyla nur ozge pinar selin sevgi sibel tugba yasemin
"""

_EUROPE_NORTH_EAST: Final = """
lars mikael anders johan erik per karl jan thomas daniel fredrik peter hans mats andreas stefan bengt bo
bjorn goran hakan jonas magnus mattias niklas nils olof ola patrik rickard roger stig sven tommy ulf
joakim johannes jorgen kjell lennart leif linus ludvig marcus martin michael oscar oskar pontus robert
sebastian simon svante tobias torbjorn viktor christer emil gustav gunnar henrik ingemar anna eva maria
karin kristina sara lena emma kerstin ingrid marie malin jenny annika birgitta elin hanna linda monica
susanne ulla asa camilla carina cecilia charlotta emelie elisabeth erika frida gunilla helena ida inger
jenna jessica johanna josefin julia katarina klara lina lisa louise madeleine margareta marianne matilda
mia mona moa nathalie pia sandra siv sofia sofie therese ulrika viktoria yvonne ole arne knut geir svein
tor odd rune trond terje oyvind morten kristian steinar stian espen eirik havard magne marius pal sindre
anne kari liv berit astrid bjorg grete gro hege heidi hilde ingeborg ingunn kirsten laila marit mette
randi ragnhild silje siri solveig tone trine turid unni vigdis wenche jens soren niels kim brian carsten
claus flemming finn frank henning ib jacob jesper kaj kasper keld kurt lasse mads mogens nikolaj palle
poul preben rasmus steen thorkild torben ulrik birthe bente bodil charlotte dorte dorthe ellen gitte hanne
helle jette jytte lise lone lotte merete pernille rikke signe tina tove vibeke juha timo matti antti mikko
jari pekka markku jukka petri janne marko mika sami tuomas ville heikki hannu ari arto eero esa harri
ilkka ismo jarmo jouni kimmo lauri olli osmo paavo pasi pertti raimo reijo risto sakari seppo tapani teemu
teppo tero toni vesa tuula paivi pirjo kaisa katja kirsi laura leena liisa maarit marja merja minna mirja
niina outi raija riitta ritva sari satu sirpa susanna taina tarja tiina tuija virpi piotr krzysztof
andrzej tomasz pawel michal marcin stanislaw jakub adam marek lukasz grzegorz mateusz wojciech mariusz
dariusz zbigniew jerzy maciej rafal kamil dawid szymon janusz kazimierz ryszard jacek bartosz bartlomiej
artur slawomir tadeusz henryk miroslaw przemyslaw damian wieslaw leszek norbert konrad karol hubert filip
blazej katarzyna malgorzata agnieszka barbara krystyna ewa elzbieta zofia teresa magdalena joanna monika
danuta aleksandra natalia karolina beata dorota jadwiga janina halina irena grazyna jolanta iwona marta
paulina patrycja sylwia justyna renata wieslawa ewelina kinga izabela jiri petr josef pavel tomas jaroslav
miroslav zdenek vaclav frantisek milan karel lukas david vladimir ondrej ladislav roman stanislav radek
radim antonin vojtech matej dominik ales lubos libor vlastimil bohumil dusan ivo zbynek jana hana lenka
katerina lucie vera alena petra veronika jaroslava tereza martina michaela jitka ludmila zdenka ivana
eliska zuzana marketa dana kristyna barbora pavla denisa sarka iveta nikola blanka jozef ivan juraj marian
igor rastislav laszlo istvan jozsef janos zoltan sandor gabor ferenc attila tamas gyorgy tibor andras
balazs zsolt csaba imre lajos miklos gergely balint mate bence krisztian richard roland szabolcs akos
arpad bela denes erno geza karoly marton erzsebet katalin ilona zsuzsanna margit judit agnes andrea
julianna krisztina edit gabriella szilvia aniko timea tunde orsolya eszter dora reka nora bernadett csilla
emese hajnalka ildiko noemi piroska ion andrei alexandru mihai george florin adrian gheorghe cristian
vasile constantin ioan nicolae gabriel ionut bogdan catalin claudiu cosmin costel dan doru dragos dumitru
eugen gelu horia iulian laurentiu liviu lucian octavian ovidiu petru radu razvan sorin traian tudor
valentin victor viorel vlad elena ioana andreea ana mihaela cristina daniela alina alexandra mariana
gabriela georgiana florentina loredana mirela nicoleta oana raluca ramona roxana simona violeta josip luka
ante ivica stjepan tomislav zeljko mladen dario davor dejan dragan milos nenad petar predrag sasa slobodan
srdjan zoran aleksandar branko bojan borut rok ziga primoz andrej gregor marija jelena jasmina lidija
ljiljana maja marina milica mirjana natasa nina sanja sladjana snezana suzana tanja tatjana vesna janis
andris juris edgars maris aivars valdis ilze inese kristine liga anita vytautas antanas mantas darius rasa
daiva jurgita toomas margus andres rein tiit urmas kristjan madis indrek priit tanel katrin kadri liina
merike piret georgi dimitar nikolay hristo todor vasil desislava gergana ivanka александр сергей андрей
алексей дмитрий иван владимир николай михаил евгений виктор юрий игорь олег павел максим роман денис антон
кирилл василий константин григорий борис артем анна елена ольга наталья татьяна ирина екатерина светлана
мария юлия оксана анастасия людмила галина валентина надежда вера любовь марина александра олександр
андрій сергій дмитро микола михайло володимир тарас богдан олена наталія ірина тетяна катерина юлія георги
димитър петър христо стефан десислава aleksandr alexei alexey andrey anton artem boris dmitri dmitry
evgeny kirill konstantin maxim mikhail nikita nikolai oleg sergei sergey yuri olga tatiana irina ekaterina
svetlana anastasia yulia oksana
"""

_BENELUX_WORLD: Final = """
jan johannes willem kees cornelis pieter peter henk hendrik piet gerrit gerard dirk jeroen marcel mark
martijn maarten michiel erik frank hans harry jaap jasper joost joop koen lars leo luuk niels paul remco
richard rick rob robert roel ron ruud sander sjoerd stefan thijs tim tom twan wim wouter bart bas bram
arjan arjen arie bert ben daan edwin ernst anneke annemarie annemieke anouk astrid carla corrie diana elly
els esther femke hanneke hilde ilse inge ingrid jolanda joke karin kim lies liesbeth linda lotte maaike
margriet marieke marijke marjan marleen mirjam monique nienke petra renske ria saskia sandra sanne simone
suzanne tineke trudy wendy wilma yvonne geert luc koenraad filip mohamed mohammed muhammad ahmed ali omar
hassan hussein ibrahim khalid mahmoud mustafa youssef abdullah abdul rachid karim said samir tarek walid
yasin amine bilal hamza anwar imran farhan faisal fatima aisha khadija maryam zainab leila nadia samira
amina hafsa noor salma yasmine rajesh amit sanjay rahul anil sunil vijay ravi suresh ramesh mahesh manoj
ashok arun ajay deepak rakesh vinod vikas vivek sandeep pradeep prakash mukesh naveen nitin pankaj pramod
raj rajendra rajiv rohit sachin satish shyam sushil arjun arvind bharat dinesh ganesh gopal harish hemant
jitendra kamal karan kiran krishna kumar lalit lokesh mohan narendra nilesh om pavan raghav santosh
shankar shiv siddharth srinivas subhash sudhir suraj tarun umesh venkatesh yogesh bikash bishal nabin
nirmal niranjan ashish bibek sabin dipak priya pooja neha anjali sunita anita kavita rekha seema shilpa
swati asha deepa divya geeta jyoti kavya lakshmi lata mamta manisha maya meena nisha pallavi poonam preeti
radha rashmi renu ritu sangeeta shanti shweta sneha sonal sushma usha vandana vidya gurpreet harpreet
jaspreet manpreet simran nguyen tran minh anh hung tuan dung hieu thanh linh huong lan mai thao trang wei
jing min jun li ming hua yan ping hong xin yong akira hiroshi kenji takashi satoshi kazuo yuki haruto
sakura yoko keiko john grace joseph mary samuel emmanuel daniel moses isaac joshua chidi emeka chinedu
ngozi chioma adaeze kwame kofi ama abena kwesi thabo sipho themba nomsa lindiwe johan kobus riaan francois
wanjiku kamau otieno achieng njoroge mwangi juma hamisi amani neema fatuma wambui mutua mamadou ousmane
abdoulaye ibrahima moussa cheikh aminata fatou awa mariama aissatou david moshe yosef avi yael noa tamar
shira eitan budi agus dewi siti sri wayan made ketut putu nur rina andi ahmad lourdes jonalyn rowena arnel
rodel ricardo somchai somsak siriporn
"""

# Less common names of the world, in Latin, Cyrillic and Greek letters, one after the other.
_OTHERS: Final = (
    resources.files("scrapersky.extract.people").joinpath("data/given_names.txt").read_text("utf-8")
)

GIVEN_NAMES: Final = frozenset(
    f"{_EUROPE_WEST} {_EUROPE_SOUTH} {_EUROPE_NORTH_EAST} {_BENELUX_WORLD} {_OTHERS}".split()
)
