#!/usr/bin/env bash
# Loads a service with a mix of all operations, while its data changes and its ops plane gets
# requests: tests/tsan/load.sh BUILD_FOLDER TRANSPORT. Fails if a reply is wrong or the service does
# not end by itself. ctest runs this under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/../.."

programs=$1
transport=$2
folder=$(mktemp -d)
server=
load=
leave() {
  [[ -z $load ]] || kill -KILL "$load" 2>/dev/null || true
  [[ -z $server ]] || kill -KILL "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$programs/matchcloud" demo --data-dir "$folder" --until 2026-02-01
mkfifo "$folder/output"
"$programs/matchcloud" serve --transport "$transport" --loops 3 --listen 127.0.0.1:0 \
  --ops-listen 127.0.0.1:0 --data-dir "$folder" --drain-timeout-ms 3000 \
  --trusted-proxies 127.0.0.0/8 >"$folder/output" &
server=$!
exec {output}<"$folder/output"
url='' ops=''
while IFS= read -rt 60 -u "$output" line; do
  case $line in
    "listening on "*) url=${line#listening on } ;;
    "ops plane on "*) ops=${line#ops plane on } && break ;;
  esac
done
[[ -n $url && -n $ops ]] || { echo 'load: the service does not listen' >&2; exit 1; }

"$programs/matchcloud-load" --closed --duration 30s --connections 32 --threads 2 --timeout 30s \
  --mix tests/tsan/mix.toml --assert errors=0 "$url" &
load=$!

# Adds a region and a lobby, and removes the region: each makes new snapshots and lists.
lobby='"namespace_id":"00000000-0000-4000-8000-000000000011","region_id":"lon","tier":"basic-1d1"'
lobby+=',"version_id":"00000000-0000-4000-8000-000000000202","version_name":"1.0.1"'
lobby+=',"game_mode":"squad","start_ts":1767312000000'
region='{"region_display_name":"Oslo","provider_display_name":"Demo Cloud"'
region+=',"datacenter_coord":{"latitude":59.9,"longitude":10.7}}'
ask() {
  curl -sS --fail-with-body -o "$folder/answer" --max-time 60 "$@" && return
  cat "$folder/answer" >&2
  return 1
}
lap=0
while kill -0 "$load" 2>/dev/null; do
  lap=$((lap + 1))
  id=$(printf '7d4f0c1e-52a8-4a0e-9a35-%012d' $lap)
  ask -X PUT -H 'Content-Type: application/json' -d "$region" "$ops/v1/regions/osl"
  ask -H 'Content-Type: application/x-ndjson' -d "{\"lobby_id\":\"$id\",$lobby}" "$ops/v1/lobbies"
  for path in /metrics /actors /readyz /v1/regions; do ask "$ops$path"; done
  ask -X DELETE "$ops/v1/regions/osl"
done
status=0
wait "$load" || status=$?
load=
echo "load: $lap rounds of changes during the load"
kill -TERM "$server"
ended=0
wait "$server" || ended=$?
server=
((ended == 0)) || echo "load: the service ended with $ended" >&2
((status == 0 && ended == 0))
