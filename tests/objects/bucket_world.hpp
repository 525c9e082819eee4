#pragma once

#include "store/export_records.hpp"
#include "tests/catch.hpp"
#include "tests/service/server.hpp"
#include "tests/store/objects/s3_service.hpp"

#include <cstddef>
#include <cstdint>
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

/// The flags of a server, of each delivery in turn. Call it once per test case.
inline arguments each_delivery() {
  const std::string delivery = GENERATE("redirect", "through");
  UNSCOPED_INFO(delivery);
  return {"--objects-delivery", delivery};
}

/// The parts of a URL that leads out of the service.
struct location {
  explicit location(const std::string& url);

  address to;
  /// As it stands in the URL, which signatures are for.
  std::string authority;
  std::string target;
};

/// Sends a request to the server that a URL leads to.
answer ask_url(const std::string& url, std::string_view method = "GET",
               std::string_view headers = {});

answer ask(const server& at, std::string_view method, const std::string& target,
           std::string_view headers = {});
/// What a client gets that follows a redirect, with the same headers.
answer download(const server& from, const std::string& target, std::string_view method = "GET",
                std::string_view headers = {});
/// The body of an answer as far as it comes before the connection ends, whatever its length should
/// be.
std::string received_body(const server& from, const std::string& target,
                          std::string_view headers = {});

inline const std::string export_path =
    "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history";
/// A span with all lobbies that tests have, and with an end before which each has ended or ends
/// at that.
inline const std::string all_lobbies = R"({"query_start":0,"query_end":1769904000000})";

answer ask_for_export(const server& of, const std::string& body = all_lobbies);
/// The path and query of the URL of an export, which leads to the service.
std::string exported(const server& of, const std::string& body = all_lobbies);
/// The path of an export's URL, which tells exports apart.
std::string path_of(const std::string& target);
/// The CSV of all lobbies, by the command `export`.
std::string csv_of(const world& in);
/// That of `large_world`.
const std::string& large_csv();

/// The paths of the demo's images, from the list of its avatars; their URLs begin with `base`.
std::vector<std::string> image_targets(const server& of, const std::string& base = {});

} // namespace matchcloud::e2e
