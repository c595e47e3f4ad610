package fhir

import "regexp"

var temporal = regexp.MustCompile(`^([0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2}))?)?)?|[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?)$`)

// isTemporal says whether s has the form of a date, dateTime, instant or time.
func isTemporal(s string) bool { return temporal.MatchString(s) }
