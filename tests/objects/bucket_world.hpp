#pragma once

#include "store/export_records.hpp"
#include "tests/service/server.hpp"
#include "tests/store/objects/s3_service.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::e2e {

using store::s3_bucket;

/// The `NAME=value` lines that tell a process that images and exports are in that bucket.
environment told_of(const s3_bucket& bucket);

/// A bucket, and a world whose images and exports are in it.
struct bucket_world {
  bucket_world() = default;
  explicit bucket_world(const store_url& store) : in{told_of(bucket), store} {}

  s3_bucket bucket;
  world in{told_of(bucket)};
};

/// A world whose demo game has 60,000 more lobbies, for all tests that do not change it: an export
/// of all is stored in two parts, and passes through many windows.
const world& large_world();

/// The names of the objects in a bucket, sorted.
std::vector<std::string> names_in(const s3_bucket& bucket);
/// The same below a folder.
std::vector<std::string> names_below(const s3_bucket& bucket, std::string_view folder);
/// Whether a bucket has no exports, finished or not.
bool has_no_exports(const s3_bucket& bucket);
/// The records of exports that a data directory has.
std::vector<store::export_record> records_in(const world& in);

/// Whether there are files in a folder of the data directory.
bool has_files(const world& in, const std::string& folder);

} // namespace matchcloud::e2e
