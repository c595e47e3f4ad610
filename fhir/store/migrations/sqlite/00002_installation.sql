-- +goose Up
-- What must stay the same as long as anything is kept here, such as the check value of the master key.
CREATE TABLE installation (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
);

CREATE INDEX idempotency_made_at ON idempotency (made_at);
CREATE INDEX lineage_request ON lineage (request);
