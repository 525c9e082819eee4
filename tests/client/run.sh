#!/usr/bin/env bash
# Tests the built service with the existing client of its interface. The client's packages are those
# of package-lock.json. script/test client calls this.
set -euo pipefail
cd "$(dirname "$0")/../.."

to=build/client
folder=$(mktemp -d)
server=
leave() {
  if [[ $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Puts the service's URL into `url` once it listens, and ends it when this script ends. From here it
# is in London, so that distances differ.
serve() {
  local output line
  mkfifo "$folder/output"
  build/release/matchcloud serve --listen 127.0.0.1:0 --ops-listen 127.0.0.1:0 \
    --data-dir "$folder" --fallback-location 51.5,-0.12 >"$folder/output" &
  server=$!
  exec {output}<"$folder/output"
  url=
  while IFS= read -rt 30 -u "$output" line; do
    case $line in
      "listening on "*) url=${line#listening on } ;;
      "ops plane on "*) return ;;
    esac
  done
  echo "client: the service does not listen" >&2
  return 1
}

script/packages tests/client $to
cp tests/client/*.mjs $to/
build/release/matchcloud demo --data-dir "$folder" >&2
serve

status=0
MATCHCLOUD_SERVER="$url" node --test --test-reporter=spec \
  --test-reporter-destination=stdout --test-reporter=tap \
  --test-reporter-destination=$to/results.tap $to/operations.test.mjs || status=$?
passed=$(sed -n 's/^# pass //p' $to/results.tap)
failed=$(sed -n 's/^# fail //p' $to/results.tap)
echo "client: ${passed:-0} passed, ${failed:-0} failed"
exit $status
