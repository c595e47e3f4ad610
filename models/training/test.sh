#!/bin/sh
# The tests of the Python chain: a tiny random model through shards, training, export, scores and localising.
set -eu
build=${1:?usage: test.sh BUILD_DIR}
cd "$(dirname "$0")/.."
python=$(training/venv.sh "$build")
exec "$python" -m pytest -q training/tests
