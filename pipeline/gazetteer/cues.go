package gazetteer

import (
	"strings"

	"fhirdeid/pipeline/phi/lists"
)

// cue is what a word says about its neighbour.
type cue uint16

const (
	kin          cue = 1 << iota // daughter, Ehemann: a first name may follow
	into                         // from, aus: a place may follow
	honorific                    // Mr, Frau: a name follows; the rules take it
	particle                     // von, de la: inside a surname
	eponymHead                   // disease, Zeichen: what stands before is an eponym
	eponymBefore                 // Morbus, nach: what follows may be an eponym
	noName                       // never part of a name, whatever the lists say
	nameBefore                   // name:, signed by
	clinical                     // positive, negativ: said of a sign, not of a person
)

var cues = func() *lists.Table[cue] {
	m := map[string]cue{}
	for c, words := range map[cue]string{
		kin: `daughter son wife husband mother father brother sister partner friend fiance fiancee girlfriend boyfriend aunt uncle niece
nephew grandson granddaughter grandmother grandfather cousin roommate neighbor neighbour mom mum dad stepson stepdaughter twin
tochter sohn ehefrau ehemann frau mann mutter vater bruder schwester partnerin lebensgefaehrte lebensgefaehrtin freund freundin tante onkel
nichte neffe enkel enkelin enkelsohn enkeltochter oma opa grossmutter grossvater schwager schwaegerin schwiegersohn schwiegertochter
schwiegermutter schwiegervater cousine verlobter verlobte zwillingsschwester zwillingsbruder nachbar nachbarin ehegatte gatte gattin`,
		into: `from in near to at of outside visiting around aus in nach bei von naehe wohnhaft geboren richtung raum stadt gemeinde ort
kreis bad lives living resident born city town village`,
		honorific: `mr mrs ms miss mister dr doctor prof professor sir herr herrn hr frau fr fraeulein hrn dres`,
		particle:  `von van der den de del della di da dos du la le el al bin ibn zu zum zur vom ten ter st mc mac san abu ben e y`,
		eponymHead: `disease syndrome syndromes sign signs test tests reflex reflexes scale score scores index criteria criterion classification class grade
grading stage staging type catheter catheters scissors forceps clamp clamps retractor retractors needle needles wire wires drain drains tube tubes maneuver
maneuvers manoeuvre procedure procedures operation operations technique approach incision method position stain staining cell cells body bodies lymphoma
sarcoma tumor tumour tumors lobe duct ducts gland glands node nodes fracture fractures hernia hernias ulcer esophagus oesophagus contracture
contractures palsy chorea ataxia dementia deformity dystrophy neuroma nodes arthritis thyroiditis encephalopathy esophagitis anomaly tetralogy
respiration breathing breaths murmur sound sounds aneurysm phenomenon law equation formula solution lactate ringer's block blocks spot spots lines line
ring membrane fascia ligament space pouch angle triangle canal tunnel area aphasia brace collar splint boot boots bandage dressing
monitor flow ultrasound study studies exam examination questionnaire inventory curve curves plot analysis procedure's mass nephropathy purpura
granulomatosis vasculitis neuropathy myopathy melanoma carcinoma cyst cysts hydrocele tubercle process island patch patches pump filter bag mask airway
blade tip suture sutures stitch stitches staple stapler gauze pack elevator rongeur curette speculum trocar dilator dilators graft valve
anastomosis repair resection fundoplication osteotomy arthroplasty hook laser knife cautery screw screws plate plates rod rods nail nails pin pins
frame table stirrups light lamp hold agar medium virus bacillus bacteria coli bar bars shunt shunts plating microplates miniplates dynamometer dermatome rating dye valves protocol protein pupil pupils hallucinations nodule
nodules prosthesis prostheses implant implants lens monitoring distance ratio index bodies bypass infiltrate
syndrom syndroms krankheit erkrankung zeichen reflexe skala klassifikation stadium grad typ tumor lymphom sarkom karzinom
katheter drainage naht operation op schnitt zugang technik verfahren methode lagerung hernie fraktur kontraktur thyreoiditis ulkus ulcus
oesophagus divertikel formel kriterien manoever versuch probe phaenomen gesetz knoten koerperchen zelle zellen faerbung atmung
gefaess dreieck linie kanal schiene verband kragen test`,
		eponymBefore: `morbus mb m nach modified modifizierter positive negative positiver negativer syndrom syndrome operation op klassifikation
naht score technik kriterien typ`,
		noName: `patient patientin pat sehr geehrte geehrter liebe lieber kollegin kollege kollegen befund anamnese diagnose diagnosen therapie
verlauf station klinik praxis krankenhaus telefon tel fax email mail seite datum geb geburtsdatum name vorname nachname anschrift strasse
hospital clinic medical center centre department history physical examination assessment plan impression findings procedure diagnosis
date time page phone address dob mrn ssn age sex male female room bed unit floor service attending resident the and for with dear re
marine marquis imam sister princess prince queen haji nana reverend father mother son daughter handy mutter vater mutti vati tochter sohn
neo case resi kita english german french spanish silvester sylvester nikolaus ramadan fasching christi himmelfahrt lichtmess
md do rn np pa phd mph facs facc lvn lpn cna frcp frcs mrcp mbbs jr sr ii iii iv oberarzt oberaerztin chefarzt chefaerztin assistenzarzt
facharzt fachaerztin hausarzt arzt aerztin pflege aufnahme entlassung untersuchung labor roentgen sonographie mri ct ekg eeg echo
ward street road avenue lane drive strasse weg platz allee gasse haus north south east west new old saint mount lake port fort san santa
january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
januar februar maerz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag ostern weihnachten
mit freundlichen gruessen gruss signed dictated electronically reviewed copy cc ihr ihre unser unsere herr frau mr mrs ms dr prof`,
		nameBefore: `name patient patientin pat signed by gez unterschrift nachname vorname contact ansprechpartner`,
		clinical:   `positive negative pos neg equivocal positiv negativ bds beidseits unauffaellig present absent intact normal`,
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] |= c
		}
	}
	return lists.NewTable(m)
}()

// cue gives what token i says about its neighbours.
func (r *reader) cue(i int) cue {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	t := &r.tokens[i]
	if !t.cued {
		t.cued = true
		t.cue = cues.Find(r.word(i), r.hash(i))
	}
	return t.cue
}
