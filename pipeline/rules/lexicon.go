package rules

import (
	"strings"

	"fhirdeid/pipeline/phi/lists"
)

// class is a set of things that a word can be. A word may be several at once: "Weg" is a street and a plain noun.
type class uint64

const (
	honorific    class = 1 << iota // Herr, Mrs
	doctor                         // Dr, Prof, OA: a carer follows
	degree                         // med, dent: may stand between a title and the name
	staffRole                      // Schwester, surgeon: a carer follows or is labelled
	patient                        // Patient, Versicherte
	relative                       // Mutter, wife
	nameLabel                      // Name, Vorname, surname as labels of a form
	particle                       // von, de la
	generation                     // Jr, III
	credential                     // MD, RN: a carer stands before
	numberWord                     // Nr, number, ID: makes an id label of the word before
	idHead                         // MRN, Fallnummer: labels an id alone
	weakIDHead                     // Fall, claim, ref: labels an id if the value has the form of one
	phoneHead                      // Tel, mobile
	extHead                        // App, ext, pager: a short number follows
	faxHead                        // Fax
	streetHead                     // Weg, -straße
	streetHeadEN                   // Street, Ave
	streetPrefix                   // Am, An, Im, Zur
	unitWord                       // mg, mmHg
	ward                           // Station, Zimmer, ward
	hospital                       // Klinikum, -krankenhaus, Hospital
	department                     // Klinik, Institut, Abteilung: names a hospital only with more
	organization                   // GmbH-less heads: Apotheke, Schule, school
	legalForm                      // GmbH, Inc
	insurer                        // AOK, Barmer
	month                          // Januar, May
	ordinary                       // no name unless a title stands before it
	function                       // and, der, with: never part of a name
	closing                        // Grüßen, sincerely
	birth                          // geb, geboren, née
	country                        // Türkei, Kenya
	state                          // Bayern, Ohio
	vehicle                        // Pkw, Kennzeichen, plate
	jobHead                        // Beruf, occupation
	status                         // Rentner, retired
	device                         // SN, Seriennummer
	lot                            // Charge, lot: no PHI
	account                        // IBAN, Konto, acct
	study                          // Studie, protocol
	license                        // LANR, NPI
	healthplan                     // Versichertennummer, policy
	social                         // SVNR, SSN
	patientID                      // MRN, Fall
	placeLabel                     // wohnhaft, Adresse, lives at
	signature                      // gez, signed, dictated
	userLabel                      // Benutzer, login
	mailLabel                      // Von, An, From, To, cc
	house                          // general words in the names of hospitals: St, Memorial
	derived                        // the class comes from the ending alone
)

// words is the lexicon: folded words per class. It holds general words of the language and of the trade, no
// persons and no places smaller than a state.
var words = map[class]string{
	honorific: `herr herrn hr hrn frau fr frl fraeulein familie fam eheleute mr mrs ms miss mx mdm mister madame mme messrs
		señor señora sra signor signora`,
	doctor: `dr drs dres ddr prof professor professorin pd doz dozent oa oae ca cae aa aae fae ass prim primar primaria primarius
		priv lekt ltd stv doktor chefarzt chefaerztin oberarzt oberaerztin assistenzarzt assistenzaerztin aprof assoc`,
	degree: `med dent vet rer nat phil univ habil hc mult dipl psych ing jur medic pharm sc hum h c univ.prof mag msc bsc mba
		apl ao hon emer em aerztl paed phys soz sozpaed inf dgkp dgks aip mudr mgr pfr haji smt verw biol chem theol psychol`,
	staffRole: `schwester sr pfleger pflegerin krankenschwester krankenpfleger hebamme kollege kollegin kollegen kolleginnen koll
		operateur operateurin operateure op assistenz anaesthesist anaesthesistin anaesthesie anaesth instrumentation instrumenteur instrumentierend
		physiotherapeut physiotherapeutin ergotherapeut ergotherapeutin logopaedin logopaede logopaedie sozialarbeiter sozialarbeiterin
		psychologe psychologin psychotherapeut psychotherapeutin stationsarzt stationsaerztin hausarzt hausaerztin notarzt notaerztin
		facharzt fachaerztin famulant famulantin pj mfa ota ata mta mtra befunder befunderin untersucher untersucherin einsender
		zuweiser zuweiserin ueberweiser behandler behandlerin gutachter gutachterin direktor direktorin leiter leiterin leitung
		sekretariat sekretaerin schreibkraft nurse surgeon attending resident fellow physician pcp gp consultant registrar anesthesiologist
		anesthetist anaesthetist midwife therapist chaplain pharmacist pathologist radiologist cardiologist oncologist urologist
		neurologist nephrologist pulmonologist dermatologist gastroenterologist hematologist haematologist endocrinologist
		psychiatrist pediatrician paediatrician erzieherin erzieher beraterin berater hospitalist intensivist physio matron technician tech scribe dietitian dietician crna
		rn lpn cna anp counselor counsellor psychologist perfusionist interpreter transcriptionist reader provider
		clinician author autor verfasser dolmetscher dolmetscherin seelsorger seelsorgerin arzt aerztin pflege pflegekraft
		stationsleitung pdl study referring ref zuw visite dienstarzt aufnahmearzt betreuer betreuerin referent vorsitz protokoll
		typist typed prescriber outreach pfarrer richter richterin rechtsanwalt rechtsanwaeltin notar sekr prosector dissector assistant preceptor requester sitter hv np keyworker courier lpn mfa pj pdl zfa ota dgkp fellow internist internistin chirurg chirurgin urologe
		gynaekologe gynaekologin kinderarzt kinderaerztin augenarzt augenaerztin hautarzt hautaerztin zahnarzt zahnaerztin
		kardiologe kardiologin neurologe neurologin radiologe radiologin pathologe pathologin onkologe onkologin
		nephrologe pneumologe orthopaede orthopaedin psychiater psychiaterin betriebsarzt amtsarzt d-arzt`,
	patient: `patient patientin patienten pat pt patients versicherte versicherter versicherten proband probandin klaeger klaegerin
		client clients child infant baby kind insured claimant subject decedent deceased klient klientin bewohner bewohnerin
		explorand explorandin antragsteller antragstellerin verletzte verletzter betroffene betroffener tote toter verstorbene
		verstorbener consumer inmate mutter saeugling neugeborenes empfaenger empfaengerin spender spenderin kundin kunde name`,
	relative: `ehefrau ehemann ehegatte ehegattin ehegatten gattin gatte gatten mann sohn soehne sohnes tochter toechter vater vaters mutter mutters
		eltern bruder brueder schwester schwestern geschwister oma opa grossmutter grossvater enkel enkelin enkelkind onkel tante neffe nichte
		cousin cousins cousine kusine schwager schwaegerin schwiegertochter schwiegersohn schwiegermutter schwiegervater partner partnerin
		lebensgefaehrte lebensgefaehrtin lebenspartner lebenspartnerin lebensgefaehrten freund freundin freunde nachbar nachbarin nachbarn
		verlobte verlobter witwe zwillingsschwester zwillingsbruder stiefvater stiefmutter stiefsohn stieftochter stiefbruder
		halbbruder halbschwester pflegemutter pflegevater kindsmutter kindsvater kindesvater kindesmutter km kv papa mama mami papi
		angehoerige angehoeriger lehrerin lehrer mitschueler mitschuelerin zimmernachbar zimmernachbarin bettnachbar bettnachbarin
		begleitperson bezugsperson vormund grosseltern bruders enkelkindern ehefr ehepaar soehnen toechtern beifahrer beifahrerin grosstante grossonkel nenntante ziehmutter urenkel urenkelin patentante kinder zwillinge
		wife husband spouse son sons daughter daughters dtr dau mother mom mum father dad brother brothers sister sisters sis bro
		grandmother grandfather grandma grandpa granddaughter grandson granddtr grandchild uncle aunt auntie nephew niece cousin
		fiance fiancee boyfriend girlfriend roommate housemate neighbor neighbour neighbors friend friends guardian stepfather stepmother
		stepson stepdaughter stepdad stepmom husb hubby nok hcp poa dpoa caregiver carer twin siblings sibling parents
		pal stepfather supervisor landlord employer teacher pastor rabbi imam coworker colleague son-in-law nan nana gran granny`,
	nameLabel: `name nachname vorname familienname zuname rufname geburtsname maedchenname surname forename firstname lastname given
		vornamen namen names`,
	particle: `v von van vom zu zum zur der den de del della di da dos das du la le el al bin binti ibn ben abu ter ten te op o mac mc st
		af av und-zu d y e freiherr freifrau graf graefin frhr ap ab nic ni san santa bint dela delos los las ul abd`,
	generation: `jr sr jun sen ii iii iv junior senior`,
	credential: `md mbbs mbchb mbbch do rn bsn msn np fnp fnp-c pac dnp aprn arnp lpn lvn cnm crna phd pharmd psyd lcsw lmsw licsw msw
		dpt otr ccc slp rd rdn facp facs frcs frcp frcpc mrcp mrcs frcpath frcr frcog mrcgp fracp franzcp franzcog facc rph dds dmd dc od dpm mph emt
		emtp cphq mrcpsych frca facem fanzca fracs st3 st4 st5 st6 st7 cns rgn rmn hca cma rrt csfa cst rnfa ccrn
		lpc lmft lcpc ccls cgc macp csci pt ot sw bsc bs ms ma pa esq jd rt cnp`,
	numberWord: `nr nro nrn no num number nummer nummern numbers id ids zahl zeichen kennung kennz code ref nos`,
	idHead: `mrn mrns krbl aktenz pid patid patnr patientid fallnr fallnummer fallzahl aufnahmezahl aufnahmenummer aufnahmenr aufnnr patientennummer
		patientennr patientenid fid fin csn uhid chi nhi nhs umrn urn hrn crn cpi hcn acc accession acct ssn sozialversicherungsnummer svnr vsnr
		svn ahv npi dea lanr bsnr kvnr vnr zsr gln gmc nmc ahpra hcpc upin clia aktenzeichen az gz zl geschaeftszeichen jnr
		kassenzeichen vorgangsnummer auftragsnummer rechnungsnummer mbi hic hicn nric cnic aadhaar ppsn pps nino ahvn sn iban imc ihi irn dva
		barcode vin fallkn patientennr laborauftrag kundennr probennr journalnr e-nr eingangsnr histonr spec specimen encounter eudract
		nct pan passport reisepass personalausweis abn medicare medicaid mmc hpi cpso mdcn mcnz wbmc cpsns phn hcc badge collar geraetenr member mitgliedsnr versicherungsnr vers versnr versichertennr
		versichertennummer ik bnr nmbi hpcsa vpnr nhia msi ohip ramq ur irb escription order rx case claim policy kartei kontonr konto kto kundennummer buchungsnummer belegnummer`,
	weakIDHead: `fall pat patient patienten aufnahme aufn akte ref referenz reference auftrag befund histo histologie patho pathologie zyto zytologie labor
		probe einsendung eingang eing rechnung rg beleg vorgang bewilligung ticket job doc document report file order req request
		requisition lab path cyto cytology specimen accession chart record unit account acct claim case policy police group grp member
		auth authorization bill invoice check encounter visit enc episode study subject studie proband serial s/n lic licence license
		registration reg provider kit bag crime log badge collar conf confirmation docket parcel tracking bogen dossier
		urkundenrolle protokoll meldung konsil karte ausweis medical hosp hospital number code buchung vertrag kunde mitglied kasse
		versicherung sv kv kk stationaer krankenblatt geburtenbuch op bericht dokument fallkonto spende konserve ek tk transport
		einsatz sendung inventar inv geraet implantat katheter beschluss zeichen hospital slide block accn mr permit docket
		eeg ecg emg ct mri xr rn film cd dvd wound research trial protocol id pass`,
	phoneHead: `tel telefon telephon telefonnummer telefonnr telnr fon phone phones ph telephone mobil mobile mobiltelefon handy handynummer natel cell
		cellphone hotline ruf rufnummer whatsapp festnetz tlf hp mob notfallnummer bereitschaft rueckruf call callback
		telefonisch rueckfragen voicemail landline helpline rufnr telefonnr telnummer mobilnr`,
	extHead: `app apparat apparatnr durchwahl dw klappe kl dect sucher piepser pieper piep funk funkruf haustelefon nst nebenstelle pager beeper bleep ext extn
		extension haus-tel pgr haustel hausruf intern page paged txt dial`,
	faxHead: `fax telefax faxnr faxnummer telecopier facsimile`,
	streetHead: `strasse strabe str weg gasse platz allee ring ufer damm chaussee steig pfad promenade markt graben wall steig stieg hof park
		berg anger winkel zeile twiete stiege kai steg brink kamp esplanade via rue chemin avenue piazza corso bahnhofstr`,
	streetHeadEN: `street st str road rd avenue ave av boulevard blvd lane ln drive dr court ct place pl terrace ter tce circle cir parkway pkwy
		highway hwy way close crescent cres mews row walk square sq grove gardens gdns rise hill green loop trail trl pike turnpike
		route wynd brae alley plaza quay parade pde wharf view esplanade common expressway freeway run pass path bend cove ridge cottages
		rylaan straat laan terr approach trace spur crossing ridge`,
	streetPrefix: `am an im in auf zum zur unter vor hinter bei beim unterm obere untere ob`,
	unitWord: `mg g kg ug mcg ng pg ml l dl cl mmol mol nmol pmol umol mmhg cm mm m km kpa bpm hz khz mhz kcal kj ie iu u meq mosm fl gy mgy cgy
		mv v w mw ma min std stunden h hrs hours sec s ms tage tagen days d wochen weeks wks monate monaten months jahre jahren years yrs yr j
		prozent percent x mal times uhr am pm euro eur usd chf fr pack py points punkte tbl tabl tabletten tablets caps kaps amp ampullen
		tropfen gtt gtts hub sp vol ppm cells zellen bar mbar ch french cc nl fl pmol lpm stk stueck dpt diopters db mrem usv msv a.m p.m`,
	ward: `station stat ward zimmer zi bett room rm bed bay saal unit pod cubicle kabine wohnbereich wb cot`,
	hospital: `klinikum krankenhaus kh lkh spital hospital klinik clinic kliniken universitaetsklinikum universitaetsklinik uniklinik uniklinikum
		universitaetsmedizin universitaetsspital kantonsspital landesklinikum landeskrankenhaus kreiskrankenhaus kreisklinik bezirkskrankenhaus
		bezirksklinikum stadtspital sanatorium rehaklinik reha-klinik fachklinik fachkrankenhaus marienhospital charite mvz ukh uksh poliklinik hospiz
		infirmary hosp sanitarium hospice praxisklinik tagesklinik privatklinik frauenklinik kinderklinik kinderspital augenklinik
		hautklinik herzzentrum praxis arztpraxis hausarztpraxis gemeinschaftspraxis praxisgemeinschaft facharztpraxis ordination surgery ysbyty
		regionalspital klinikverbund krankenanstalt spitalzentrum lungenklinik rheumaklinik bundeswehrkrankenhaus vamc`,
	department: `institut institute department dept abteilung abt ambulanz zentrum center centre notaufnahme zna klinik universitaet
		university department division service tagesstaette pflegeheim seniorenheim altenheim altersheim seniorenresidenz heim pflegezentrum
		stiftung foundation`,
	organization: `apotheke pharmacy schule school grundschule gymnasium realschule hauptschule kita kindergarten college university universitaet academy
		bank sparkasse versicherung krankenkasse kasse insurance sanitaetshaus labor laboratory laboratories labs firma fa verein
		jugendamt sozialamt amtsgericht sozialgericht landgericht elementary pflegedienst sozialstation spitex caritas diakonie
		rettungsdienst feuerwehr polizei rotes church parish`,
	legalForm: `gmbh ag kg ohg gbr mbh ev inc ltd llc llp corp plc se kgaa sarl co incorporated limited corporation pty`,
	insurer: `aok barmer dak tk techniker ikk bkk kkh hek hkk sbk knappschaft debeka allianz axa signal huk continentale oegk svs bvaeb
		kfa helsana css swica sanitas concordia visana sympany assura kpt egk atupri aetna cigna humana unitedhealthcare kaiser
		anthem bupa medibank vhi laya tricare molina geico suva viactiv bigdirektgesund gothaer hallesche barmenia pvs wgkk ooegkk`,
	month: `januar jaenner feber februar maerz april mai juni juli august september oktober november dezember january february march may june july
		october december jan feb mar apr jun jul aug sep sept okt oct nov dez dec mrz`,
	closing: `gruessen gruesse gruss sincerely regards truly yours faithfully hochachtungsvoll mfg cordially respectfully`,
	birth:   `geb geborene geborener geboren nee born maiden dob birthdate geburtsdatum gebdat maedchenname`,
	country: `deutschland oesterreich schweiz tuerkei polen italien spanien frankreich england niederlande belgien portugal griechenland kroatien serbien
		bosnien kosovo albanien rumaenien bulgarien ungarn tschechien slowakei slowenien ukraine russland kasachstan georgien armenien
		syrien irak iran afghanistan pakistan indien bangladesch china japan vietnam thailand marokko tunesien algerien libyen aegypten
		sudan eritrea aethiopien somalia nigeria ghana kenia kongo kamerun senegal togo brasilien argentinien chile peru kolumbien
		mexiko kuba kanada australien neuseeland norwegen schweden finnland daenemark irland schottland liechtenstein luxemburg nordmazedonien
		mazedonien montenegro libanon israel jordanien jemen sri-lanka philippinen indonesien malaysia singapur suedkorea usa guinea
		germany austria switzerland turkey poland italy spain france ireland scotland wales netherlands belgium greece
		croatia serbia bosnia romania bulgaria hungary ukraine russia syria iraq afghanistan india bangladesh morocco
		tunisia algeria libya egypt ethiopia kenya uganda tanzania congo cameroon brazil argentina colombia
		mexico cuba canada australia norway sweden finland denmark lebanon jordan yemen philippines indonesia malaysia singapore
		honduras guatemala nicaragua haiti jamaica ecuador bolivia venezuela samoa tonga fiji nepal burma myanmar laos cambodia kuwait uk`,
	state: `bayern hessen sachsen thueringen brandenburg saarland niedersachsen bremen hamburg burgenland kaernten steiermark tirol vorarlberg
		niederoesterreich oberoesterreich wallis tessin graubuenden aargau thurgau baselland nrw
		alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa kansas
		kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio
		oklahoma oregon pennsylvania tennessee texas utah vermont virginia wisconsin wyoming lincolnshire yorkshire lancashire
		cumbria norfolk suffolk essex kent sussex devon cornwall dorset somerset ontario quebec manitoba saskatchewan alberta
		queensland tasmania victoria`,
	vehicle: `pkw kfz lkw auto kennzeichen wagen fahrzeug motorrad traktor moped roller nef rtw wohnmobil transporter firmenwagen autokennzeichen
		plate plates license-plate reg registration truck van car vehicle lorry motorcycle ute tail pickup sedan aircraft kennz rego caddy kombi ambulanz rettungswagen rtw ktw taxi bus rad ebike krad bakkie lkw drives suv mini`,
	jobHead: `beruf berufe occupation occ job beruflich erwerb arbeit profession employment berufsanamnese taetigkeit occupational`,
	status: `rentner rentnerin fruehrentner fruehrentnerin berentet verrentet berentung arbeitslos arbeitsuchend arbeitssuchend pensionaer pensionaerin pensioniert pensionist
		pensionistin fruehpensioniert ruhestand vorruhestand elternzeit mutterschutz karenz erwerbslos erwerbsunfaehig berufsunfaehig dienstunfaehig
		arbeitsunfaehig hausfrau hausmann altersrente invalidenrente erwerbsminderungsrente em-rente erwerbsunfaehigkeitsrente krankgeschrieben
		ausgesteuert langzeitarbeitslos altersteilzeit kurzarbeit schueler schuelerin student studentin auszubildende auszubildender azubi selbstaendig
		selbststaendig freiberuflich buergergeld sozialhilfe krankenstand notstandshilfe teilzeit umschulung grundschueler grundschuelerin
		retired retd retiree unemployed pensioner homemaker housewife self-employed disabled ssdi veteran furloughed semiretired`,
	device: `sn ser serie passnr serials geraetenr seriennummer seriennr serialnummer serial geraetenummer geraetenr geraete-nr snr`,
	lot:    `charge chargennr chargennummer ch-b chb lot batch lotnr chargen`,
	account: `iban konto kto kontonummer kontonr bankverbindung bankverb acct account sparbuch rechnung rechnungsnummer rechnungsnr kundennummer kundennr invoice
		bill visa mastercard`,
	study: `studie study trial protocol protokoll studien-nr eudract nct registerstudie prüfplan ind subject proband studiennummer randomization irb`,
	license: `lanr bsnr npi dea zsr gln gmc nmc hcpc upin clia ik bnr lic licence license imc approbation cpso mdcn mcnz wbmc cpsns nebenbetriebsstaette
		betriebsstaette betriebsstaettennummer arztnummer arztnr lizenz provider ahpra mmc pin nrc nmbi hpcsa vpnr`,
	healthplan: `kvnr vnr versichertennummer versichertennr versnr versicherungsnr versicherungsnummer vers mitgliedsnr mitgliedsnummer mitglnr mitglied
		member policy police group grp medicare medicaid mbi hic hicn kv krankenkasse kasse kk ihi hcn subscriber gms kk-karte phn hcc dva
		versicherung krankenversicherung aok barmer dak tk ikk bkk plan hmo insurance ins nhia msi ohip ramq`,
	social: `ssn svnr vsnr ahv sozialversicherungsnummer svn rentenversicherungsnummer rvnr rv-nr nric cnic aadhaar ppsn pps nino sv steuer-id steueridentifikationsnummer
		steuernummer ahvn rvnummer`,
	patientID: `mrn pid patid patnr fallnr fallnummer fallzahl fall fallkn aufnahmezahl aufnahmenummer aufnahmenr aufn aufnnr aufnahme patientennummer
		patientennr patientenid patient pat patienten encounter enc visit accession acc acc fid fin csn uhid nhi umrn urn hrn crn chart hosp hospital
		unit record medical mr akte krankenblatt kartei dossier krankengeschichte kg episode specimen chi nhs ur`,
	placeLabel: `wohnhaft wohnh adresse anschrift address addr wohnort residing wohnt lives resides straße plz ort heimatadresse wohnadresse wh adr
		wohnanschrift`,
	signature: `gez gezeichnet signed dictated diktat diktiert unterschrift visum visiert dictating signiert freigegeben validiert sign sig f.d.r signature reviewed
		cosigned co-signed authenticated entered verified verf schreibzeichen diktatzeichen dz kuerzel handzeichen hz transcribed minutes completed
		prepared signatur unterzeichnet attested vidiert erfasst dokumentiert`,
	house: `evangelisches evangelische katholisches katholische staedtisches staedtisches staedtische heilig kreuz geist st sankt saint mount memorial
	community regional general university children childrens women womens veterans mercy sacred heart holy trinity providence good shepherd samaritan
	methodist baptist presbyterian lutheran christian jewish city county royal queen queens king princess prince victoria north south east
	west northern southern eastern western central valley lake lakeside river hills park bay ridge grove oak pine green
	marien elisabeth josef joseph josefs johannes anna barbara franziskus vinzenz raphael georg katharinen
	luisen augusta paulus petrus lukas bethanien diakonissen diakonie diakonissenhaus johanniter malteser barmherzige barmherzigen brueder schwestern
	rotes kreuz bg bezirk kreis stadt land universitaets kantons`,
	userLabel: `benutzer user username login benutzername nutzer userid anwender kennung`,
	mailLabel: `von an from to cc bcc kopie kopien copy copies verteiler nachrichtlich attn attention re betr betrifft 
		empfaenger ergeht durchschlag`,
}

// ordinaryWords are capitalised words that follow a title, a label or a relative and are no names.
const ordinaryWords = `diagnose diagnosen anamnese befund befunde verlauf therapie medikation labor epikrise procedere prozedere beurteilung aufnahme entlassung
	station arztbrief entlassbrief brief bericht untersuchung operation op datum uhr alter geschlecht groesse gewicht blutdruck puls temperatur
	allergien allergie hauptdiagnose nebendiagnosen vorerkrankungen familienanamnese sozialanamnese herz lunge abdomen kopf hals haut bauch thorax
	schmerz schmerzen fieber diabetes hypertonie krebs karzinom herzinfarkt schlaganfall demenz depression asthma copd infarkt apoplex tumor
	metastasen mammakarzinom darmkrebs brustkrebs alkohol nikotin raucher nichtraucher gesund verstorben lebt unbekannt keine kein nein ja
	links rechts beidseits li re bds mit ohne bei seit nach vor und oder sowie am im zur zum der die das ein eine wegen aufgrund wie auch
	sehr geehrte geehrter liebe lieber kollegen kolleginnen damen herren patient patientin termin telefon tel fax mail email seite blatt
	klinik krankenhaus praxis abteilung ambulanz chefarzt oberarzt assistenzarzt facharzt aerztin arzt team dienst schicht visite konsil
	montag dienstag mittwoch donnerstag freitag samstag sonntag mo di mi do fr sa so heute morgen abend gestern nacht mittag frueh
	tag tage woche wochen monat monate jahr jahre stunde stunden minute minuten mal ca etwa gegen uhrzeit
	the this that these those he she they we you it his her their our your its a an and or of for with without from to at on by in was were is are has have had
	will would should could can may might must do does did not no yes none unknown denies reports states stated said told called noted please thanks thank
	history exam assessment plan impression findings technique indication procedure medications allergies review systems vital signs labs
	chief complaint diagnosis diagnoses discharge admission hospital course consultation operative report social family past medical surgical
	physical examination laboratory data subjective objective review imaging recommendation recommendations disposition condition
	patient mother father who which when where while after before during since until if then but so also however because both all any each
	monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight morning evening afternoon night
	left right bilateral upper lower anterior posterior medial lateral proximal distal general normal stable acute chronic severe mild moderate
	follow following phone fax page cell home work office date time dob sex age male female room bed ward unit clinic
	per via re rx dx hx tx sx fx pmh psh ros hpi cc iv po im sc bid tid qid prn daily status post dear sincerely regards
	er sie es wir ihr ihre ihrer sein seine unser unsere dieser diese dieses welcher welche man sich
	hat hatte ist war wurde wird werden haben kann konnte soll sollte muss darf bitte danke nun jetzt dann dort hier da
	gruppe maedchen knabe junge aw wg fw typ grad stadium score index skala test studie leitlinie klassifikation syndrom morbus erkrankung krankheit
	wunsch kontakt sorge rezept rezepte hilfe pflege unterlagen kopie kopien anlage anlagen bilder entwurf korrektur
	versorgung behandlung betreuung beratung gespraech aufklaerung einwilligung kontrolle wiedervorstellung vorstellung ueberweisung einweisung verlegung
	information informationen info adresse anschrift name vorname geburtsdatum geb geboren
	verheiratet ledig geschieden verwitwet witwe kinder sohn tochter vater mutter bruder schwester ehemann ehefrau
	deceased alive healthy died dead cancer stroke dementia heart disease attack hypertension age onset colon breast lung prostate
	in-law none significant noncontributory positive negative present absent contributory carrier affected unaffected
	internal medicine surgery emergency department pediatrics cardiology neurology oncology orthopedics radiology pathology psychiatry nursing
	care service services center group associates physician physicians signed electronically dictated transcribed
	number nummer nr id ref code copy page pages end draft final preliminary addendum note notes letter summary record records chart
	ms mrs mr miss herr frau dr prof und or med`

// functionWords stand between names and other things but are never part of one.
const functionWords = `the and or of for with without from to at on by in was were is are has have had will would should could can might must does did not
	und oder mit ohne bei seit nach vor sowie am im als wie auch hat hatte ist war wurde wird werden haben kann konnte soll sollte muss darf
	he she they we you it his her their our your its this that who which when where while after before during since until if then but so also
	er sie es wir ihr ihre sein seine unser unsere dieser diese dieses welcher welche sich dass wenn aber nicht noch nur schon sehr
	aus auf durch gegen um ueber unter zwischen wegen bis ab zu
	reports states denies presents presented complains comes came says said told called seen here lives works`

// lexicon holds what is said of folded words.
var lexicon = func() *lists.Table[entry] {
	m := make(map[string]entry, 4096)
	add := func(list string, c class) {
		for _, w := range strings.Fields(list) {
			key, n, _, _ := readWord(make([]byte, 0, 64), w)
			if n == len(w) {
				e := m[string(key)]
				e.class |= c
				m[string(key)] = e
			}
		}
	}
	for c, list := range words {
		add(list, c)
	}
	add(ordinaryWords, ordinary)
	add(functionWords, ordinary|function)
	addCues(m)
	return lists.NewTable(m)
}()

// endings give a class to compound words: Uferstraße, Fallnummer, Kreiskrankenhaus. A word must be longer than the
// ending by the given number of bytes.
var endings = func() [1 << 10][]ending {
	var table [1 << 10][]ending
	for _, e := range []ending{
		{"strasse", 2, streetHead},
		{"strabe", 2, streetHead},
		{"stra6e", 2, streetHead},
		{"str", 4, streetHead},
		{"weg", 3, streetHead},
		{"gasse", 3, streetHead},
		{"platz", 3, streetHead},
		{"allee", 3, streetHead},
		{"ring", 4, streetHead},
		{"ufer", 3, streetHead},
		{"damm", 3, streetHead},
		{"chaussee", 3, streetHead},
		{"steig", 3, streetHead},
		{"pfad", 3, streetHead},
		{"promenade", 3, streetHead},
		{"graben", 3, streetHead},
		{"markt", 3, streetHead},
		{"stieg", 3, streetHead},
		{"stiege", 3, streetHead},
		{"twiete", 3, streetHead},
		{"wall", 3, streetHead},
		{"zeile", 3, streetHead},
		{"anger", 3, streetHead},
		{"winkel", 3, streetHead},
		{"hof", 4, streetHead},
		{"berg", 4, streetHead},
		{"grund", 4, streetHead},
		{"kamp", 3, streetHead},
		{"rain", 3, streetHead},
		{"garten", 4, streetHead},
		{"kai", 3, streetHead},
		{"feld", 4, streetHead},
		{"straat", 3, streetHead},
		{"wiese", 3, streetHead},
		{"ufer", 3, streetHead},
		{"aue", 3, streetHead},
		{"matt", 4, streetHead},
		{"halde", 4, streetHead},
		{"nummer", 3, idHead},
		{"nr", 3, idHead},
		{"nummern", 3, idHead},
		{"kennzeichen", 2, idHead},
		{"kennung", 4, idHead},
		{"klinik", 3, hospital},
		{"klinikum", 3, hospital},
		{"krankenhaus", 2, hospital},
		{"spital", 3, hospital},
		{"kliniken", 3, hospital},
		{"praxis", 3, hospital},
		{"hospital", 3, hospital},
		{"sanatorium", 3, hospital},
		{"medizin", 12, hospital},
		{"klinken", 3, hospital},
		{"zentrum", 4, department},
		{"institut", 3, department},
		{"ambulanz", 3, department},
		{"heim", 7, department},
		{"station", 4, department},
		{"apotheke", 3, organization},
		{"schule", 3, organization},
		{"gymnasium", 3, organization},
		{"kasse", 4, organization},
		{"versicherung", 3, organization},
		{"werke", 4, organization},
		{"verein", 3, organization},
		{"verband", 4, organization},
		{"labor", 4, organization},
		{"gericht", 4, organization},
		{"arzt", 3, staffRole},
		{"aerztin", 2, staffRole},
		{"therapeut", 3, staffRole},
		{"therapeutin", 3, staffRole},
		{"pfleger", 3, staffRole},
		{"pflegerin", 3, staffRole},
		{"assistent", 3, staffRole},
		{"assistentin", 3, staffRole},
		{"leiter", 4, staffRole},
		{"leiterin", 4, staffRole},
		{"loge", 6, staffRole},
		{"login", 6, staffRole},
		{"ung", 4, ordinary},
		{"heit", 4, ordinary},
		{"keit", 4, ordinary},
		{"schaft", 4, ordinary},
		{"tion", 3, ordinary},
		{"itis", 3, ordinary},
		{"ose", 5, ordinary},
		{"gramm", 3, ordinary},
		{"skopie", 3, ordinary},
		{"ektomie", 2, ordinary},
		{"therapie", 3, ordinary},
		{"syndrom", 3, ordinary},
		{"krankheit", 2, ordinary},
		{"erkrankung", 2, ordinary},
		{"itaet", 3, ordinary},
		{"pathie", 3, ordinary},
		{"ismus", 3, ordinary},
		{"emia", 3, ordinary},
		{"osis", 3, ordinary},
		{"ology", 3, ordinary},
		{"ectomy", 3, ordinary},
		{"scopy", 3, ordinary},
		{"ness", 4, ordinary},
		{"ment", 5, ordinary},
		{"ance", 5, ordinary},
		{"logie", 3, ordinary},
		{"grafie", 3, ordinary},
		{"graphie", 3, ordinary},
		{"insuffizienz", 1, ordinary},
		{"karzinom", 1, ordinary},
		{"schmerz", 2, ordinary},
		{"schmerzen", 2, ordinary},
		{"befund", 2, ordinary},
		{"anamnese", 1, ordinary},
		{"diagnose", 1, ordinary},
		{"diagnosen", 1, ordinary},
		{"bericht", 2, ordinary},
		{"untersuchung", 1, ordinary},
		{"ation", 3, ordinary},
		{"tumor", 2, ordinary},
		{"aemie", 3, ordinary},
		{"onie", 4, ordinary},
	} {
		slot := endingSlot([]byte(e.suffix))
		table[slot] = append(table[slot], e)
	}
	return table
}()

// shortestEnding is the length of a word that an ending can say something of: nr, and the letters before it.
const shortestEnding = 5

// endingSlot gives the place of the endings that share the last two bytes with the word.
func endingSlot(key []byte) int {
	return (int(key[len(key)-2])*37 + int(key[len(key)-1])) & (1<<10 - 1)
}

type ending struct {
	suffix string
	more   int
	class  class
}

// classOf looks a folded word up, of which the hash is given, first whole, then by its ending.
func classOf(key []byte, hash uint32) (class, cue) {
	found := lexicon.FindBytes(key, hash)
	c := found.class
	if len(key) < shortestEnding {
		return c, found.cue
	}
	for _, e := range endings[endingSlot(key)] {
		if n := len(key) - len(e.suffix); n >= e.more && string(key[n:]) == e.suffix {
			if c&e.class == 0 {
				c |= e.class | derived
			}
		}
	}
	return c, found.cue
}
