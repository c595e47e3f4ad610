// Package check computes the check digits of the identifiers that have them. All functions take plain digits (and
// capitals where the id has some), any of them: what has another form does not pass.
package check

// Luhn says whether the digits pass the Luhn test, as credit cards, NPIs with their prefix and German health cards do.
func Luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return len(digits) > 1 && sum%10 == 0
}

// KVNR checks a German health insurance number: a letter and nine digits, the last one the check digit.
func KVNR(id string) bool {
	if len(id) != 10 || id[0] < 'A' || id[0] > 'Z' {
		return false
	}
	n := int(id[0]-'A') + 1
	plain := [10]int{n / 10, n % 10}
	for i := range 8 {
		plain[i+2] = int(id[i+1] - '0')
	}
	sum := 0
	for i, d := range plain {
		if i%2 == 1 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return sum%10 == int(id[9]-'0')
}

// RVNR checks a German pension insurance number: area, birth date, letter, serial, check digit.
func RVNR(id string) bool {
	if len(id) != 12 || id[8] < 'A' || id[8] > 'Z' {
		return false
	}
	n := int(id[8]-'A') + 1
	plain := [12]int{}
	for i := range 8 {
		plain[i] = int(id[i] - '0')
	}
	plain[8], plain[9], plain[10], plain[11] = n/10, n%10, int(id[9]-'0'), int(id[10]-'0')
	sum := 0
	for i, w := range [12]int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		p := plain[i] * w
		sum += p/10 + p%10
	}
	return sum%10 == int(id[11]-'0')
}

// ISO7064 checks digits by MOD 11,10 of ISO 7064, as the German tax id is.
func ISO7064(d string) bool {
	if len(d) < 2 {
		return false
	}
	product := 10
	for i := range len(d) - 1 {
		sum := (int(d[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = 2 * sum % 11
	}
	return (11-product)%10 == int(d[len(d)-1]-'0')
}

// TaxID checks a German tax id of eleven digits: its check digit, no leading zero, and one or two repeated digits.
func TaxID(d string) bool {
	if len(d) != 11 || d[0] == '0' {
		return false
	}
	var counts [10]int
	for i := range 10 {
		counts[d[i]-'0']++
	}
	repeated := 0
	for _, c := range counts {
		if c > 3 {
			return false
		}
		if c > 1 {
			repeated++
		}
	}
	return repeated == 1 && ISO7064(d)
}

// LANR checks a German physician number of nine digits; the seventh is the check digit of the first six.
func LANR(d string) bool {
	if len(d) != 9 {
		return false
	}
	sum := 0
	for i := range 6 {
		w := 4
		if i%2 == 1 {
			w = 9
		}
		sum += w * int(d[i]-'0')
	}
	return (10-sum%10)%10 == int(d[6]-'0')
}

// SVNR checks an Austrian social insurance number of ten digits; the fourth is the check digit.
func SVNR(d string) bool {
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i, w := range [10]int{3, 7, 9, 0, 5, 8, 4, 2, 1, 6} {
		sum += w * int(d[i]-'0')
	}
	return sum%11 == int(d[3]-'0')
}

// EAN13 checks a number with a GS1 check digit: AHV numbers and GLNs have 13 digits.
func EAN13(d string) bool {
	if len(d) != 13 {
		return false
	}
	sum := 0
	for i := range 12 {
		w := 1
		if i%2 == 1 {
			w = 3
		}
		sum += w * int(d[i]-'0')
	}
	return (10-sum%10)%10 == int(d[12]-'0')
}

// NHS checks a British NHS number of ten digits.
func NHS(d string) bool {
	if len(d) != 10 {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(d[i]-'0')
	}
	check := (11 - sum%11) % 11
	return check != 10 && check == int(d[9]-'0') && d != "0000000000"
}

// NPI checks a US provider number of ten digits.
func NPI(d string) bool { return len(d) == 10 && (d[0] == '1' || d[0] == '2') && Luhn("80840"+d) }

// DEA checks the seven digits of a US prescriber number, which stand behind two letters or a letter and a 9.
func DEA(digits string) bool {
	if len(digits) != 7 {
		return false
	}
	d := func(i int) int { return int(digits[i] - '0') }
	return (d(0)+d(2)+d(4)+2*(d(1)+d(3)+d(5)))%10 == d(6)
}

// IBAN checks an account number by its country's length and modulus 97. It is given in capitals without spaces.
func IBAN(id string) bool {
	n, known := IBANLengths[id[:min(2, len(id))]]
	return known && len(id) == n && Mod97(id)
}

// Mod97 is the check of ISO 13616 on account numbers of any country.
func Mod97(id string) bool {
	if len(id) < 5 {
		return false
	}
	rem := 0
	for i := range len(id) {
		c := id[(i+4)%len(id)]
		switch {
		case c >= '0' && c <= '9':
			rem = (rem*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rem = (rem*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rem == 1
}

// IBANLengths gives the number of signs of an account number by its country.
var IBANLengths = map[string]int{
	"DE": 22, "AT": 20, "CH": 21, "LI": 21, "GB": 22, "IE": 22, "FR": 27, "IT": 27, "NL": 18, "BE": 16, "ES": 24,
	"PL": 28, "LU": 20, "DK": 18, "SE": 24, "NO": 15, "CZ": 24, "HU": 28, "PT": 25, "FI": 18, "GR": 27, "TR": 26,
	"HR": 21, "SI": 19, "SK": 24, "RO": 24, "BG": 22, "RS": 22, "BA": 20, "UA": 29, "EE": 20, "LV": 21, "LT": 20,
}

// VIN checks a vehicle identification number as built for North America: 17 signs, the ninth the check sign.
func VIN(id string) bool {
	if len(id) != 17 {
		return false
	}
	values := func(c byte) int {
		switch {
		case c >= '0' && c <= '9':
			return int(c - '0')
		case c >= 'A' && c <= 'H':
			return int(c-'A') + 1
		case c >= 'J' && c <= 'N':
			return int(c-'J') + 1
		case c == 'P':
			return 7
		case c == 'R':
			return 9
		case c >= 'S' && c <= 'Z':
			return int(c-'S') + 2
		}
		return -1
	}
	sum := 0
	for i, w := range [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2} {
		v := values(id[i])
		if v < 0 {
			return false
		}
		sum += w * v
	}
	check := byte('0' + sum%11)
	if sum%11 == 10 {
		check = 'X'
	}
	return id[8] == check
}
