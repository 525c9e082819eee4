#include "tests/objects/bucket_world.hpp"

#include "store/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/service/lobby_lines.hpp"

#include <algorithm>
#include <filesystem>

namespace matchcloud::e2e {

environment told_of(const s3_bucket& bucket) {
  const auto& place = bucket.settings.location;
  return {"MATCHCLOUD_OBJECTS=s3://" + place.bucket + "/" + place.prefix,
          "MATCHCLOUD_OBJECTS_ENDPOINT=" + bucket.settings.endpoint,
          "MATCHCLOUD_OBJECTS_PATH_STYLE=true"};
}

const world& large_world() {
  static const world made;
  static const bool is_filled = [] {
    const auto file = made.directory().file("lobbies.jsonl", lobby_lines(60'000));
    const auto done = run({"import", "lobbies", "--data-dir", made.data_dir(), file});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    return true;
  }();
  REQUIRE(is_filled);
  return made;
}

std::vector<std::string> names_in(const s3_bucket& bucket) {
  std::vector<std::string> names;
  const auto done =
      bucket.open()->list({}, [&](const store::object_name& name, const store::object_facts&) {
        names.push_back(name.text());
        return true;
      });
  REQUIRE(done.has_value());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_below(const s3_bucket& bucket, std::string_view folder) {
  auto names = names_in(bucket);
  std::erase_if(names, [&](const auto& each) { return !each.starts_with(folder); });
  return names;
}

bool has_no_exports(const s3_bucket& bucket) {
  return names_below(bucket, "exports/").empty() && bucket.unfinished() == 0;
}

std::vector<store::export_record> records_in(const world& in) {
  const auto database = store::open_sqlite(in.data_dir());
  REQUIRE(database.has_value());
  std::vector<store::export_record> records;
  const auto read = (*database)->exports().and_then([&](const auto& from) {
    return from->read_exports([&](const store::export_record& each) {
      records.push_back(each);
      return true;
    });
  });
  REQUIRE(read.has_value());
  return records;
}

bool has_files(const world& in, const std::string& folder) {
  const auto path = in.data_dir() + "/" + folder;
  return std::filesystem::exists(path) && !std::filesystem::is_empty(path);
}

} // namespace matchcloud::e2e
