// What the program says of its own command line: help, completion, manual pages, a sample of the
// configuration, and what was probably meant.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/bash_completion.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/service/process.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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
  CHECK(why({"store", "cpoy", "a", "b"}) ==
        "matchcloud: `matchcloud store` has no command `cpoy`; did you mean `matchcloud store "
        "copy`?\nTry `matchcloud store --help`.\n");
  CHECK(why({"serve", "--data-dri", "var"}) ==
        "matchcloud: `matchcloud serve` has no flag `--data-dri`; did you mean `--data-dir`?\n"
        "Try `matchcloud serve --help`.\n");
  // The names of other servers.
  for (const std::string flag : {"--port", "--host=0.0.0.0"})
    CHECK(contains(why({"serve", flag}), "; did you mean `--listen`?\n"));
  CHECK_FALSE(contains(why({"export", "--port", "80"}), "did you mean"));
  CHECK(contains(why({"store", "copy"}), "Try `matchcloud store copy --help`."));
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
  CHECK(completed({"matchcloud", "catalog", "list", "re"}) == arguments{"regions"});
  CHECK(completed({"matchcloud", "completion", ""}) == arguments{"bash"});
  CHECK(completed({"matchcloud", "help", "val"}) == arguments{"validate"});
  CHECK(completed({"matchcloud", "validate", "--"}).size() >= 5);
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

} // namespace
