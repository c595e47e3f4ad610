#!/bin/sh
# Builds and fetches the native parts that the Go code links with or loads:
#   libtokenizers.a           by cargo, from the pinned Go module's own Rust source
#   libonnxruntime.so.VERSION out of the PyPI wheel (or the npm package), checked by sha256
# Both land in the folder given as $1. A part that is there with the right version is left alone.
set -eu

out=${1:?usage: build.sh OUT_DIR}
tokenizers_version=v1.22.2
ort_version=1.24.3

mkdir -p "$out"
out=$(cd "$out" && pwd)
machine=$(uname -m)
case "$machine" in
  x86_64) platforms="manylinux_2_27_x86_64 manylinux_2_28_x86_64"; npm_arch=x64 ;;
  aarch64|arm64) machine=aarch64; platforms="manylinux_2_27_aarch64 manylinux_2_28_aarch64"; npm_arch=arm64 ;;
  *) echo "native: no onnxruntime library is known for $machine" >&2; exit 1 ;;
esac

# Hashes of the library itself, one for each package that carries it: two builds of one release.
hashes=$(cd "$(dirname "$0")" && pwd)/onnxruntime.sha256

known() { grep -q "^${machine} $(sha256sum <"$1" | cut -d ' ' -f 1)\$" "$hashes"; }

tokenizers() {
  stamp="$out/libtokenizers.$tokenizers_version"
  [ -f "$stamp" ] && [ -f "$out/libtokenizers.a" ] && return
  command -v cargo >/dev/null || { echo "native: cargo is missing (Debian: apt-get install cargo-web rustc-web)" >&2; exit 1; }
  module=$(go list -m -f '{{.Dir}}' github.com/daulet/tokenizers)
  [ -n "$module" ] || { go mod download github.com/daulet/tokenizers; module=$(go list -m -f '{{.Dir}}' github.com/daulet/tokenizers); }
  CARGO_TARGET_DIR="$out/cargo" cargo build --release --locked --quiet --manifest-path "$module/Cargo.toml"
  cp "$out/cargo/release/libtokenizers.a" "$out/libtokenizers.a.part"
  mv "$out/libtokenizers.a.part" "$out/libtokenizers.a"
  rm -rf "$out/cargo"
  : >"$stamp"
}

fetch_wheel() {
  command -v python3 >/dev/null || return 1
  args=""
  for p in $platforms; do args="$args --platform $p"; done
  # shellcheck disable=SC2086 # the platforms are words on purpose
  python3 -m pip download --quiet --no-deps --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 $args \
    -d "$1" "onnxruntime==$ort_version" || return 1
  python3 - "$1" "$ort_version" <<'PY'
import glob, shutil, sys, zipfile
folder, version = sys.argv[1:]
with zipfile.ZipFile(glob.glob(folder + "/onnxruntime-*.whl")[0]) as wheel:
    with wheel.open("onnxruntime/capi/libonnxruntime.so." + version) as source, open(folder + "/lib.so", "wb") as target:
        shutil.copyfileobj(source, target)
PY
}

fetch_npm() {
  command -v npm >/dev/null || return 1
  (cd "$1" && npm pack --silent "onnxruntime-node@$ort_version" >/dev/null && tar xzf onnxruntime-node-*.tgz) || return 1
  cp "$1/package/bin/napi-v6/linux/$npm_arch/libonnxruntime.so.1" "$1/lib.so"
}

onnxruntime() {
  library="$out/libonnxruntime.so.$ort_version"
  if [ -f "$library" ] && known "$library"; then return; fi
  for fetch in fetch_wheel fetch_npm; do
    folder=$(mktemp -d)
    if $fetch "$folder"; then
      if known "$folder/lib.so"; then
        mv "$folder/lib.so" "$library"
        rm -rf "$folder"
        return
      fi
      echo "native: $fetch brought a library with another sha256: $(sha256sum <"$folder/lib.so")" >&2
    fi
    rm -rf "$folder"
  done
  echo "native: onnxruntime $ort_version could not be fetched (python3 with pip, or npm, is needed)" >&2
  exit 1
}

tokenizers
onnxruntime
