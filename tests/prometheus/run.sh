#!/usr/bin/env bash
# Tests the alerts and dashboards of deploy/ with the built service and Debian's Prometheus. Needs
# root to mount a small disk and to run PostgreSQL as its own user. script/test prometheus calls
# this. Words choose tests.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ((EUID != 0)); then
  echo "prometheus: run this as root, because it mounts and changes users" >&2
  exit 1
fi
# In memory, so that stores and promtool, which sync their writes, do not wait for a busy disk.
folder=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
tests=
leave() {
  if [[ -n $tests ]]; then
    kill "$tests" 2>/dev/null || true
    wait "$tests" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# PostgreSQL's user must reach its data.
chmod 711 "$folder"
# Mounts and processes are in separate namespaces and end with them.
TMPDIR=$folder PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/fixtures/servers \
  unshare --mount --pid --fork --mount-proc --kill-child \
  python3 tests/prometheus/run.py "$folder" "$@" &
tests=$!
status=0
wait "$tests" || status=$?
tests=
exit $status
