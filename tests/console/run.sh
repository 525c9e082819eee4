#!/usr/bin/env bash
# Tests the console in a browser against the built service: tests/console/run.sh [TEST_FILE..]
#
# Starts a service that contains the page, with demo data and fault injection, and runs the tests
# with node. Variables: MATCHCLOUD_BINARY (build/release/matchcloud), CHROMIUM (/usr/bin/chromium).
# Pictures are in build/console/screenshots. script/test console calls this.
set -euo pipefail
cd "$(dirname "$0")/../.."

from=tests/console
to=build/console/test
binary=${MATCHCLOUD_BINARY:-build/release/matchcloud}
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

# Waits for the line of `input` that begins with `word` and puts what follows into `said`.
await_line() {
  local input=$1 word=$2 line
  while IFS= read -rt 60 -u "$input" line; do
    case $line in
      "$word"*)
        said=${line#"$word"}
        return
        ;;
    esac
  done
  echo "console: there was no line \"$word..\"" >&2
  return 1
}

serve() {
  local output
  mkfifo "$folder/service"
  "$binary" serve --listen 127.0.0.1:0 --ops-listen 127.0.0.1:0 --data-dir "$folder/data" \
    --fallback-location 51.5,-0.12 --enable-fault-injection --fault-seed 18446744073709551615 \
    >"$folder/service" 2>"$folder/service.log" &
  servers+=($!)
  exec {output}<"$folder/service"
  await_line "$output" "listening on "
  export MATCHCLOUD_DATA_URL=$said
  await_line "$output" "ops plane on "
  export MATCHCLOUD_OPS_URL=$said
}

script/packages $from $to
"$binary" demo --data-dir "$folder/data" --until 2026-02-01 >&2
serve

files=("$@")
((${#files[@]})) || files=("$from"/*.test.mjs)
status=0
MATCHCLOUD_BINARY=$binary MATCHCLOUD_TEST_FOLDER=$folder node --test --test-concurrency=1 \
  --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap \
  --test-reporter-destination=$to/results.tap "${files[@]}" || status=$?
passed=$(sed -n 's/^# pass //p' $to/results.tap)
failed=$(sed -n 's/^# fail //p' $to/results.tap)
echo "console: ${passed:-0} passed, ${failed:-0} failed"
exit $status
