package main

// worldCities are known by one name everywhere, also where the source writes another.
var worldCities = []string{
	"London", "Paris", "Rome", "Rom", "Madrid", "Istanbul", "Ankara", "Izmir", "Athens", "Athen", "Moscow", "Moskau",
	"Warsaw", "Warschau", "Krakau", "Breslau", "Danzig", "Prague", "Prag", "Budapest", "Bucharest", "Bukarest", "Belgrade",
	"Belgrad", "Zagreb", "Sarajevo", "Brussels", "Brüssel", "Antwerpen", "Lisbon", "Lissabon", "Copenhagen", "Kopenhagen",
	"Stockholm", "Oslo", "Helsinki", "Dublin", "Edinburgh", "Glasgow", "Cardiff", "Belfast", "Manchester", "Liverpool",
	"Birmingham", "Leeds", "Sheffield", "Bristol", "Nottingham", "Mailand", "Milano", "Venedig", "Florenz", "Neapel",
	"Turin", "Genf", "Genève", "Zürich", "Basel", "Bern", "Luzern", "Lausanne", "Straßburg", "Lüttich", "Kairo", "Cairo",
	"Damaskus", "Damascus", "Aleppo", "Beirut", "Bagdad", "Baghdad", "Teheran", "Tehran", "Kabul", "Delhi", "Mumbai",
	"Beijing", "Peking", "Shanghai", "Tokyo", "Tokio", "Seoul", "Hanoi", "Saigon", "Manila", "Bangkok", "Singapore",
	"Sydney", "Melbourne", "Perth", "Brisbane", "Adelaide", "Toronto", "Montreal", "Vancouver", "Ottawa", "Calgary",
	"Kiew", "Kyiv", "Charkiw", "Odessa", "Lemberg", "Lviv", "Minsk", "Vilnius", "Riga", "Tallinn", "Sofia", "Skopje",
	"Tirana", "Pristina", "Nairobi", "Lagos", "Accra", "Addis Abeba", "Mogadischu", "Casablanca", "Tunis", "Algier",
	"New York", "New York City", "NYC", "Los Angeles", "Las Vegas", "San Francisco", "St. Louis", "St. Paul", "St Andrews",
	"Frankfurt", "Frankfurt am Main", "Frankfurt/Main", "Frankfurt (Oder)", "Köln", "München", "Nürnberg", "Hannover",
	"Wien", "Vienna", "Munich", "Cologne", "Geneva", "Zurich", "Nuremberg", "Hanover", "Innsbruck", "St. Pölten", "St. Gallen",
	"Sankt Gallen", "Sankt Pölten", "Wolverhampton", "Kingston upon Hull", "Newcastle", "Newcastle upon Tyne", "Stoke-on-Trent",
}

// cantons are written behind Swiss places that share a name.
var cantons = []string{
	"AG", "AI", "AR", "BE", "BL", "BS", "FR", "GE", "GL", "GR", "JU", "LU", "NE", "NW", "OW", "SG", "SH", "SO", "SZ", "TG", "TI", "UR", "VD", "VS", "ZG", "ZH",
}

var moreCountries = []string{
	"USA", "UK", "Großbritannien", "England", "Schottland", "Wales", "Nordirland", "Scotland", "Northern Ireland", "Holland",
	"Deutschland", "Österreich", "Schweiz", "Germany", "Austria", "Switzerland", "Italien", "Frankreich", "Spanien", "Polen",
	"Tschechien", "Russland", "Ukraine", "Türkei", "Turkey", "Syrien", "Syria", "Iran", "Irak", "Iraq", "Afghanistan",
	"Vietnam", "South Korea", "North Korea", "Südkorea", "Nordkorea", "China", "Taiwan", "Kosovo", "Bosnien", "Kroatien",
	"Serbien", "Mazedonien", "Nordmazedonien", "Montenegro", "Moldawien", "Moldau", "Weißrussland", "Belarus", "Elfenbeinküste",
	"Russia", "United States", "United States of America", "Vereinigte Staaten", "Great Britain", "Britain", "Ivory Coast",
	"Kap Verde", "Palästina", "Palestine", "Venezuela", "Bolivien", "Bolivia", "Tansania", "Tanzania", "Laos", "DDR",
}

// states are those of Germany, Austria, Switzerland, the United Kingdom's counties and Canada and Australia, as
// they are written in letters. States whose name is a word or a city first are left to the rules.
var states = []string{
	"Baden-Württemberg", "Bayern", "Brandenburg", "Hessen", "Mecklenburg-Vorpommern", "Niedersachsen", "Nordrhein-Westfalen",
	"Rheinland-Pfalz", "Saarland", "Sachsen", "Sachsen-Anhalt", "Schleswig-Holstein", "Thüringen", "NRW", "Bavaria", "Saxony",
	"Burgenland", "Kärnten", "Niederösterreich", "Oberösterreich", "Steiermark", "Tirol", "Vorarlberg", "Südtirol",
	"Aargau", "Appenzell", "Graubünden", "Thurgau", "Tessin", "Wallis", "Waadt", "Basel-Landschaft", "Basel-Stadt",
	"Yorkshire", "Lancashire", "Cheshire", "Derbyshire", "Nottinghamshire", "Leicestershire", "Staffordshire", "Shropshire",
	"Warwickshire", "Worcestershire", "Gloucestershire", "Oxfordshire", "Buckinghamshire", "Hertfordshire", "Bedfordshire",
	"Cambridgeshire", "Northamptonshire", "Lincolnshire", "Norfolk", "Suffolk", "Kent", "Surrey", "Sussex", "West Sussex",
	"East Sussex", "Hampshire", "Wiltshire", "Dorset", "Somerset", "Devon", "Cornwall", "Cumbria", "Northumberland",
	"Tyne and Wear", "Merseyside", "Greater Manchester", "West Midlands", "South Yorkshire", "West Yorkshire", "North Yorkshire",
	"Aberdeenshire", "Fife", "Gwynedd", "Powys", "Dyfed", "Pembrokeshire", "County Antrim", "County Down", "Co. Down", "Co. Antrim",
	"County Cork", "Co. Cork", "County Kerry", "County Galway", "Co. Galway", "County Mayo", "Co. Mayo", "County Dublin", "Co. Dublin",
	"Ontario", "Quebec", "British Columbia", "Alberta", "Manitoba", "Saskatchewan", "Nova Scotia", "New Brunswick", "Newfoundland",
	"New South Wales", "Queensland", "Tasmania", "South Australia", "Western Australia", "Northern Territory",
	"District of Columbia", "Puerto Rico",
}

// eponyms are names of diseases, signs, tests and tools that the source list lacks or writes another way.
const eponyms = `Parkinson Alzheimer Hodgkin Crohn Basedow Bechterew Hashimoto Addison Cushing Conn Meniere Ménière Raynaud Down
Turner Klinefelter Marfan Ehlers Danlos Kaposi Wilson Wegener Behcet Still Perthes Osgood Schlatter Scheuermann Dupuytren
Ledderhose Paget Recklinghausen Hirschsprung Boeck Waldenström Werlhof Willebrand Gaucher Fabry Pompe Menière Sudeck Baker
Apgar Glasgow Braden Norton Barthel Tinetti Gleason Breslow Clark Karnofsky Child Pugh Ranson Balthazar Forrest Billroth
Roux Whipple Kausch Hartmann Kocher Pfannenstiel McBurney Murphy Rovsing Blumberg Lanz Lasègue Lasegue Bragard Babinski
Romberg Unterberger Trendelenburg Patrick Thomas Ott Schober Lachman Steinmann Apley McMurray Phalen Tinel Finkelstein
Weber Rinne Allen Virchow Homans Kernig Brudzinski Glisson Bowman Henle Langerhans Purkinje His Tawara Aschoff Fallot
Eisenmenger Ebstein Brugada Wolff White Frank Starling Valsalva Korotkow Doppler Holter Swan Ganz Seldinger Foley Mayo
Metzenbaum Kelly Allis Babcock Kirschner Steinmann Steri Redon Robinson Jackson Pratt Penrose Hickman Broviac Port Quinton
Hickmann Tenckhoff Mathieu Langenbeck Roser Hegar Hasson Veress Bassini Shouldice Lichtenstein Nissen Donati Allgöwer
Kaplan Meier Fisher Wilcoxon Mann Whitney Cox Bonferroni Kruskal Fontaine Rutherford Leriche Widmer Stanford DeBakey
Frykman Garden Pauwels Schatzker Neer Gartland Salter Harris Gustilo Anderson Tscherne Oestern Hawkins Kellgren Lawrence
Outerbridge Larsen Steinbrocker Duke Ann Arbor Binet Rai Durie Salmon Bismuth Klatskin Mirizzi Barrett Mallory Weiss Zenker
Schatzki Meckel Peutz Jeghers Lynch Gilbert Dubin Johnson Caroli Budd Chiari Vater Oddi Santorini Wirsung Treitz Douglas
Bartholin Skene Müller Wolff Graaf Naboth Tanner Marshall Prader Ferriman Gallwey Graves Plummer Sheehan Quervain Riedel
Guillain Barré Huntington Creutzfeldt Jakob Lewy Pick Korsakoff Wernicke Broca Tourette Asperger Rett Lennox Gastaut
West Dravet Horner Bell Charcot Marie Tooth Friedreich Duchenne Becker Lambert Eaton Sjögren Felty Reiter Kawasaki Takayasu
Churg Strauss Henoch Schönlein Goodpasture Alport Berger Fanconi Bartter Gitelman Liddle Wilms Ewing Burkitt Sezary Bowen
Merkel Spitz Clark Koebner Nikolsky Auspitz Köbner Quincke Heberden Bouchard Jaccoud Colles Smith Galeazzi Monteggia Bennett
Rolando Jones Lisfranc Chopart Maisonneuve Weber Volkmann Hill Sachs Bankart Achilles Hoffa Baker Cheyne Stokes Kussmaul Biot
Adams Mobitz Wenckebach Levine Osler Janeway Roth Duroziez Corrigan Austin Flint Graham Steell Carey Coombs Coombs Schilling
Ziehl Neelsen Gram Giemsa Papanicolaou Pap Mantoux Tine Wassermann Widal Weil Felix Epstein Barr Coxsackie Escherichia
Bosniak Fuhrman Fleischner Hounsfield Agatston Seldinger Judkins Amplatz Dormia Sengstaken Blakemore Linton Nachlas Minnesota
Salem Dobhoff Guedel Wendl Cormack Lehane Mallampati Yankauer Ambu Magill Macintosh Miller Tuohy Quincke Bier Wechsler Beck
Hamilton Rorschach Zung Epworth Mini Folstein Hachinski Rankin Ashworth Tardieu Borg Bristol Wagner Armstrong Norton Waterlow
Ramsay Richmond Fagerström Bishop Pearl Naegele Leopold Credé Crede Bracht Löfgren Heerfordt Caplan Pancoast Kerley Light
Adson Weitlaner Kerrison Penfield Frazier Cobb Caspar Caspari Balfour Bookwalter Deaver Potts Satinsky Lembert Halsted Bovie
Senn Freer Keith Lorenz Erich Cottle Crile Hegar Sims Auvard Pozzi Hohmann Gigli Codman Jamshidi Dedo Magerl Gelpi Mohs Leibinger Fogarty
Lieberman Poupart Scarpa Ahmed Jobe Janda Frenzel Fazekas Demers Shulman Stoller Waddell Allred Kikuchi Hoover Kaltenborn Wertheim Sanders
Osborn Wellens Herbert Bankart Tiemann Horowitz Conners Katz Jamar Humphrey Goldmann Biermer Castle Heinz Howell Jolly Auer Döhle Bence Ig Reed Sternberg Philadelphia Rh Duffy Kell Kidd Lewis Lutheran
Adamkiewicz Alagille Amsel Avellis Bassen Batson Bazett Bernstein Bezold Bhutani Bielschowsky Birbeck Björk Blumer
Boerhaave Bombelli Borrmann Botallo Botalli Bourneville Bricker Brockenbrough Broselow Buerger Cacchi Calot Camurati
Capgras Cardarelli Carrel Catterall Chaddock Cockcroft Gault Cranley Curschmann Denonvilliers Dercum Hallpike Epley
Dohle Dressler Duret Eales Edinger Ekbom Ellik Eustachi Faget Falret Fick Finnegan Forchheimer Forestier Fothergill
Friedländer Froin Mainini Gerdy Gimbernat Gottman Grawitz Greulich Griesinger Grocott Grynfeltt Guyon Haglund
Hallervorden Hayflick Heimlich Heineke Heubner Hinchey Howship Imlach Ingelfinger Ishihara Jacod Herxheimer Jatene
Jendrassik Kahler Kanner Kegel Wagener Killip Kienböck Betke Kraepelin Kraske Küntscher Kuntscher Kuppfer Kupffer
Lambl Kleffner Landouzy Larrey Legg Leishman Letournel Libman Lipschütz Lissauer Mackler Macewen Malpighi Krantz Maydl
Mazzotti McRoberts McGeer Meissner Mendel Menghini Miculicz Minkowski Chauffard Monro Moynihan Muckle Münchmeyer
Naffziger Naito Nicoladoni Nikolski Nonne Ogilvie Omenn Ormond Rendu Pacini Papez Perlia Peyer Phemister Pirquet
Plesch Politzer Poncet Ponseti Pringle Pudenz Queckenstedt Radovici Raeder Ranvier Rashkind Rastelli Reissner Retzius
Ritgen Roemheld Romhilt Rommelaere Rossolimo Rumpel Leede Sabouraud Schirmer Schlemm Schoemaker Schüffner Schwann
Sellick Senning Sipple Snellen Sotos Stauffer Stellwag Stener Stensen Stenon Stierlin Stoppa Strümpell Sturmdorf
Sugarbaker Swyer Sydenham Tarlov Thiersch Thorel Tommaselli Torek Toupet Tullio Vaquez Volhard Waterston Westergren
Westermark Yergason Zuelzer Bartsocas Caprini Maddrey Rockall Spetzler Seddon Cierny Lauge Ficat Pirani Meyerding
Pfirrmann Modic Goutallier Murley Lysholm Tegner Ahlbäck Insall Salvati Deschamps Dejour Wiberg Baumgaertl Judet
Effendi Rockwood Tossy Wehbe Zatuchni Sarnat Papile Volpe Achenbach Stroop Osterrieth Luria Reitan Liebowitz Hoehn
Yahr Kurtzke Jebsen Fugl Zancolli Vignos Hammersmith Lansky Matutes Hasford Scarff Partin Briganti Chompret Haggitt
Astler Corlette Strasberg Todani Knodell Scheuer Forns Savary Spigelman Rutgeerts Goligher Wexner Vaizey Karydakis
Limberg Mitrofanoff Politano Gregoir Boari Hautmann LeFort Misgav Ladach
`
