#!/usr/bin/env bash
# Builds the image on a Debian 12 made by mmdebstrap, unpacks it and runs the service from it, also
# as the pod of deploy/kubernetes. Needs root. script/test image calls this.
#
# build/image keeps the base and the image's layers. The base is made again in the next week, or if
# its options have changed.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=build/image
if ((EUID != 0)); then
  echo "image: run this as root, because it mounts, changes users and makes networks" >&2
  exit 1
fi
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
container=
buildah() {
  local command=$1
  shift
  command buildah --root "$PWD/$here/storage" --runroot "$PWD/$here/run" "$command" "$@"
}
leave() { [[ -z $container ]] || buildah rm "$container" >/dev/null; }
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Like docker.io's debian:12-slim: only required packages, and no manuals.
base=(--variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr
  --aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*'
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' bookworm)

make_base() {
  local key new
  key=$(printf '%s\n' "$(date +%G-%V)" "${base[@]}")
  if [[ $key == "$(cat $here/base.key 2>/dev/null)" ]] && buildah inspect --type image base \
    >/dev/null 2>&1; then
    return
  fi
  rm -f $here/base.key
  if ! mmdebstrap --quiet "${base[@]}" $here/base.tar >$here/base.log 2>&1; then
    cat $here/base.log >&2
    return 1
  fi
  new=$(buildah from scratch)
  buildah add --quiet "$new" $here/base.tar / >/dev/null
  buildah commit --quiet --rm "$new" base >/dev/null
  rm $here/base.tar
  printf '%s\n' "$key" >$here/base.key
}

# The package that script/test deb made, if it is newer than the program.
make_package() {
  local name version package
  read -r name version _ < <(build/release/matchcloud --version)
  rm -rf $here/context
  mkdir -p $here/context
  for package in build/deb/"${name}_$version"_*.deb; do
    if [[ $package -nt build/release/matchcloud ]]; then
      cp "$package" $here/context/
      return
    fi
  done
  script/package $here/context
}

build_image() {
  local version
  version=$(dpkg-deb --field $here/context/matchcloud_*.deb Version)
  buildah bud --format docker --pull-never --layers --quiet --build-arg BASE=localhost/base \
    --build-arg VERSION="$version" -f deploy/image/Containerfile -t matchcloud $here/context
  rm -rf $here/oci
  buildah push --quiet matchcloud oci:$here/oci:latest
  buildah inspect --type image matchcloud >$here/inspect.json
  # Removes layers of earlier packages.
  buildah rmi --prune >/dev/null
}

mkdir -p $here
make_package
make_base
build_image
script/packages tests/kubernetes build/kubernetes
cp tests/kubernetes/manifests.mjs build/kubernetes/
container=$(buildah from --pull-never matchcloud)
IMAGE_ROOT=$(buildah mount "$container") PYTHONDONTWRITEBYTECODE=1 python3 tests/image/run_all.py
