// Package deidentify is the operation as a use case: FHIR in, de-identified FHIR out. It knows no HTTP and no SQL.
//
// A request goes three times over its resources. The first pass gathers what they say about the persons in them and
// decodes attachments; the second runs the detectors over every text, so that a name found in one document is known
// in all documents of the same patient; the third writes the answer. What was written is then searched for every
// identifier that the request named: if one is left, there is no answer. Whatever cannot be read, placed or
// understood is removed or fails the request; nothing passes because nobody knew it.
package deidentify
