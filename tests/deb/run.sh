#!/usr/bin/env bash
# Makes the Debian package in two versions and tests them on a Debian that boots (run.py).
# script/test deb calls this.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ((EUID != 0)); then
  echo "deb: booting a Debian needs root" >&2
  exit 1
fi
to=build/deb
rm -f $to/*.deb
DEB_BUILD_OPTIONS=noautodbgsym script/package --version 0.0.1 $to
script/package $to
newer=$(echo $to/matchcloud_*.deb | tr ' ' '\n' | grep -v _0.0.1_)
# In a separate mount namespace, whose end removes the mounts in it.
exec unshare --mount --propagation private python3 -B tests/deb/run.py \
  $to/matchcloud_0.0.1_*.deb "$newer" $to "$@"
