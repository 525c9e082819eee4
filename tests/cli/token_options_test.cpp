#include "cli/token_options.hpp"

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
    }
  }
  CHECK_FALSE(contains(program.help(), "--token "));
  program.parse("--token-file f");
  CHECK(file == "f");
}

} // namespace
} // namespace matchcloud::cli
