// The command `export`.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
using matchcloud::fixtures::read_whole;

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string january = "2026-01-01T00:00:00Z";
const std::string february = "2026-02-01T00:00:00Z";

/// Arguments to export the demo game's January 2026, followed by `more`.
arguments export_of(const arguments& more, const std::string& start = january,
                    const std::string& end = february) {
  arguments words{"export", "--game", std::string{demo_game}, "--start", start, "--end", end};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A data directory with the demo data of January 2026.
struct demo_store {
  matchcloud::fixtures::temporary_directory directory;

  demo_store() {
    REQUIRE(run({"demo", "--data-dir", data_dir(), "--until", "2026-02-01"}).exit_code == 0);
  }
  std::string data_dir() const { return directory.path("store"); }
};

TEST_CASE("a wrong command line of export exits with 2 and says what is wrong", "[operations]") {
  struct wrong_line {
    arguments words;
    std::string says;
  };
  const arguments to{"--data-dir", "none", "-o", "-"};
  for (const auto& wrong : {
           wrong_line{export_of({"-o", "-"}), "--url"},
           {export_of({"-o", "-"}), "--data-dir"},
           {export_of({"--url", "http://a.example", "--data-dir", "var", "-o", "-"}), "excludes"},
           {export_of({"--data-dir", "var"}), "--output"},
           {export_of({"--url", "http://a.example/?x", "-o", "-"}), "query"},
           {export_of(to, "yesterday"), "\"yesterday\""},
           {export_of(to, february, january),
            "--start " + february + " is later than --end " + january},
           {export_of({"--data-dir", "none", "-o", "-", "--csv", "xls"}), "{exact,excel}"},
           {{"export", "--game", "7", "--start", "0", "--end", "1", "--url", "http://a.example",
             "-o", "-"},
            "--game `7` is not a game's id (a UUID). Names work only with a store"},
       }) {
    const auto got = run(wrong.words);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong.says));
    CHECK(contains(got.errors, "--help"));
  }
}

TEST_CASE("an export from the store is a file, stdout or a device", "[operations]") {
  const demo_store demo;
  const auto file = demo.directory.path("january.csv");
  const auto to_file = run(export_of({"--data-dir", demo.data_dir(), "-o", file}));
  INFO(to_file.errors);
  CHECK(to_file.exit_code == 0);
  CHECK(to_file.out.empty());
  const auto csv = read_whole(file);
  CHECK(csv.starts_with("lobby_id,namespace_id,"));
  CHECK(lines_in(csv) == 10'001);
  CHECK(contains(to_file.errors, "10000 lobbies, " + std::to_string(csv.size()) + " bytes in "));
  CHECK(lines_in(to_file.errors) == 1);

  const auto to_stdout =
      run(export_of({"--data-dir", demo.data_dir(), "-o", "-"}, "1767225600000"));
  CHECK(to_stdout.exit_code == 0);
  CHECK(lines_in(to_stdout.out) == 10'001);
  CHECK(run(export_of({"--data-dir", demo.data_dir(), "-o", "/dev/null"})).exit_code == 0);

  const auto none = run(export_of({"--data-dir", demo.data_dir(), "-o", "-"}, january, january));
  CHECK(none.exit_code == 0);
  CHECK(lines_in(none.out) == 1);
  CHECK(contains(none.errors, "0 lobbies, "));
}

TEST_CASE("an export takes a game's name, and dates, which are their first instants",
          "[operations]") {
  const demo_store demo;
  const auto by = [&](const std::string& who, const std::string& start, const std::string& end) {
    const auto got = run({"export", "--game", who, "--start", start, "--end", end, "--data-dir",
                          demo.data_dir(), "-o", "-"});
    INFO(got.errors);
    CHECK(got.exit_code == 0);
    return got.out;
  };
  const auto csv = by(std::string{demo_game}, "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z");
  CHECK(lines_in(csv) > 100);
  CHECK(by("Demo Game", "2026-01-02", "2026-01-03") == csv);
  CHECK(by("demo GAME", "1767312000000", "2026-01-03") == csv);
  CHECK(lines_in(by("Demo Game", "2026-01-02", "2026-01-02")) == 1);
}

TEST_CASE("export takes one token, of a file or the environment, and never shows it",
          "[operations]") {
  const matchcloud::fixtures::temporary_directory directory;
  const std::string token = "mc_game_" + std::string(43, 'k') + "123456";
  const auto one = directory.file("one", token + "\n");
  const auto two = directory.file("two", token + "\n" + token + "\n");
  for (const auto& file : {one, two})
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  struct given_token {
    arguments words;
    environment added;
    int exit_code;
    std::string says;
  };
  // Nobody listens there: what is taken fails later.
  const std::string url = "http://127.0.0.1:1";
  for (const auto& given : {
           given_token{{"--token-file", one, "--url", url}, {}, 1, "no connection"},
           {{"--url", url}, {"MATCHCLOUD_TOKEN=" + token}, 1, "no connection"},
           {{"--url", url}, {"MATCHCLOUD_TOKEN=" + token + "\""}, 2, "MATCHCLOUD_TOKEN: "},
           {{"--token-file", two, "--url", url}, {}, 2, "has 2 tokens"},
           {{"--token", token, "--url", url}, {}, 2, "--token-file FILE, or MATCHCLOUD_TOKEN"},
       }) {
    auto words = given.words;
    words.insert(words.end(), {"-o", directory.path("out.csv")});
    const auto got = run(export_of(words), given.added);
    INFO(got.errors);
    CHECK(got.exit_code == given.exit_code);
    CHECK(contains(got.errors, given.says));
    CHECK(!contains(got.errors + got.out, token));
  }
}

TEST_CASE("an export that fails leaves the file that was there, and says why", "[operations]") {
  const demo_store demo;
  const auto file = demo.directory.file("a.csv", "before");
  const auto fails = [&](const arguments& words, const std::string& why) {
    const auto got = run(words);
    INFO(got.errors);
    CHECK(got.exit_code == 1);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, why));
    CHECK(read_whole(file) == "before");
  };
  fails({"export", "--game", "00000000-0000-4000-8000-0000000000ff", "--start", "0", "--end", "1",
         "--data-dir", demo.data_dir(), "-o", file},
        "no game 00000000-0000-4000-8000-0000000000ff; games: `Demo Game` (00000000-");
  fails(export_of({"--data-dir", demo.directory.path(), "-o", file}), "there is no store");
  CHECK_FALSE(std::filesystem::exists(demo.directory.path("matchcloud.db")));
  fails(export_of({"--url", "http://127.0.0.1:1", "-o", file}), "no connection");
  fails(export_of({"--data-dir", demo.data_dir(), "-o", demo.data_dir()}), "Is a directory");
  fails(export_of({"--data-dir", demo.data_dir(), "-o", "/dev/full"}), "No space left on device");
}

/// The exit code of a full export to `output`, started by a shell that applies `redirections` to
/// the standard streams and runs `before` first. -1 if a signal ended it.
int export_by_shell(const demo_store& demo, const std::string& output,
                    const std::string& redirections, const std::string& before = {}) {
  const auto line = before + "exec " + matchcloud::fixtures::service_program() + " export --game " +
                    std::string{demo_game} + " --start 0 --end 1893456000000 --data-dir " +
                    demo.data_dir() + " -o " + output + " " + redirections;
  const auto status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a file that may not grow fails an export, which leaves nothing", "[operations]") {
  const demo_store demo;
  const auto folder = demo.directory.path("out");
  REQUIRE(std::filesystem::create_directory(folder));
  CHECK(export_by_shell(demo, folder + "/a.csv", "2>/dev/null", "ulimit -f 500; ") == 1);
  CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE("standard streams that are closed are not taken for other files", "[operations]") {
  const demo_store demo;
  const auto file = demo.directory.path("a.csv");
  const auto exit_code = [&](const std::string& output, const std::string& redirections) {
    return export_by_shell(demo, output, redirections);
  };
  CHECK(exit_code("-", ">&- 2>/dev/null") == 1);
  CHECK(exit_code("-", "<&- >&- 2>&-") == 1);
  CHECK(exit_code(file, "<&- >&- 2>&-") == 0);
  const auto csv = read_whole(file);
  CHECK(csv.starts_with("lobby_id,"));
  CHECK(csv.ends_with("\r\n"));
  CHECK(lines_in(csv) > 10'000);
}

TEST_CASE("an export to a pipe that is closed early ends without an error", "[operations]") {
  const demo_store demo;
  std::string command = matchcloud::fixtures::service_program();
  for (const auto& each : export_of({"--data-dir", demo.data_dir(), "-o", "-"}))
    command += " " + each;
  const auto done = run({"-c", command + " | head -n 1"}, {}, {}, "/bin/sh");
  CHECK(done.out.starts_with("lobby_id,"));
  CHECK(lines_in(done.out) == 1);
  CHECK(done.errors.empty());
}

TEST_CASE("a signal ends an export to a pipe that nobody reads", "[operations]") {
  const demo_store demo;
  child_process child{export_of({"--data-dir", demo.data_dir(), "-o", "-"})};
  REQUIRE(child.next_line().has_value());
  child.signal(SIGINT);
  CHECK(child.exit_code() == 1);
  CHECK(child.errors() == "matchcloud export: interrupted\n");
}

TEST_CASE("an export over HTTP is the one from the store", "[operations]") {
  const demo_store demo;
  child_process service{{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0",
                         "--data-dir", demo.data_dir(), "--base-path", "/mm"}};
  std::string url;
  while (const auto line = service.next_line()) {
    const auto at = line->find("127.0.0.1:");
    if (url.empty() && at != std::string::npos) url = "http://" + line->substr(at) + "/mm";
    if (line->starts_with("ops plane on")) break;
  }
  INFO(service.errors());
  const auto file = demo.directory.path("http.csv");
  const auto over_http = run(export_of({"--url", url, "-o", file}));
  INFO(over_http.errors);
  CHECK(over_http.exit_code == 0);
  CHECK(contains(over_http.errors, "10000 lobbies, "));
  const auto exact = run(export_of({"--data-dir", demo.data_dir(), "-o", "-"})).out;
  const bool same = read_whole(file) == exact;
  CHECK(same);
  CHECK(run(export_of({"--url", url, "-o", file, "--csv", "excel"})).exit_code == 0);
  const bool same_excel =
      read_whole(file) ==
      run(export_of({"--data-dir", demo.data_dir(), "-o", "-", "--csv", "excel"})).out;
  CHECK(same_excel);
  const bool has_mark = read_whole(file).starts_with("\xEF\xBB\xBFlobby_id,");
  CHECK(has_mark);
  const bool is_else_equal = read_whole(file).substr(3) == exact;
  CHECK(is_else_equal); // the demo's names are no formulas
}

} // namespace
