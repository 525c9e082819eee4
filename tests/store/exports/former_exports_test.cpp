#include "store/exports/former_exports.hpp"

#include "tests/store/exports/export_fixture.hpp"
#include "tests/store/store_fixture.hpp"

#include <fstream>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

/// What earlier versions wrote about `facts_of(1)` with five bytes of CSV.
const std::string sound = R"({"export_id":"e0000000-0000-0000-0000-000000000001",)"
                          R"("game_id":"e0000000-0000-0000-0000-000000000065","query_start":7,)"
                          R"("query_end":18446744073709551615,"keep_until_ts":1000,"csv_bytes":5})"
                          "\n";

std::string with(const std::string& from, const std::string& to) {
  auto text = sound;
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

struct former_exports_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<database> in = had(open_sqlite(directory.path()));
  std::string folder = fs::path{csv_path(directory.path(), 1)}.parent_path();

  explicit former_exports_bench(const std::string& about = sound) {
    fs::create_directories(folder);
    write("about.json", about);
    write("lobby-history.csv", "a,b\r\n");
    write("lobby-history.csv.gz", "packed");
  }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream{folder + "/" + name} << bytes;
  }
  void adopt(std::int64_t now_ts = 999) const {
    adopt_former_exports(directory.path(), *in, now_ts);
  }
  std::optional<export_record> record() const {
    return had(had(in->exports())->find_export(export_id_of(1)));
  }
  void check_adopted() const {
    const auto found = record();
    REQUIRE(found);
    CHECK(found->sha256.empty());
    CHECK_FALSE(found->snapshot);
    const auto files = open_ok(directory.path());
    const auto opened = had(files->open(export_id_of(1)));
    CHECK(opened->facts == found->facts);
    CHECK(content_of(*opened->csv) == "a,b\r\n");
    REQUIRE(opened->gzip);
    CHECK(content_of(*opened->gzip) == "packed");
    CHECK(files->used_bytes() == 11);
    CHECK(entries_of(folder) == 2);
  }
  void check_removed() const {
    CHECK_FALSE(record());
    CHECK(entries_of(directory.path("exports")) == 0);
  }
};

TEST_CASE("an export of an earlier version is served on, as long as it was to be kept") {
  const former_exports_bench on;
  on.adopt();
  on.check_adopted();
  CHECK(on.record()->facts == facts_of(1));
  on.adopt(2'000); // what is adopted already is left to the sweeps
  on.check_adopted();
}

TEST_CASE("an export of an earlier version in a dialect is one of that dialect") {
  const former_exports_bench on{with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":\"excel\"")};
  on.adopt();
  on.check_adopted();
  CHECK(on.record()->facts.query.dialect == model::csv_dialect::excel);
}

TEST_CASE("an adoption continues wherever a killed process left it") {
  const former_exports_bench on;
  const auto killed_after = GENERATE(1, 2, 3);
  fs::rename(on.folder + "/lobby-history.csv", on.folder + "/1");
  if (killed_after > 1) fs::rename(on.folder + "/lobby-history.csv.gz", on.folder + "/1.gz");
  if (killed_after > 2) {
    on.adopt();
    on.write("about.json", sound);
  }
  on.adopt();
  on.check_adopted();
}

TEST_CASE("an export of an earlier version that is over is removed") {
  const former_exports_bench on;
  on.adopt(1'000);
  on.check_removed();
}

TEST_CASE("an export of an earlier version that is damaged is removed") {
  const auto about = GENERATE_COPY(values<std::string>({
      "",
      "[]",
      "{}",
      sound + sound,
      sound.substr(0, sound.size() - 3),
      with("\"csv_bytes\":5", "\"csv_bytes\":6"), // of another file
      with("0000000001\"", "0000000002\""),       // of another export
      with("\"csv_bytes\":5", "\"csv_bytes\":5,\"csv\":\"xls\""),
      with("\"csv_bytes\":5", "\"csv_bytes\":\"5\""),
      with("\"csv_bytes\":5", "\"csv_bytes\":-5"),
      with("\"csv_bytes\":5", "\"csv_bytes\":5.5"),
      with("\"csv_bytes\":5", "\"csv_bytes\":18446744073709551616"),
      with("\"csv_bytes\":5", "\"csv_size\":5"),
      with("\"keep_until_ts\":1000", "\"keep_until_ts\":9223372036854775808"),
      with("\"keep_until_ts\":1000", "\"keep_until_ts\":null"),
      with("\"query_end\":18446744073709551615", "\"query_end\":6"),
      with("\"game_id\":\"e0", "\"game_id\":\"x0"),
      with("{", "{" + std::string(5'000, ' ')),
  }));
  CAPTURE(about);
  const former_exports_bench on{about};
  on.adopt();
  on.check_removed();
}

TEST_CASE("what is no export of an earlier version stays as it is") {
  const former_exports_bench on;
  fs::create_directories(on.directory.path("exports/notes"));
  on.directory.file("exports/notes/about.json", sound);
  on.directory.file("exports/about.json", sound);
  on.adopt();
  on.check_adopted();
  CHECK(entries_of(on.directory.path("exports")) == 3);
  const fixtures::temporary_directory empty;
  adopt_former_exports(empty.path(), *on.in, 0);
  CHECK(entries_of(empty.path()) == 0);
}

} // namespace

} // namespace matchcloud::store
