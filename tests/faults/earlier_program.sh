#!/usr/bin/env bash
# Builds the program of the previous release from its last commit, in build/earlier, and prints its
# path: tests/faults/earlier_program.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

version='^project\(matchcloud VERSION'
commit=$(git log -1 --format=%H -G"$version" -- CMakeLists.txt)^
folder=build/earlier
if [[ $(cat $folder/commit 2>/dev/null) != $(git rev-parse "$commit") ]]; then
  rm -rf $folder
  mkdir -p $folder
  git archive "$commit" | tar -x -C $folder
  $folder/script/build release matchcloud >&2
  git rev-parse "$commit" >$folder/commit
fi
echo "$PWD/$folder/build/release/matchcloud"
