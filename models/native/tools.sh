#!/bin/sh
# Installs Go tools, given as path@version, into GOBIN; one that is there in that version is left alone.
set -eu
mkdir -p "$GOBIN"
for tool in "$@"; do
  path=${tool%@*}
  version=${tool#*@}
  name=$(basename "$path")
  if [ -x "$GOBIN/$name" ] && go version -m "$GOBIN/$name" | grep -q "^[[:space:]]mod[[:space:]].*[[:space:]]$version[[:space:]]*"; then
    continue
  fi
  echo "tools: building $name $version" >&2
  CGO_ENABLED=0 go install "$tool"
done
