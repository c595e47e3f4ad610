#!/bin/sh
# A virtual environment with what the training needs, made once under $1; prints its python.
set -eu
build=${1:?usage: venv.sh BUILD_DIR}
here=$(cd "$(dirname "$0")" && pwd)
venv=$build/training-venv
if [ ! -f "$venv/.done" ] || [ "$here/requirements.lock" -nt "$venv/.done" ]; then
  echo "training: setting up $venv" >&2
  python3 -m venv "$venv" >&2
  "$venv/bin/python" -m pip install --quiet --requirement "$here/requirements.lock" >&2
  touch "$venv/.done"
fi
echo "$venv/bin/python"
