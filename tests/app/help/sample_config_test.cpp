#include "app/help/serve_help.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <sstream>

namespace matchcloud::app {
namespace {

/// The configuration that `--config` reads from a file with this text.
base::expected<serve_config> read(const std::string& text) {
  const fixtures::temporary_directory folder;
  const auto given = read_config_file(folder.file("matchcloud.toml", text));
  return given ? make_config(*given) : tl::unexpected(given.error());
}

/// `text` with the comment signs of examples removed.
std::string with_examples(const std::string& text) {
  std::istringstream lines{text};
  std::string all;
  for (std::string line; std::getline(lines, line);)
    all += (line.size() > 1 && line[0] == '#' && line[1] != ' ' ? line.substr(1) : line) + "\n";
  return all;
}

TEST_CASE("the sample has a dozen keys or so, in the order of all keys, each explained") {
  const auto text = sample_config({});
  CHECK(sample_keys().size() >= 10);
  CHECK(sample_keys().size() <= 16);
  const config_key* before = nullptr;
  for (const auto& each : sample_keys()) {
    CAPTURE(each.name);
    const auto* key = find_config_key(each.name);
    REQUIRE(key != nullptr);
    CHECK(before < key);
    before = key;
    CHECK(text.find("\n#" + std::string{each.name} + " = ") != text.npos);
    CHECK(!(each.example.empty() && key->default_value.empty()));
  }
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
    CHECK((line.empty() || line[0] == '#'));
  }
}

TEST_CASE("the sample is a configuration, as it is printed and with all examples in force") {
  const auto plain = read(sample_config({}));
  REQUIRE(plain.has_value());
  CHECK(plain->store.data_dir == "var");
  const auto full = read(with_examples(sample_config({})));
  INFO((full ? "" : full.error().detail));
  REQUIRE(full.has_value());
  CHECK(full->front.access.requires_tokens);
  CHECK(full->drain_delay.count() == 5000);
}

TEST_CASE("given values are in force in the sample") {
  const auto text = sample_config({{"data-dir", "--data-dir", {"/var/lib/match \"cloud\"\\"}},
                                   {"listen", "--listen", {"127.0.0.1:1", "127.0.0.1:2"}},
                                   {"complete", "--complete", {"true"}},
                                   {"limit-group-display-name", "--limit-..", {"7"}},
                                   {"loops", "--loops", {"1", "2"}}});
  CHECK(text.find("\nlisten = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n") != text.npos);
  CHECK(text.find("\nloops = 2\n") != text.npos);
  CHECK(text.find("\ncomplete = true\n") != text.npos);
  CHECK(text.find("#data-dir") == text.npos);
  const auto read_back = read(text);
  INFO((read_back ? "" : read_back.error().detail));
  REQUIRE(read_back.has_value());
  CHECK(read_back->store.data_dir == "/var/lib/match \"cloud\"\\");
  CHECK(read_back->listen.size() == 2);
  CHECK(read_back->loops == 2);
}

} // namespace
} // namespace matchcloud::app
