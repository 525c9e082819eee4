#!/usr/bin/env bash
# Builds the source package on another release of Debian, installs the result and starts the
# programs: tests/deb/build_on.sh RELEASE (such as trixie). Everything is in a folder that is
# removed afterwards. Needs root, and about 20 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

release=$1
script/setup package
mkdir -p build/deb
root=$PWD/build/deb/root-$release-build
leave() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
leave
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mmdebstrap --mode=root --variant=buildd --quiet --skip=cleanup/apt/lists --format=directory \
  "$release" "$root" http://deb.debian.org/debian
script/package --source "$root/root"
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
chroot "$root" sh -euc '
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
  cd /root
  apt-get build-dep -y -qq ./matchcloud_*.dsc
  dpkg-source --extract matchcloud_*.dsc tree
  (cd tree && dpkg-buildpackage --build=binary --no-sign)
  apt-get install -y -qq --no-install-recommends ./matchcloud_*.deb
  matchcloud --version
  matchcloud-load --help >/dev/null
  matchcloud serve --config /etc/matchcloud/matchcloud.toml --data-dir /tmp/store &
  service=$!
  tries=0
  until matchcloud health; do
    tries=$((tries + 1))
    [ "$tries" -lt 30 ] || exit 1
    sleep 1
  done
  kill "$service"
  wait "$service"
'
