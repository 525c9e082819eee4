#!/usr/bin/env bash
# Builds the libraries whose atomics and locks ThreadSanitizer must see, from Debian's sources of
# the installed versions: tests/tsan/libraries.sh FOLDER. They have Debian's sonames, so that
# programs linked against Debian's libraries find these on their rpath. If all of them are built
# already, it takes a moment.
#
# The sources are from the places where apt gets its binary packages. apt's lists of sources are
# only in FOLDER. script/tsan calls this.
set -euo pipefail
cd "$(dirname "$0")/../.."

mkdir -p "$1"
folder=$(cd "$1" && pwd)
flags='-O1 -g1 -fPIC -fno-omit-frame-pointer -fsanitize=thread'
binaries=(libcaf-dev libcpp-httplib-dev libspdlog-dev)

say() { printf 'tsan: %s\n' "$*" >&2; }

# The text that identifies a build: if any of it changes, everything is built again.
identity() {
  dpkg-query -W -f='${source:Package} ${source:Version}\n' "${binaries[@]}"
  g++ --version | head -n 1
  sha256sum "tests/tsan/libraries.sh"
}

own_apt() {
  local apt=$folder/apt
  apt-get -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State="$apt/state" -o Dir::State::status=/var/lib/dpkg/status \
    -o Dir::Cache="$apt/cache" -o Acquire::Retries=2 -o Acquire::Languages=none \
    -o APT::Sandbox::User="$(id -un)" -o APT::Update::Post-Invoke-Success::= "$@"
}

fetch_sources() {
  mkdir -p "$folder"/apt/{state/lists/partial,cache/archives/partial} "$folder/sources"
  local signed='' keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [[ -e $keyring ]] && signed="[signed-by=$keyring] "
  apt-get indextargets --format "deb-src $signed\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
    'Created-By: Packages' 'Origin: Debian' | sort -u >"$folder/apt/sources.list"
  if [[ ! -s $folder/apt/sources.list ]]; then
    say 'apt has no lists of packages: run apt-get update'
    return 1
  fi
  own_apt update >&2
  local name version
  while read -r name version; do
    fetch "$name" "$version"
  done < <(dpkg-query -W -f='${source:Package} ${source:Version}\n' "${binaries[@]}")
}

# Unpacks a source package into sources/NAME.
fetch() {
  local to=$folder/sources/$1
  rm -rf "$to" "$to.packed"
  mkdir -p "$to.packed"
  (
    cd "$to.packed"
    own_apt source "$1=$2" >&2 && mv -- */ "$to" && exit
    # Mirrors sometimes lack Debian's own part.
    say "could not fetch all of $1 $2: trying without Debian's patches"
    own_apt source --tar-only "$1=$2" >&2
    mkdir "$to"
    tar -xf ./*.orig.tar.* -C "$to" --strip-components=1
  )
  rm -rf "$to.packed"
}

# shared LIBRARY FLAG.. SOURCE..: builds a library with the soname of Debian's.
shared() {
  local library=$1 soname
  shift
  soname=$(readelf -d "$(g++ -print-file-name="$library.so")" |
    sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
  # shellcheck disable=SC2086 # flags are words
  g++ -std=c++17 $flags -shared -Wl,-soname,"$soname" "$@" -o "$folder/$soname"
}

build_caf() {
  cmake -S "$folder/sources/actor-framework" -B "$folder/caf" -G Ninja -Wno-dev \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-std=c++14 $flags" -DCAF_LOG_LEVEL=QUIET \
    -DCAF_NO_{IO,OPENSSL,OPENCL,PYTHON,TOOLS,EXAMPLES,UNIT_TESTS}=ON >"$folder/caf.log"
  ninja -C "$folder/caf" -j "$(nproc)" libcaf_core_shared >>"$folder/caf.log"
  find "$folder/caf" -name 'libcaf_core.so.*' -exec cp -P {} "$folder" ';'
}

build_httplib() {
  python3 "$folder/sources/cpp-httplib/split.py" -o "$folder/httplib" >&2
  # Without NDEBUG, it aborts if a client's Range is beyond a file. Without poll, which Debian also
  # uses, it cannot serve descriptors over 1023.
  # shellcheck disable=SC2046 # flags are words
  shared libcpp-httplib -DNDEBUG -DCPPHTTPLIB_USE_POLL $(pkg-config --cflags cpp-httplib) \
    "$folder/httplib/httplib.cc" -lssl -lcrypto -lz -lbrotlidec -lbrotlienc
}

build_spdlog() {
  # shellcheck disable=SC2046 # flags are words
  shared libspdlog -Dspdlog_EXPORTS $(pkg-config --cflags spdlog) \
    "$folder"/sources/spdlog/src/*.cpp -lfmt
}

identity >"$folder/identity.wanted"
cmp -s "$folder/identity.wanted" "$folder/identity" && exit
say "building CAF, cpp-httplib and spdlog under ThreadSanitizer in $1"
fetch_sources
build_caf
build_httplib
build_spdlog
mv "$folder/identity.wanted" "$folder/identity"
