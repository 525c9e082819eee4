#include "store/backup/backup_manifest.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
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

/// With the digest that belongs to the rest.
std::string sealed(const std::string& text) {
  const auto head = text.substr(0, text.rfind(",\"sha256\""));
  return head + ",\"sha256\":\"" + base::hexadecimal(base::sha256(head)) + "\"}\n";
}

/// As version 0.2.0 wrote it.
std::string unprotected(const std::string& text) {
  return replaced(text.substr(0, text.rfind(",\"sha256\"")) + "}\n", "\"format\":2",
                  "\"format\":1");
}

TEST_CASE("a manifest is read as it was written") {
  const auto written = some_manifest();
  CHECK(had(parse_manifest(render_manifest(written))) == written);
  CHECK(written.size_bytes() == 4'103);
  CHECK_FALSE(written.has_secrets());
}

TEST_CASE("a manifest of version 0.2.0 is read, and known to be unprotected") {
  auto written = some_manifest();
  written.is_protected = false;
  const auto text = unprotected(render_manifest(written));
  CHECK(had(parse_manifest(text)) == written);
  CHECK(why_not(replaced(text, "\"format\":1", "\"format\":2")).find("its own SHA-256") !=
        std::string::npos);
}

TEST_CASE("a damaged manifest is refused, with what was expected") {
  const auto text = render_manifest(some_manifest());
  for (std::size_t bytes = 0; bytes < text.size(); bytes += 7)
    CHECK(why_not(text.substr(0, bytes)).starts_with("manifest.json: it is damaged: expected "));
  const auto why = [&](const std::string& what, const std::string& with) {
    return why_not(sealed(replaced(text, what, with)));
  };
  CHECK(why(digest, "A" + digest.substr(1)).find("\"sha256\"") != std::string::npos);
  CHECK(why("\"bytes\":4096", "\"bytes\":-1").find("\"bytes\"") != std::string::npos);
  CHECK(why("matchcloud.db", "matchcloud.dc").find("matchcloud.db") != std::string::npos);
  CHECK(why("\"format\":2", "\"format\":1").find("its own SHA-256") != std::string::npos);
}

TEST_CASE("a manifest with any flipped bit is refused") {
  const auto text = render_manifest(some_manifest());
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      CAPTURE(at, bit);
      CHECK_FALSE(parse_manifest(flipped).has_value());
    }
}

TEST_CASE("a manifest names no file outside of the backup") {
  const auto text = render_manifest(some_manifest());
  for (const auto* name : {"../x", "/etc/passwd", "media/../../x", "media//x", ""})
    CHECK(why_not(sealed(replaced(text, "media/ab/x.png", name))).find("\"files\"") !=
          std::string::npos);
}

TEST_CASE("the manifest of a newer program is refused as such") {
  const auto text = render_manifest(some_manifest());
  CHECK(why_not(replaced(text, "\"format\":2", "\"format\":3")).find("a newer one") !=
        std::string::npos);
}

} // namespace

} // namespace matchcloud::store
