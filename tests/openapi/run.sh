#!/usr/bin/env bash
# Holds the OpenAPI documents to what the built service does, both ways, and to the programs that
# others read them by. The packages are those of package-lock.json. script/test openapi calls this;
# words choose parts of suite.mjs.
set -euo pipefail
cd "$(dirname "$0")/../.."

to=build/openapi
folder=$(mktemp -d)
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

install_packages() {
  local from=tests/openapi
  mkdir -p $to
  rm -f $to/*.mjs
  cp $from/*.mjs $to/
  cmp -s $from/package-lock.json $to/installed.json && return
  rm -f $to/installed.json
  cp $from/{package.json,package-lock.json,.npmrc} $to/
  if ! npm ci --prefix $to --no-audit --no-fund --ignore-scripts --loglevel=error >&2; then
    echo "openapi: npm could not install the packages: without network? See above" >&2
    return 1
  fi
  cp $from/package-lock.json $to/installed.json
}

install_packages
# Others than root of this run reach the stores in it.
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
