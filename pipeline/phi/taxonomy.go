// Package phi holds the words that every other package speaks: the taxonomy of protected health information,
// spans of it in a text, replacements, and a text type that cannot print itself.
package phi

import "strings"

// Category is the first level of the taxonomy: what a superclass model can tell.
type Category uint8

// The categories. The zero value is no category at all.
const (
	NoCategory Category = iota
	CategoryName
	CategoryProfession
	CategoryLocation
	CategoryAge
	CategoryDate
	CategoryContact
	CategoryID
	CategoryOther
)

// Type is the second level of the taxonomy. A type may also be a bare category (Name, Date …), which is what
// remains when only a superclass model spoke.
type Type uint8

// The types. The order is the one in which overlapping spans of equal strength are settled:
// what exposes a person most stands first.
const (
	NoType Type = iota
	NamePatient
	NameStaff
	NameOther
	NameUsername
	Name
	LocationHospital
	LocationOrganization
	LocationStreet
	LocationZIP
	LocationCity
	LocationState
	LocationCountry
	LocationOther
	Location
	Age
	DateBirthdate
	DateDate
	Date
	ContactEmail
	ContactURL
	ContactIP
	ContactFax
	ContactPhone
	Contact
	IDPatient
	IDSSN
	IDHealthplan
	IDAccount
	IDLicense
	IDVehicle
	IDDevice
	IDBiometric
	IDStudy
	IDOther
	ID
	ProfessionProfession
	ProfessionStatus
	Profession
	Other
	// Protected marks what must stay: an eponym, a drug, a scale. It is no PHI and never leaves the pipeline.
	Protected
	typeCount
)

// taxonomy is the one table of labels. A type whose label equals its category's is that category alone.
var taxonomy = [typeCount]struct {
	label    string
	category Category
}{
	NoType:               {"O", NoCategory},
	NamePatient:          {"NAME_PATIENT", CategoryName},
	NameStaff:            {"NAME_STAFF", CategoryName},
	NameOther:            {"NAME_OTHER", CategoryName},
	NameUsername:         {"NAME_USERNAME", CategoryName},
	Name:                 {"NAME", CategoryName},
	LocationHospital:     {"LOCATION_HOSPITAL", CategoryLocation},
	LocationOrganization: {"LOCATION_ORGANIZATION", CategoryLocation},
	LocationStreet:       {"LOCATION_STREET", CategoryLocation},
	LocationZIP:          {"LOCATION_ZIP", CategoryLocation},
	LocationCity:         {"LOCATION_CITY", CategoryLocation},
	LocationState:        {"LOCATION_STATE", CategoryLocation},
	LocationCountry:      {"LOCATION_COUNTRY", CategoryLocation},
	LocationOther:        {"LOCATION_OTHER", CategoryLocation},
	Location:             {"LOCATION", CategoryLocation},
	Age:                  {"AGE", CategoryAge},
	DateBirthdate:        {"DATE_BIRTHDATE", CategoryDate},
	DateDate:             {"DATE_DATE", CategoryDate},
	Date:                 {"DATE", CategoryDate},
	ContactEmail:         {"CONTACT_EMAIL", CategoryContact},
	ContactURL:           {"CONTACT_URL", CategoryContact},
	ContactIP:            {"CONTACT_IP", CategoryContact},
	ContactFax:           {"CONTACT_FAX", CategoryContact},
	ContactPhone:         {"CONTACT_PHONE", CategoryContact},
	Contact:              {"CONTACT", CategoryContact},
	IDPatient:            {"ID_PATIENT", CategoryID},
	IDSSN:                {"ID_SSN", CategoryID},
	IDHealthplan:         {"ID_HEALTHPLAN", CategoryID},
	IDAccount:            {"ID_ACCOUNT", CategoryID},
	IDLicense:            {"ID_LICENSE", CategoryID},
	IDVehicle:            {"ID_VEHICLE", CategoryID},
	IDDevice:             {"ID_DEVICE", CategoryID},
	IDBiometric:          {"ID_BIOMETRIC", CategoryID},
	IDStudy:              {"ID_STUDY", CategoryID},
	IDOther:              {"ID_OTHER", CategoryID},
	ID:                   {"ID", CategoryID},
	ProfessionProfession: {"PROFESSION_PROFESSION", CategoryProfession},
	ProfessionStatus:     {"PROFESSION_STATUS", CategoryProfession},
	Profession:           {"PROFESSION", CategoryProfession},
	Other:                {"OTHER", CategoryOther},
	Protected:            {"PROTECTED", NoCategory},
}

var categoryTypes = [...]Type{
	NoCategory:         NoType,
	CategoryName:       Name,
	CategoryProfession: Profession,
	CategoryLocation:   Location,
	CategoryAge:        Age,
	CategoryDate:       Date,
	CategoryContact:    Contact,
	CategoryID:         ID,
	CategoryOther:      Other,
}

var byLabel = func() map[string]Type {
	m := make(map[string]Type, typeCount)
	for t := NoType + 1; t < Protected; t++ {
		m[taxonomy[t].label] = t
	}
	return m
}()

// String gives the label of the type as corpora, models and policies write it, such as NAME_PATIENT.
func (t Type) String() string {
	if t >= typeCount {
		return "O"
	}
	return taxonomy[t].label
}

// Category gives the category that the type belongs to.
func (t Type) Category() Category {
	if t >= typeCount {
		return NoCategory
	}
	return taxonomy[t].category
}

// Bare says whether the type is a category alone that also has types of its own.
func (t Type) Bare() bool {
	return t != NoType && t.Category().Type() == t && t != Age && t != Other
}

// ParseType reads a label such as NAME_PATIENT, NAME or AGE_AGE; ok is false for an unknown one.
func ParseType(label string) (t Type, ok bool) {
	label = strings.ToUpper(strings.TrimSpace(label))
	switch label {
	case "AGE_AGE":
		return Age, true
	case "OTHER_OTHER":
		return Other, true
	}
	t, ok = byLabel[label]
	return t, ok
}

// Types lists every type and bare category that can be detected, in the order of priority.
func Types() []Type {
	list := make([]Type, 0, typeCount)
	for t := NoType + 1; t < Protected; t++ {
		list = append(list, t)
	}
	return list
}

// Type gives the type that stands for the category alone.
func (c Category) Type() Type {
	if int(c) >= len(categoryTypes) {
		return NoType
	}
	return categoryTypes[c]
}

// String gives the label of the category, such as NAME.
func (c Category) String() string { return c.Type().String() }
