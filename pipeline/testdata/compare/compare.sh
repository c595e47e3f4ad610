#!/bin/sh
# Measures rules and gazetteers beside the regular expressions of three other tools, on the same texts in one run.
# The arguments are corpora in JSON Lines, packed or not; the developer data's letters and notes without any.
# COMPARE_PYTHON names a Python that has what requirements.txt lists; without it one is made in a folder of its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
data=${FHIRDEID_DATA:-../shared/data}
[ $# -gt 0 ] || set -- "$data/letters/letters.jsonl" "$data/carriers/en_mtsamples_dev.jsonl.gz"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=${COMPARE_PYTHON:-}
if [ -z "$python" ]; then
  python3 -m venv "$folder/venv"
  python=$folder/venv/bin/python
  "$python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
fi

# The library is no part of the product: it is entered in a copy of go.mod.
cp go.mod go.sum "$folder"
go get -modfile="$folder/go.mod" github.com/mingrammer/commonregex@v1.0.1 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
GOMAXPROCS=1 go run -modfile="$folder/go.mod" ./pipeline/testdata/compare "$@" >"$folder/go.jsonl"
"$python" "$here/compare.py" "$folder/go.jsonl" "$@"
