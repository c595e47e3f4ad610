package check

import "testing"

// TestCheckDigits takes numbers of the schemes' own documentation or made by their rule; every one fails with its last
// digit changed, and nothing panics on what has another form.
func TestCheckDigits(t *testing.T) {
	for name, c := range map[string]struct {
		valid func(string) bool
		ids   []string
	}{
		"luhn": {Luhn, []string{"4111111111111111", "79927398713"}},
		"kvnr": {KVNR, []string{"A123456780"}},
		"rvnr": {RVNR, []string{"15070649C103"}},
		"tax":  {TaxID, []string{"86095742719"}},
		"svnr": {SVNR, []string{"1237010180"}},
		"ean":  {EAN13, []string{"7569217076985", "4006381333931"}},
		"nhs":  {NHS, []string{"9434765919"}},
		"npi":  {NPI, []string{"1234567893"}},
		"dea":  {DEA, []string{"1234563"}},
		"iban": {IBAN, []string{"DE89370400440532013000", "GB82WEST12345698765432", "AT611904300234573201"}},
		"vin":  {VIN, []string{"1M8GDM9AXKP042788"}},
	} {
		for _, id := range c.ids {
			if !c.valid(id) {
				t.Errorf("%s: %s does not pass", name, id)
			}
			b := []byte(id)
			for i := len(b) - 1; i >= 0; i-- {
				if name == "svnr" {
					i = 3 // the check digit stands in the middle
				}
				if b[i] >= '0' && b[i] <= '9' {
					b[i] = '0' + (b[i]-'0'+1)%10
					break
				}
			}
			if c.valid(string(b)) {
				t.Errorf("%s: %s passes", name, b)
			}
		}
		for _, id := range []string{"", "1", "A", "12", "DE", "123456789", "1234567890", "ABCDEFGHJ", "A12345678B", "000000000000000"} {
			c.valid(id)
		}
	}
	passed := 0
	for check := range 10 { // the seventh of nine digits
		if LANR("123456" + string(rune('0'+check)) + "01") {
			passed++
		}
	}
	if passed != 1 {
		t.Errorf("lanr: %d check digits for one number", passed)
	}
}
