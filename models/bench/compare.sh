#!/bin/sh
# Measures the packs beside Python transformers and bare onnxruntime, on the same windows in one run.
# $1 is the build folder with the program in it; the rest goes to compare.py.
# BENCH_OPTIONS are those of `fhirdeid models bench`, such as --sentences 20 or --corpus letters.jsonl --split dev.
# Needs no network when BENCH_PYTHON names a Python that has what requirements.txt lists.
set -eu
build=${1:?usage: compare.sh BUILD_DIR [OPTIONS]}
shift
build=$(cd "$build" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

python=${BENCH_PYTHON:-}
if [ -z "$python" ]; then
  venv=$build/bench-venv
  if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/requirements.txt"
  fi
  python=$venv/bin/python
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086 # the options are words
"$build/fhirdeid" models bench ${BENCH_OPTIONS---lengths 100,1000,10000,100000 --requests 1,2,4,16,64} --json "$folder/go.json" --windows "$folder/windows.jsonl"
"$python" "$here/compare.py" --packs "$here/../packs" --program "$folder/go.json" --windows "$folder/windows.jsonl" "$@"
