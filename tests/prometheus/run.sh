#!/usr/bin/env bash
# Alerts and dashboards of deploy/ against the built service and Debian's Prometheus. As root: a
# small disk is mounted, and PostgreSQL runs as its own user. script/test prometheus calls this;
# words choose tests.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ((EUID != 0)); then
  echo "prometheus: the test mounts and changes its user: run it as root" >&2
  exit 1
fi
# In memory, where stores and promtool, which sync their writes, wait for no busy disk.
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

# PostgreSQL's user reaches its data.
chmod 711 "$folder"
# What is mounted and started in namespaces of their own ends with them.
TMPDIR=$folder PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/fixtures/servers \
  unshare --mount --pid --fork --mount-proc --kill-child \
  python3 tests/prometheus/run.py "$folder" "$@" &
tests=$!
status=0
wait "$tests" || status=$?
tests=
exit $status
