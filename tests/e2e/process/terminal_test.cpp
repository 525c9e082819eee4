// What others wrote does not control the terminal on which a command prints it.
#include "model/text/unicode.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/service/page_table.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;

/// Clears the screen, rings, clears it in C1, reorders, and begins a line of its own.
const std::string hostile = "a\x1b[2J\x07\u009b2J\u202e\nforged: line";

/// Whether a text is UTF-8 in which nothing but line ends and tabs moves a cursor.
bool is_harmless(std::string_view text) {
  using namespace matchcloud::model;
  while (!text.empty()) {
    const auto [c, bytes] = decode_utf8(text);
    const bool moves = (is_control(c) && c != U'\n' && c != U'\t') || is_bidirectional(c);
    if (bytes == 0 || moves) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

/// Checks what a command printed.
void check_harmless(const command_result& of) {
  for (const auto& text : {of.out, of.errors}) {
    CAPTURE(text);
    CHECK(is_harmless(text));
    CHECK(text.find("\nforged: line") == std::string::npos);
  }
}

std::vector<arguments> all_commands() {
  std::vector<arguments> all;
  for (const auto& command : first_column("docs/commands.md", "commands")) {
    std::istringstream words{command.substr(std::string{"matchcloud "}.size())};
    all.emplace_back(std::istream_iterator<std::string>{words},
                     std::istream_iterator<std::string>{});
  }
  return all;
}

TEST_CASE("no argument of a command controls the terminal", "[operations]") {
  const auto commands = all_commands();
  REQUIRE(commands.size() > 40);
  const matchcloud::fixtures::temporary_directory folder;
  const auto missing = folder.path(hostile);
  for (const auto& command : commands) {
    CAPTURE(command);
    for (const auto& more : {arguments{hostile},
                             {"--" + hostile},
                             {"--data-dir=" + missing, hostile, hostile},
                             {"--config", missing},
                             {"--config", missing, hostile},
                             {missing, "--format", hostile},
                             {"--url", hostile},
                             {"--store", hostile, hostile},
                             {"--game", hostile, "--name", hostile}})
      check_harmless(run(command + more));
  }
}

TEST_CASE("no file that a command reads controls the terminal", "[operations]") {
  const world own;
  const auto& folder = own.directory();
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream{folder.path(name), std::ios::binary} << text;
    return folder.path(name);
  };
  const arguments in{"--data-dir", own.data_dir()};
  const auto config = write("c.toml", "log-level = \"" + hostile + "\"\n");
  for (const std::string command : {"serve", "doctor", "backup", "verify", "restore"})
    check_harmless(run({command, "--config", config}));
  const auto faults = write("f.toml", "\"" + hostile + "\" = { fail = true }\n");
  check_harmless(run(arguments{"doctor", "--fault-injection", "--faults", faults} + in));
  const auto json = write(hostile + ".json", "{\"display_name\": \"" + hostile + "\", " + hostile);
  for (const std::string format : {"text", "json", "github", "sarif"})
    check_harmless(run({"validate", "--format", format, json}));
  for (const std::string kind : {"catalog", "lobbies", "avatars"})
    check_harmless(run(arguments{"import", kind, json} + in));
  check_harmless(run({"geoip", "--geoip", json, "192.0.2.1"}));
  check_harmless(run({"fault", "run", json}));
  check_harmless(run(arguments{"latency", "import", json} + in));

  // A backup whose manifest others changed.
  const matchcloud::fixtures::temporary_directory elsewhere;
  const auto backup = elsewhere.path("backup\nforged: line");
  check_harmless(run(arguments{"backup", backup} + in));
  const auto manifest = backup + "/manifest.json";
  std::ifstream file{manifest};
  std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
  const std::string planted = "x\\u001b[2J\\u0007\\u009b2J\\u202e\\nforged: line";
  for (const std::string member :
       {"\"source\":\"", "\"table\":\"", "\"engine\":\"", "\"sha256\":\""}) {
    auto changed = text;
    const auto at = changed.find(member);
    REQUIRE(at != std::string::npos);
    changed.insert(at + member.size(), planted);
    std::ofstream{manifest} << changed;
    check_harmless(run({"verify", backup}));
    check_harmless(
        run({"restore", backup, "--data-dir", elsewhere.path("restored\nforged: line")}));
  }
}

} // namespace
