#include "cli/parsing.hpp"

#include "cli/duration.hpp"
#include "tests/catch.hpp"
#include "tests/cli/toy_program.hpp"

#include <iostream>
#include <sstream>

namespace matchcloud::cli {
namespace {

using namespace std::chrono_literals;

/// The result of a parsed command line.
struct outcome {
  std::optional<int> code;
  std::string out;
  std::string errors;
};

/// What a stream gets while this object lives.
class captured {
public:
  explicit captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() { stream_.rdbuf(before_); }
  std::string text() const { return text_.str(); }

private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

outcome parsed(std::vector<const char*> words) {
  toy_program toy;
  words.insert(words.begin(), "toy-box");
  const captured out{std::cout};
  const captured errors{std::cerr};
  const auto code = parse_command_line(toy.program, static_cast<int>(words.size()), words.data());
  return {code, out.text(), errors.text()};
}

void check_usage(const std::vector<const char*>& words, const std::string& why,
                 const std::string& help) {
  const auto got = parsed(words);
  CHECK(got.code == usage);
  CHECK(got.out.empty());
  CHECK(got.errors == "toy-box: " + why + "\nTry `" + help + " --help`.\n");
}

TEST_CASE("a program with commands that is called alone prints its help") {
  const auto got = parsed({});
  CHECK(got.code == ok);
  CHECK(got.out == parsed({"--help"}).out);
  CHECK(got.errors.empty());
}

TEST_CASE("a command line that is right runs its command") {
  const auto got = parsed({"store", "copy", "a", "--format=json"});
  CHECK(!got.code);
  CHECK(got.out.empty());
  CHECK(got.errors.empty());
}

TEST_CASE("a mistyped command gets a suggestion") {
  check_usage({"stroe"}, "`toy-box` has no command `stroe`; did you mean `toy-box store`?",
              "toy-box");
  check_usage({"stroe", "copy", "--force"},
              "`toy-box` has no command `stroe`; did you mean `toy-box store`?", "toy-box");
  check_usage({"zzz"}, "`toy-box` has no command `zzz`", "toy-box");
  check_usage({"store", "cpoy", "a"},
              "`toy-box store` has no command `cpoy`; did you mean `toy-box store copy`?",
              "toy-box store");
  check_usage({"store"}, "`toy-box store` needs a command: copy", "toy-box store");
}

TEST_CASE("a mistyped flag gets a suggestion, also where another is missing therefore") {
  const std::string help = "toy-box store copy";
  check_usage({"store", "copy", "a", "--froce"},
              "`toy-box store copy` has no flag `--froce`; did you mean `--force`?", help);
  check_usage({"store", "copy", "--formt=json"},
              "`toy-box store copy` has no flag `--formt`; did you mean `--format`?", help);
  check_usage({"store", "copy", "a", "-zzz"}, "`toy-box store copy` has no flag `-zzz`", help);
  check_usage({"stop", "--nam", "a"}, "`toy-box stop` has no flag `--nam`; did you mean `--name`?",
              "toy-box stop");
  check_usage({"stop"}, "--name is required", "toy-box stop");
  check_usage({"--name", "a", "stop"},
              "`toy-box` has no flag `--name`; put it after `toy-box stop`", "toy-box stop");
}

TEST_CASE("an argument too many, and a value that is not allowed, are named") {
  check_usage({"store", "copy", "a", "games", "more"},
              "`toy-box store copy` takes no argument `more`", "toy-box store copy");
  const auto got = parsed({"store", "copy", "a", "--count", "10"});
  CHECK(got.code == usage);
  CHECK(got.errors.starts_with("toy-box: --count: "));
}

TEST_CASE("messages about command lines repeat no secrets") {
  for (const std::string hidden : {"mc_admin_0123456789012345678901234567890123456789012345678",
                                   "postgresql://me:hush@host/x"}) {
    const auto got = parsed({"store", "copy", "a", "games", hidden.c_str()});
    CHECK(got.code == usage);
    CHECK(got.errors.find("0123456789") == std::string::npos);
    CHECK(got.errors.find("hush") == std::string::npos);
  }
}

TEST_CASE("a duration is a whole number with a unit, or 0") {
  CHECK(parse_whole_duration("0") == 0ms);
  CHECK(parse_whole_duration("0d") == 0ms);
  CHECK(parse_whole_duration("1s") == 1s);
  CHECK(parse_whole_duration("30m") == 30min);
  CHECK(parse_whole_duration("12h") == 12h);
  CHECK(parse_whole_duration("90d") == 90 * 24h);
}

TEST_CASE("a duration is bounded in every unit") {
  CHECK(parse_whole_duration("36500d") == duration_limit);
  CHECK(parse_whole_duration("876000h") == duration_limit);
  CHECK(parse_whole_duration("3153600000s") == duration_limit);
  for (const auto* text : {"36501d", "876001h", "3153600001s", "4294967295d", "4294967296s"})
    CHECK_FALSE(parse_whole_duration(text));
}

TEST_CASE("anything else is no duration") {
  for (const auto* text : {"", "1", "d", "-1d", "+1d", "1.5h", "1 d", " 1d", "1d ", "1D", "1w",
                           "1h30m", "1ms", "00", "2027-01-01T00:00:00Z"})
    CHECK_FALSE(parse_whole_duration(text));
}

} // namespace
} // namespace matchcloud::cli
