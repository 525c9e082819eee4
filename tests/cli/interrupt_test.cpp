#include "cli/interrupt.hpp"

#include "tests/catch.hpp"

#include <csignal>

namespace matchcloud::cli {

namespace {

TEST_CASE("each signal that would end a command is seen") {
  const auto signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const interrupt until;
  CHECK_FALSE(until.came());
  REQUIRE(::raise(signal) == 0);
  CHECK(until.came());
}

TEST_CASE("signals that came together are all acted on") {
  {
    const interrupt until;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      REQUIRE(::raise(signal) == 0);
  }
  // A pending signal would have ended this process.
  CHECK_FALSE(interrupt{}.came());
}

TEST_CASE("a command that is to outlive its terminal does") {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const interrupt until;
    REQUIRE(::raise(SIGHUP) == 0);
    CHECK_FALSE(until.came());
  }
  std::signal(SIGHUP, before);
}

} // namespace

} // namespace matchcloud::cli
