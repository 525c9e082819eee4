// Backups of what is in a bucket, and restores into one.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/objects/bucket_clients.hpp"
#include "tests/objects/bucket_world.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace {

using namespace matchcloud;
using namespace e2e;

command_result good(const arguments& words, const environment& added = {}) {
  auto got = run(words, added);
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  return got;
}

/// The rows and digests of what `verify` read, by table.
std::map<std::string, std::string> tables_of(const command_result& got) {
  std::map<std::string, std::string> found;
  const auto json = parse_json(got.out);
  for (const auto& each : json["tables"].GetArray())
    found[each["table"].GetString()] =
        std::to_string(each["rows"].GetUint64()) + " " + each["sha256"].GetString();
  found.erase("audit"); // each restore has an entry more
  return found;
}

TEST_CASE("a backup has the images of a bucket, and goes into files or another bucket") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  {
    const server of{{}, at.in};
    exported(of);
  }
  const fixtures::temporary_directory beside;
  const auto backup = beside.path("backup");
  const auto made = good({"backup", backup, "--data-dir", at.in.data_dir()});
  CHECK(made.out.find("3 images, ") != std::string::npos);
  good({"verify", backup});
  const auto before =
      tables_of(good({"verify", "--data-dir", at.in.data_dir(), "--format", "json"}));

  const auto files = beside.path("files");
  good({"restore", backup, "--data-dir", files});
  CHECK(tables_of(good({"verify", "--data-dir", files, "--format", "json"})) == before);

  const s3_bucket other;
  const auto data_dir = beside.path("other");
  const auto done = good({"restore", backup, "--data-dir", data_dir}, told_of(other));
  CHECK(names_in(other) == names_below(at.bucket, "media/"));
  CHECK_FALSE(std::filesystem::exists(data_dir + "/media"));
  CHECK(tables_of(good({"verify", "--data-dir", data_dir, "--format", "json"}, told_of(other))) ==
        before);
}

TEST_CASE("an image that the bucket has lost or damaged is found") {
  if (!store::has_s3_service()) return;
  const bucket_world at;
  const auto image = names_below(at.bucket, "media/").front();
  const auto name = *store::object_name::parse(image);
  const auto objects = at.bucket.open();
  REQUIRE(objects->remove(name).has_value());
  const bool is_there = GENERATE(false, true);
  if (is_there) REQUIRE(objects->put_new(name, "x", "image/png").has_value());
  const auto found = run({"verify", "--data-dir", at.in.data_dir()});
  CHECK(found.exit_code == 1);
  CHECK(found.out.find(is_there ? "damaged" : "missing") != std::string::npos);
  CHECK(found.out.find(image) != std::string::npos);
  const fixtures::temporary_directory beside;
  CHECK(run({"backup", beside.path("backup"), "--data-dir", at.in.data_dir()}).exit_code == 1);
}

} // namespace
