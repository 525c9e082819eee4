#include "cli/bearer_tokens.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"

namespace matchcloud::cli {
namespace {

using fixtures::contains;

TEST_CASE("there is no --token, and what is said of it does not repeat it") {
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
