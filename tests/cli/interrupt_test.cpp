#include "cli/interrupt.hpp"

#include "base/files/file_descriptor.hpp"
#include "cli/bounded_input.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_CASE("a pipe is read to its end, unless nobody writes to it") {
  const fixtures::temporary_directory folder;
  const auto file = folder.path("pipe");
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  const auto read = read_bounded_file(file, 10, std::chrono::milliseconds{1});
  REQUIRE_FALSE(read);
  CHECK(read.error().detail == "cannot be read: it is a pipe to which nobody writes");
  base::file_descriptor writer{::open(file.c_str(), O_RDWR | O_CLOEXEC)};
  REQUIRE(::write(writer.get(), "twelve bytes", 12) == 12);
  CHECK(read_bounded_file(file, 10, std::chrono::milliseconds{1}) == "twelve byte");
}

} // namespace
} // namespace matchcloud::cli
