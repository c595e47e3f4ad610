#!/bin/sh
# What the Dockerfile and compose.yaml do, where no container runtime is at hand: the same make targets, the same folders,
# PostgreSQL, an upstream (HAPI where UPSTREAM names its base), the server as another user on a read-only root with one
# folder to write to, its health check, a request, and an orderly end. Needs root and Debian's postgresql-15.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "container: needs root, to become another user and to lay a read-only root" >&2; exit 1; }
pg=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$pg" ] || { echo "container: PostgreSQL is missing (Debian: apt-get install postgresql-15)" >&2; exit 1; }
nobody=65532
build=${BUILD:-$PWD/build}

say() { echo "container: $*"; }

say "make native, make build"
make --no-print-directory BUILD="$build" native build

top=$(mktemp -d /tmp/fhirdeid-container.XXXXXX)
server=""
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ ! -f "$top/db/data/postmaster.pid" ] || as_postgres "$pg/pg_ctl" -D "$top/db/data" -m immediate -s stop || true
  rm -rf "$top"
}
as_postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"); }
trap cleanup EXIT
trap 'exit 130' INT TERM
chmod 755 "$top"

say "laying out the image"
mkdir -p "$top/opt/fhirdeid/packs" "$top/data" "$top/secrets" "$top/db"
cp "$build/fhirdeid" "$build/libonnxruntime.so.1.24.3" LICENSE NOTICE "$top/opt/fhirdeid/"
[ ! -d models/packs ] || cp -r models/packs/. "$top/opt/fhirdeid/packs/"
chown "$nobody:$nobody" "$top/data"
chmod 700 "$top/data"

say "starting PostgreSQL"
chown postgres "$top/db"
as_postgres "$pg/initdb" -D "$top/db/data" -U fhirdeid -A trust --no-sync -E UTF8 >/dev/null
as_postgres "$pg/pg_ctl" -D "$top/db/data" -w -s -l "$top/db/log" -o "-c listen_addresses= -c unix_socket_directories=$top/db -c unix_socket_permissions=0777" start
as_postgres "$pg/createdb" -h "$top/db" -U fhirdeid fhirdeid
printf 'postgres://fhirdeid@/fhirdeid?host=%s&sslmode=disable' "$top/db" >"$top/secrets/db_url"

listen=127.0.0.1:18080
set -- PATH=/usr/bin:/bin FHIRDEID_DATA_DIR="$top/data" FHIRDEID_LISTEN=$listen FHIRDEID_ADMIN=127.0.0.1:19090 \
  FHIRDEID_DATABASE__URL_FILE="$top/secrets/db_url" ${UPSTREAM:+FHIRDEID_UPSTREAM__BASE="$UPSTREAM"}
# No pack, no models: the image of a tree without packs is one that reads by rules and dictionaries.
[ -n "$(ls "$top/opt/fhirdeid/packs")" ] || set -- "$@" FHIRDEID_MODELS__USE=none

say "starting the server as user $nobody on a read-only root"
# In a mount namespace of its own: everything read-only but the data folder and an empty /tmp above it.
# shellcheck disable=SC2016 # the inner shell expands
unshare --mount -- sh -eu -c '
  data=$1 user=$2; shift 2
  mount --make-rprivate /
  mount --bind "$data" "$data"
  mount -o remount,bind,ro /
  cd /
  exec setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs --bounding-set=-all -- env -i "$@"
' sh "$top/data" "$nobody" "$@" "$top/opt/fhirdeid/fhirdeid" serve 2>"$top/server.log" &
server=$!

inside() { setpriv --reuid=$nobody --regid=$nobody --clear-groups --no-new-privs -- env -i "$@"; }
tries=0
until inside "$@" "$top/opt/fhirdeid/fhirdeid" health 2>/dev/null; do
  tries=$((tries + 1))
  if [ $tries -gt 300 ] || ! kill -0 "$server" 2>/dev/null; then cat "$top/server.log" >&2; exit 1; fi
  sleep 0.2
done
say "healthy"

ask() { curl -sS -o "$top/answer" -w '%{http_code}' "$@"; }
expect() { [ "$1" = "$2" ] || { echo "container: $3: $1, want $2" >&2; cat "$top/answer" "$top/server.log" >&2; exit 1; }; }
expect "$(ask "http://$listen/readyz")" 200 "ready"
expect "$(ask "http://$listen/fhir/metadata")" 200 "metadata"
body='{"resourceType":"Patient","id":"p1","name":[{"family":"Quittenbaum","given":["Ottokarius"]}],"birthDate":"1951-03-04"}'
expect "$(ask -H 'Content-Type: application/fhir+json' -d "$body" "http://$listen/fhir/\$deidentify")" 200 "a Patient"
grep -q '"resourceType":"Provenance"' "$top/answer" || { echo "container: no Provenance" >&2; exit 1; }
! grep -q Quittenbaum "$top/answer" || { echo "container: the name is still there" >&2; exit 1; }
if [ -n "${UPSTREAM:-}" ]; then
  expect "$(curl -sS -o "$top/answer" -w '%{http_code}' -X PUT -H 'Content-Type: application/fhir+json' -d "$body" "$UPSTREAM/Patient/p1")" 201 "putting a Patient upstream"
  expect "$(ask -X POST "http://$listen/fhir/Patient/p1/\$deidentify")" 200 "pulling a Patient"
fi
expect "$(ask "http://127.0.0.1:19090/metrics")" 200 "metrics"
written=$(find / -xdev -newer "$top/secrets/db_url" -user "$nobody" -type f -not -path "$top/data/*" -not -path '/proc/*' 2>/dev/null | head -n 3)
[ -z "$written" ] || { echo "container: written outside the data folder: $written" >&2; exit 1; }

kill "$server"
code=0
wait "$server" || code=$?
server=""
expect "$code" 0 "exit code"
! grep -q Quittenbaum "$top/server.log" || { echo "container: the log holds a name" >&2; exit 1; }
say "stopped in order; all well"
