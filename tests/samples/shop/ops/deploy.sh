#!/usr/bin/env bash
set -euo pipefail

target=${1:?usage: deploy.sh HOST}

log() {
  printf '%s %s\n' "$(date +%T)" "$*" >&2
}

if [[ -z "${RELEASE:-}" ]]; then
  export RELEASE=$(git describe --tags)
fi

for part in api web; do
  log "copying $part"
  rsync -a "build/$part/" "$target:/srv/$part/" || exit 1
done
log done
