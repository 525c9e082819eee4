#include "cli/completion.hpp"

#include "tests/catch.hpp"
#include "tests/cli/toy_program.hpp"
#include "tests/fixtures/bash_completion.hpp"

namespace matchcloud::cli {
namespace {

using words = std::vector<std::string>;

words completed(const words& line) {
  const toy_program toy;
  return fixtures::completed(bash_completion(toy.program, "toy-box completion"), "_toy_box", line);
}

TEST_CASE("bash completes commands and subcommands") {
  CHECK(completed({"toy-box", ""}) == words{"store", "stop"});
  CHECK(completed({"toy-box", "stor"}) == words{"store"});
  CHECK(completed({"toy-box", "store", ""}) == words{"copy"});
  CHECK(completed({"toy-box", "none", ""}) == words{"store", "stop"});
}

TEST_CASE("bash completes the flags of the command, but for hidden ones") {
  CHECK(completed({"toy-box", "-"}) == words{"-h", "--help"});
  CHECK(completed({"toy-box", "store", "copy", "--"}) ==
        words{"--help", "--output", "--count", "--force", "--format"});
  CHECK(completed({"toy-box", "store", "copy", "a", "--fo"}) == words{"--force", "--format"});
}

TEST_CASE("bash completes values that are few, files, and no numbers") {
  CHECK(completed({"toy-box", "store", "copy", "--format", ""}) == words{"table", "json"});
  CHECK(completed({"toy-box", "store", "copy", "--format", "=", "j"}) == words{"json"});
  CHECK(completed({"toy-box", "store", "copy", "--format", "="}) == words{"table", "json"});
  CHECK(completed({"toy-box", "store", "copy", "-o", ""}) == words{"<files>"});
  CHECK(completed({"toy-box", "store", "copy", "--count", ""}).empty());
  CHECK(completed({"toy-box", "store", "copy", "--force", ""}) ==
        words{"<files>", "games", "tiers"});
}

} // namespace
} // namespace matchcloud::cli
