#include "cli/bearer_tokens.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <cstdlib>

namespace matchcloud::cli {
namespace {

using fixtures::contains;
using strings = std::vector<std::string>;

const std::string secret = "mc_game_" + std::string(43, 'k') + "123456";

/// The detail of the error, which must be about the configuration and must not hold the secret.
std::string refusal(const base::expected<strings>& parsed) {
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().code == base::errc::config_invalid);
  CHECK(parsed.error().detail.find(secret) == std::string::npos);
  return parsed.error().detail;
}

/// While it lives, `MATCHCLOUD_TOKEN` has this value.
struct token_in_environment {
  explicit token_in_environment(const std::string& value) {
    ::setenv(token_variable, value.c_str(), 1);
  }
  token_in_environment(const token_in_environment&) = delete;
  token_in_environment& operator=(const token_in_environment&) = delete;
  ~token_in_environment() { ::unsetenv(token_variable); }
};

TEST_CASE("tokens stand in lines, among comments and blanks") {
  const auto text = "# ours\n\n  " + secret + "\t\r\n \t\n  # theirs\nA-Z.a_z~0+9/x==\nlast";
  CHECK(parse_bearer_tokens(text, "f").value() == strings{secret, "A-Z.a_z~0+9/x==", "last"});
  CHECK(parse_bearer_tokens("a\na\n", "f").value() == strings{"a", "a"});
  const std::string longest(token_limit_bytes, 'x');
  CHECK(parse_bearer_tokens(longest + "\n", "f").value() == strings{longest});
}

TEST_CASE("a line that is no token is told by its number, not by what it says") {
  const auto second = [](const std::string& line) {
    return refusal(parse_bearer_tokens("one\n" + line + "\nthree\n", "f"));
  };
  CHECK(second(secret + "!").starts_with("f:2: character 58 is not allowed there; "));
  CHECK(second("Bearer " + secret).starts_with("f:2: character 7 "));
  CHECK(second("\"" + secret + "\"").starts_with("f:2: character 1 "));
  CHECK(second("a=b").starts_with("f:2: character 3 "));
  CHECK(second("==").starts_with("f:2: character 1 "));
  CHECK(second("\xef\xbb\xbf" + secret).starts_with("f:2: character 1 "));
  CHECK(second("a" + std::string(1, '\0')).starts_with("f:2: character 2 "));
  CHECK(second(secret + std::string(token_limit_bytes, 'x')).starts_with("f:2: 313 characters; "));
}

TEST_CASE("a file has one token at least, and not more than the limit") {
  for (const auto* empty : {"", "\n\n", "# none\n"})
    CHECK(refusal(parse_bearer_tokens(empty, "f")) == "f: has no token; add one per line");
  std::string text;
  for (std::size_t i = 0; i < token_count_limit; ++i)
    text += "t\n";
  CHECK(parse_bearer_tokens(text, "f")->size() == token_count_limit);
  CHECK(refusal(parse_bearer_tokens(text + "t", "f")).starts_with("f:100001: "));
}

TEST_CASE("a file of tokens that others can read is warned of") {
  const fixtures::temporary_directory directory;
  const auto file = directory.file("tokens", secret + "\n");
  const auto warning = [&file](mode_t mode) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    const auto read = read_bearer_tokens(file);
    REQUIRE(read.has_value());
    CHECK(read->tokens == strings{secret});
    return read->warning;
  };
  CHECK(warning(0600).empty());
  CHECK(warning(0400).empty());
  CHECK(warning(0440).empty());
  for (const mode_t mode : {0604U, 0644U, 0602U}) {
    const auto text = warning(mode);
    CHECK(text.starts_with(file + ": it contains tokens, and its mode 0" +
                           std::to_string(mode / 64) + std::to_string(mode / 8 % 8) +
                           std::to_string(mode % 8) + " "));
    CHECK(contains(text, "chmod o-rwx"));
    CHECK_FALSE(contains(text, secret));
  }
  CHECK(refusal(read_bearer_tokens("/dev/null").map([](auto read) { return read.tokens; })) ==
        "/dev/null: has no token; add one per line");
}

TEST_CASE("a file of tokens that cannot be read is told") {
  const fixtures::temporary_directory directory;
  const auto why = [](const std::string& file) {
    return refusal(read_bearer_tokens(file).map([](auto read) { return read.tokens; }));
  };
  const auto none = directory.path("none");
  CHECK(why(none).starts_with(none + ": cannot be opened: "));
  CHECK(why(directory.path()).starts_with(directory.path() + ": cannot be read: "));
  CHECK(why(secret).starts_with("--token-file: cannot be opened: "));
  const auto large = directory.file("large", std::string(token_file_limit_bytes + 1, '\n'));
  CHECK(contains(why(large), "16 MiB"));
}

TEST_CASE("the environment gives one token, where no file is given") {
  const fixtures::temporary_directory directory;
  const auto file = directory.file("tokens", "of-file");
  CHECK(read_bearer_tokens("")->tokens.empty());
  {
    const token_in_environment given{" " + secret + "\n"};
    CHECK(read_bearer_tokens("")->tokens == strings{secret});
    CHECK(read_bearer_tokens("")->warning.empty());
    CHECK(read_bearer_tokens(file)->tokens == strings{"of-file"});
  }
  for (const auto* empty : {"", " \n"}) {
    const token_in_environment given{empty};
    CHECK(read_bearer_tokens("")->tokens.empty());
  }
  const token_in_environment given{secret + "\n" + secret};
  CHECK(refusal(read_bearer_tokens("").map([](auto read) {
          return read.tokens;
        })).starts_with("MATCHCLOUD_TOKEN: character 58 "));
}

TEST_CASE("a token is masked wherever it occurs") {
  CHECK(with_token_masked("a tok b tok", "tok") == "a *** b ***");
  CHECK(with_token_masked("toktok", "tok") == "******");
  CHECK(with_token_masked("aaa", "aa") == "**a");
  CHECK(with_token_masked("to", "tok") == "to");
  CHECK(with_token_masked("text", "") == "text");
}

TEST_CASE("--token is refused, and the message does not repeat its value") {
  CLI::App program;
  std::string file;
  add_token_options(program, file, "Tokens.");
  for (const std::string line :
       {"--token mc_game_abc", "--token=mc_game_abc", "--token mc_game_abc --other", "--token"}) {
    program.clear();
    try {
      program.parse(line);
      FAIL("taken: " << line);
    } catch (const CLI::ParseError& failure) {
      const std::string why = failure.what();
      CHECK(contains(why, "--token-file FILE, or MATCHCLOUD_TOKEN"));
      CHECK_FALSE(contains(why, "mc_game_abc"));
      CHECK_FALSE(contains(why, "--token-id"));
    }
  }
  CHECK_FALSE(contains(program.help(), "--token "));
  program.parse("--token-file f");
  CHECK(file == "f");
}

TEST_CASE("a command about the requests of a token says how to choose them") {
  CLI::App program;
  std::string text;
  add_token_options(program, text, "Tokens.");
  program.add_option("--token-id", text);
  try {
    program.parse("--token 00000000-0000-4000-8000-000000000007");
    FAIL("taken");
  } catch (const CLI::ParseError& failure) {
    CHECK(contains(failure.what(), "use --token-id ID"));
  }
}

} // namespace
} // namespace matchcloud::cli
