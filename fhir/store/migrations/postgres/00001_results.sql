-- +goose Up
CREATE TABLE requests (
  id TEXT NOT NULL PRIMARY KEY,
  made_at BIGINT NOT NULL, -- microseconds since 1970-01-01 UTC
  client TEXT NOT NULL,
  context TEXT NOT NULL,
  policy TEXT NOT NULL -- hash
);

CREATE TABLE policies (
  hash TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  body BYTEA NOT NULL,
  first_used_at BIGINT NOT NULL
);

CREATE TABLE lineage (
  source TEXT NOT NULL, -- keyed hash of the input's identity
  target TEXT NOT NULL, -- pseudonymous reference
  subject TEXT NOT NULL, -- keyed hash of the patient, empty where there is none
  request TEXT NOT NULL,
  PRIMARY KEY (source, target, request)
);
CREATE INDEX lineage_subject ON lineage (subject);
CREATE INDEX lineage_target ON lineage (target);

CREATE TABLE results (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  request TEXT NOT NULL,
  subject_hash TEXT NOT NULL,
  body BYTEA NOT NULL,
  UNIQUE (type, id)
);
CREATE INDEX results_subject_hash ON results (subject_hash);
CREATE INDEX results_request ON results (request);

CREATE TABLE result_references (
  result BIGINT NOT NULL REFERENCES results (seq) ON DELETE CASCADE,
  param TEXT NOT NULL, -- subject, focus or target
  reference TEXT NOT NULL,
  PRIMARY KEY (result, param, reference)
);
CREATE INDEX result_references_search ON result_references (param, reference, result);

CREATE TABLE profile (
  document TEXT NOT NULL,
  method TEXT NOT NULL,
  context TEXT NOT NULL,
  subject TEXT NOT NULL, -- keyed hash of the patient
  made_at BIGINT NOT NULL,
  vectors BYTEA NOT NULL,
  PRIMARY KEY (context, method, document)
);
CREATE INDEX profile_subject ON profile (subject);

CREATE TABLE audit (
  seq BIGINT NOT NULL PRIMARY KEY,
  made_at BIGINT NOT NULL,
  entry BYTEA NOT NULL, -- the event as canonical JSON
  hash BYTEA NOT NULL -- HMAC-SHA-256 over the previous hash and the entry
);

CREATE TABLE idempotency (
  client TEXT NOT NULL,
  key TEXT NOT NULL, -- keyed hash of what the client sent
  body TEXT NOT NULL, -- keyed hash of the request
  request TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (client, key)
);
