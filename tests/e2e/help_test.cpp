// What the program says of its own command line: help, completion, manual pages, a sample of the
// configuration, what was probably meant; and nothing that controls a terminal.
#include "model/text/unicode.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/e2e/process/wrapped_service.hpp"
#include "tests/fixtures/bash_completion.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/service/page_table.hpp"
#include "tests/service/process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
using matchcloud::fixtures::temporary_directory;

/// What a command prints that must succeed.
std::string printed(const arguments& args, const environment& added = {}) {
  const auto got = run(args, added);
  INFO(got.errors);
  CHECK(got.exit_code == 0);
  return got.out;
}

std::string read_file(const std::string& name) {
  std::ifstream in{name};
  return {std::istreambuf_iterator<char>{in}, {}};
}

TEST_CASE("the program alone prints its help with examples", "[operations]") {
  const auto help = printed({});
  CHECK(contains(help, "\nExample: matchcloud serve"));
  CHECK(help == printed({"--help"}));
  CHECK(help == printed({"help"}));
}

TEST_CASE("help prints what --help of a command does", "[operations]") {
  CHECK(printed({"help", "serve"}) == printed({"serve", "--help"}));
  CHECK(printed({"help", "store", "copy"}) == printed({"store", "copy", "--help"}));
  const auto unknown = run({"help", "store", "cpoy"});
  CHECK(unknown.exit_code == 2);
  CHECK(contains(unknown.errors, "did you mean `matchcloud store copy`?"));
}

TEST_CASE("a mistyped command or flag gets a suggestion", "[operations]") {
  const auto why = [](const arguments& args) {
    const auto got = run(args);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    return got.errors;
  };
  CHECK(why({"serv"}) == "matchcloud: `matchcloud` has no command `serv`; did you mean "
                         "`matchcloud serve`?\nTry `matchcloud --help`.\n");
  // The names of other servers.
  for (const std::string flag : {"--port", "--host=0.0.0.0"})
    CHECK(contains(why({"serve", flag}), "; did you mean `--listen`?\n"));
  CHECK_FALSE(contains(why({"export", "--port", "80"}), "did you mean"));
}

TEST_CASE("bash completes the commands, keys and values of the program", "[operations]") {
  const auto script = printed({"completion", "bash"});
  const auto completed = [&](const arguments& words) {
    return matchcloud::fixtures::completed(script, "_matchcloud", words);
  };
  CHECK(completed({"matchcloud", "ser"}) == arguments{"serve"});
  CHECK(completed({"matchcloud", "token", "r"}) == arguments{"rotate", "revoke"});
  CHECK(completed({"matchcloud", "serve", "--ops-l"}) == arguments{"--ops-listen"});
  CHECK(completed({"matchcloud", "serve", "--auth", ""}) == arguments{"open", "required"});
  CHECK(completed({"matchcloud", "serve", "--transport", "=", "h"}) == arguments{"httplib"});
  CHECK(completed({"matchcloud", "serve", "--geoip", ""}) == arguments{"<files>"});
  CHECK(completed({"matchcloud", "serve", "--loops", ""}).empty());
  CHECK(completed({"matchcloud", "completion", ""}) == arguments{"bash"});
  CHECK(run({"completion", "fish"}).exit_code == 2);
}

TEST_CASE("a manual page is written for each command, the same each time", "[operations]") {
  const temporary_directory folder;
  const environment day{"SOURCE_DATE_EPOCH=1767225600"};
  const auto pages = folder.path("man/man1");
  CHECK(printed({"help", "--man", pages}, day).empty());
  CHECK(printed({"help", "--man", folder.path("again")}, day).empty());
  std::size_t count = 0;
  for (const auto& each : std::filesystem::directory_iterator{pages}) {
    const auto name = each.path().filename().string();
    CAPTURE(name);
    const auto page = read_file(each.path());
    CHECK(page == read_file(folder.path("again/" + name)));
    CHECK(page.starts_with(".TH \"MATCHCLOUD"));
    CHECK(contains(page, "\"2026\\-01\\-01\""));
    ++count;
  }
  CHECK(count > 25);
  const auto serve = read_file(pages + "/matchcloud-serve.1");
  CHECK(contains(serve, "\n.SS Listening\n"));
  CHECK(contains(serve, "\\fB\\-\\-transport\\fR \\fBloops\\fR | \\fBhttplib\\fR\n"));
  CHECK(std::filesystem::exists(pages + "/matchcloud-store-copy.1"));
  const auto refused = run({"help", "--man", "/proc/none"});
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "/proc/none"));
}

TEST_CASE("manual pages have nothing that groff warns of", "[operations]") {
  if (std::system("command -v groff > /dev/null") != 0) {
    WARN("groff is not installed");
    return;
  }
  const temporary_directory folder;
  CHECK(printed({"help", "--man", folder.path()}).empty());
  const auto load = run({"--man"}, {}, {}, matchcloud::fixtures::load_program());
  CHECK(load.exit_code == 0);
  static_cast<void>(folder.file("load.1", load.out));
  const auto warnings = folder.path("warnings");
  const auto command =
      "for page in '" + folder.path() +
      "'/*.1; do groff -man -ww -Tutf8 \"$page\" > /dev/null || exit 1; done 2> '" + warnings + "'";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(read_file(warnings).empty());
}

TEST_CASE("the sample of the configuration is what --config reads", "[operations]") {
  const temporary_directory folder;
  const auto sample = printed({"serve", "--sample-config", "--data-dir", folder.path("data"),
                               "--listen", "127.0.0.1:0", "--ops-listen=127.0.0.1:0"});
  CHECK(contains(sample, "\ndata-dir = \"" + folder.path("data") + "\"\n"));
  CHECK(!std::filesystem::exists(folder.path("data")));
  child_process service{{"serve", "--config", folder.file("matchcloud.toml", sample)}};
  bool serves = false;
  while (const auto line = service.next_line())
    if (line->starts_with("ops plane on")) {
      serves = true;
      service.signal(SIGTERM);
    }
  INFO(service.errors());
  CHECK(serves);
  CHECK(service.exit_code() == 0);
  const auto wrong = run({"serve", "--sample-config", "--loops", "many"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.out.empty());
  CHECK(contains(wrong.errors, "--loops = \"many\" is not valid"));
}

// -- terminals ---------------------------------------------------------------

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

std::vector<arguments> documented_commands() {
  std::vector<arguments> all;
  for (const auto& command : first_column("docs/commands.md", "commands")) {
    std::istringstream words{command.substr(std::string{"matchcloud "}.size())};
    all.emplace_back(std::istream_iterator<std::string>{words},
                     std::istream_iterator<std::string>{});
  }
  return all;
}

TEST_CASE("no argument of a command controls the terminal", "[operations]") {
  const auto commands = documented_commands();
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
