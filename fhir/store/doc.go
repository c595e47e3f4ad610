// Package store keeps what a request leaves behind: lineage, results, policy versions, the audit trail, and the
// reference profile of the risk. It holds pseudonyms and keyed hashes, never a value of the input. One DB type speaks
// two dialects, embedded SQLite (encrypted at rest) and PostgreSQL; both pass the same suite of tests.
package store
