#!/usr/bin/env bash
# Tests the built service with its clients: the existing client of its interface, with the packages
# of package-lock.json, and those in clients/, in Node.js, Chromium and mono:
# tests/client/run.sh [TEST_FILE..]. script/test client calls this.
set -euo pipefail
cd "$(dirname "$0")/../.."

to=build/client
folder=$(mktemp -d)
servers=()

# Services that tests start themselves leave their process ids in the folder.
leave() {
  local file
  for file in "$folder"/*.pid; do
    [[ -s $file ]] && servers+=("$(<"$file")")
  done
  if ((${#servers[@]})); then
    kill "${servers[@]}" 2>/dev/null || true
    wait "${servers[@]}" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Starts the service and puts its URL into `url` once it listens. The service ends with this script.
# Its clients on this machine count as being in London, so that distances differ.
serve() {
  local output line
  mkfifo "$folder/output"
  build/release/matchcloud serve --listen 127.0.0.1:0 --ops-listen 127.0.0.1:0 \
    --data-dir "$folder" --fallback-location 51.5,-0.12 >"$folder/output" &
  servers+=($!)
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
script/packages tests/console build/console/test # to control the browser
cp tests/client/operations.test.mjs $to/
# The README's example is only compiled.
cat >$to/Example.cs <<EXAMPLE
using Matchcloud; using System; using System.Threading.Tasks;
class Example {
$(sed -n '/^async Task/,/^}/p' clients/README.md)
}
EXAMPLE
mcs -langversion:latest -out:$to/RegionClient.exe -r:System.Net.Http.dll \
  -r:System.Runtime.Serialization.dll -r:System.Xml.dll -r:System.Xml.Linq.dll \
  tests/client/RegionClient.cs clients/csharp/MatchcloudRegions.cs $to/Example.cs
build/release/matchcloud demo --data-dir "$folder" --until 2026-02-01 >&2
serve

files=("$@")
((${#files[@]})) || files=("$to/operations.test.mjs" tests/client/regions*.mjs)
status=0
MATCHCLOUD_SERVER=$url MATCHCLOUD_BINARY=build/release/matchcloud MATCHCLOUD_TEST_FOLDER=$folder \
  node --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap \
  --test-reporter-destination=$to/results.tap "${files[@]}" || status=$?
passed=$(sed -n 's/^# pass //p' $to/results.tap)
failed=$(sed -n 's/^# fail //p' $to/results.tap)
echo "client: ${passed:-0} passed, ${failed:-0} failed"
exit $status
