#include "store/backup/backup_manifest.hpp"

#include "tests/store/store_fixture.hpp"

namespace matchcloud::store {

namespace {

const std::string digest(64, 'a');

backup_manifest some_manifest() {
  return {"1.2.3",
          12,
          "SQLite",
          "/var/lib/\"x\"",
          1'000,
          2'000,
          true,
          {{"games", 3, digest}},
          {{"matchcloud.db", 4'096, digest}, {"media/ab/x.png", 7, digest}}};
}

std::string why_not(const std::string& text) {
  const auto parsed = parse_manifest(text);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().code == base::errc::import_invalid);
  return parsed.error().detail;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

TEST_CASE("a manifest is read as it was written") {
  const auto written = some_manifest();
  CHECK(had(parse_manifest(render_manifest(written))) == written);
  CHECK(written.size_bytes() == 4'103);
}

TEST_CASE("a damaged manifest is refused, with what was expected") {
  const auto text = render_manifest(some_manifest());
  for (std::size_t bytes = 0; bytes + 2 < text.size(); bytes += 7)
    CHECK(why_not(text.substr(0, bytes)).starts_with("manifest.json: it is damaged: expected "));
  CHECK(why_not(replaced(text, digest, "A" + digest.substr(1))).find("\"tables\"") !=
        std::string::npos);
  CHECK(why_not(replaced(text, "\"bytes\":4096", "\"bytes\":-1")).find("\"files\"") !=
        std::string::npos);
  CHECK(why_not(replaced(text, "true", "1")).find("\"secrets\"") != std::string::npos);
}

TEST_CASE("a manifest names no file outside of the backup") {
  const auto text = render_manifest(some_manifest());
  for (const auto* name : {"../x", "/etc/passwd", "media/../../x", "media//x", ""})
    CHECK(why_not(replaced(text, "media/ab/x.png", name)).find("\"files\"") != std::string::npos);
}

TEST_CASE("the manifest of a newer program is refused as such") {
  const auto text = render_manifest(some_manifest());
  CHECK(why_not(replaced(text, "\"format\":1", "\"format\":2")).find("a newer one") !=
        std::string::npos);
}

} // namespace

} // namespace matchcloud::store
