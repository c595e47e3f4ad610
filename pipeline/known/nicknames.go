package known

import "strings"

// nicknames gives for each first name the other forms of it that people are called by. Both ways: who is Kate in
// the letter may be Katherine in the record, and the other way round.
var nicknames = func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(nicknameTable) {
		names := strings.Fields(line)
		for i, a := range names {
			for j, b := range names {
				if i != j {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}()

// nicknameTable holds one family of first names a line, folded.
const nicknameTable = `katharina kathi kathrin katrin kaethe kaete kati katja trina kathy
katherine catherine kathryn kate katie kathy cathy kitty kat kay kathleen
elisabeth elise else elli lisa liesl lisl sissi sisi betti lisbeth elsbeth liesel
elizabeth liz lizzie beth betty eliza libby betsy bess lizzy
margarete margarethe margareta gretel grete gretl margit rita greta marga meta
margaret maggie meg peggy marge margie madge daisy greta
johanna hanna hanni hannah jo
johannes hans hannes hansi jo joh
joseph josef sepp pepi joe joey beppo jupp seppl
josefine josephine josefa pepi fini josie jo
franz franzl francis frank franky
franziska franzi fanny zissy fanni
friedrich fritz friedel frieder fiete
friederike rike fritzi frieda rieke
wilhelm willi willy helm wim
wilhelmine minna mina helma minchen
heinrich heinz heini heiner hinnerk
hinrich hinnerk hein
karl karli charly carl kalle
karlheinz karl heinz kalle
georg schorsch jirgl jo joerg
michael michi michl mike mick mickey
matthias matze mathias hias
sebastian basti wastl bastian seb
maximilian max maxi
alexander alex sascha xander sandy
alexandra alex sandra sandy alexa
andreas andi anderl andy
andrea andi
anton toni tony
antonia toni
bernhard bernd berni
barbara babsi baerbel barbla babs barb
bernadette berni
brigitte gitte gitti birgit
christian chris christl
christina christine tina chris christl stine chrissy christy
christopher chris kit topher
christoph chris stoffel
daniel dani danny dan
daniela dani
dorothea doris dora thea doro dorle
dorothy dot dottie dolly
eduard edi edd
edward ed eddie ted ned teddy
ernst erni
eva evi evchen
ferdinand ferdi ferdl
florian flo flori
gabriele gabi gaby gabriela
gerhard gerd gert geri
gertrud gertraud traudl trude gerti traude traudel
gottfried goetz friedl
guenter guenther
helene leni lena hella helen lene
helena lena leni
hermann hermi manni
hildegard hilde hilda hilla
jakob jockel jackl jake
james jim jimmy jamie jem
jennifer jenny jen jenni
jessica jess jessie
john johnny jack jon
jonathan jon jonny
juergen jogi
julia jule julie
julian jul
kurt kurti
leonhard leo hartl lenz
ludwig lutz wiggerl luis
magdalena leni lena magda madl
manfred manni fredi
marianne janni nanni
maria mia mitzi marie mizzi ria mareike
martin maddin
martina tina
monika moni
nikolaus klaus niko niklas nick
nicholas nick nicky nico
patricia pat patty tricia trish patsy
patrick pat paddy
peter pete
philipp phil
philip phil pip
rainer reiner
robert rob bob bobby robbie bert
richard rick dick ricky rich
rosa roserl rosi
rosemarie rosi romy
roswitha rosi
rudolf rudi rolf
samuel sam sammy
samantha sam sammy
sigrid siggi
siegfried sigi siggi
sophia sophie fia
stefan steffen steff
stefanie steffi
stephanie steph steffi
stephen steve stevie
steven steve stevie
susanne susi sanne
susan sue susie suzie
susanna susi sanna
theresa resi tessa tess terry therese theresia
theodor theo
theodore ted teddy theo
thomas tom tommy thom
timothy tim timmy
tobias tobi
ulrich uli
ulrike uli ulli
ursula uschi ulla ursel
veronika vroni vera
victoria vicky tori
viktoria vicky vicki
vincent vinny vince
walter walt wally
walburga burgi wally
waltraud traudl waltraut
wolfgang wolfi wolf
xaver xaverl
abigail abby gail
albert al bert bertie
alfred alf fred fredi
allison ali
amanda mandy
anthony tony
arthur art artie
benjamin ben benny benji
bradley brad
cassandra cass cassie sandra
charles charlie chuck chas
charlotte lotte charly lottie
clifford cliff
cynthia cindy
deborah deb debbie debra
dennis denny
donald don donnie
douglas doug
edmund ed ned
eleanor ellie nell nora
emily em emmy
eugene gene
frances fran fanny
frederick fred freddie
gerald gerry jerry
gregory greg
harold harry hal
harriet hattie
henry hank harry
jacob jake
jacqueline jackie
janet jan
jeffrey jeff
jeremy jerry
joshua josh
judith judy jude
kenneth ken kenny
kimberly kim
lawrence larry
leonard len lenny leo
matthew matt
melissa mel missy
nancy nan
nathaniel nate nat
nathan nate
pamela pam
penelope penny
raymond ray
rebecca becky becca
ronald ron ronnie
russell russ
sandra sandy
sarah sally sadie
stanley stan
terence terry
valerie val
vanessa nessa
virginia ginny
william bill billy will willie liam
winifred winnie
zachary zach zack
mehmet memo
mustafa musti
mohammed mohamed muhammad mohammad mehmet
aleksandra ola
agnieszka aga
malgorzata gosia
katarzyna kasia
`
