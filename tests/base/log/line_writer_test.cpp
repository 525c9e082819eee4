#include "base/log/line_writer.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/stalled_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::base {
namespace {

using namespace std::chrono_literals;
using e2e::eventually;
using fixtures::stalled_pipe;
using filled = stalled_pipe::filled;

constexpr auto patience = e2e::patience;

std::string note(std::uint64_t lines) {
  return "dropped " + std::to_string(lines) + "\n";
}

std::string numbered(std::uint64_t number) {
  return "line " + std::to_string(number) + " " + std::string(100, 'x') + "\n";
}

TEST_CASE("lines are written in the order in which they came") {
  stalled_pipe pipe{filled::no};
  std::string all;
  {
    line_writer writer{pipe.write_end(), note};
    pipe.read_on();
    for (std::uint64_t i = 0; i < 500; ++i) {
      writer.write(numbered(i));
      all += numbered(i);
    }
    CHECK(writer.wait_written(patience));
    CHECK(writer.metrics().dropped.get() == 0);
  }
  CHECK(pipe.finish() == all);
}

TEST_CASE("a reader that stalls holds up nobody; what is dropped is counted and said") {
  stalled_pipe pipe{filled::full};
  std::uint64_t dropped = 0;
  std::uint64_t written = 0;
  {
    line_writer writer{pipe.write_end(), note};
    while (writer.metrics().dropped.get() < 1'000)
      writer.write(numbered(written++));
    dropped = writer.metrics().dropped.get();
    // Those that the thread holds, and those that wait.
    CHECK((written - dropped) * numbered(1'000).size() <= 2 * log_waiting_limit_bytes);
    CHECK((written - dropped) * numbered(1'000).size() >= log_waiting_limit_bytes / 2);
    CHECK_FALSE(writer.wait_written(10ms));
    pipe.read_on();
    REQUIRE(writer.wait_written(patience));
    writer.write("at the end\n");
    REQUIRE(writer.wait_written(patience));
  }
  std::istringstream lines{pipe.finish()};
  std::uint64_t number = 0;
  std::uint64_t said = 0;
  std::vector<std::string> others;
  for (std::string line; std::getline(lines, line);)
    if (line + "\n" == numbered(number)) {
      ++number; // in order, whole and none twice
    } else if (line.starts_with("dropped ")) {
      const auto count = std::stoull(line.substr(8));
      said += count;
      number += count; // at the place of those lines
    } else {
      others.push_back(line);
    }
  CHECK(number == written);
  CHECK(said == dropped);
  CHECK(others == std::vector<std::string>{"at the end"});
}

TEST_CASE("a line that follows dropped ones stands behind the note on them") {
  stalled_pipe pipe{filled::full};
  {
    line_writer writer{pipe.write_end(), note};
    while (writer.metrics().dropped.get() < 3)
      writer.write(std::string(log_line_limit_bytes - 1, 'x') + "\n");
    pipe.read_on();
    REQUIRE(writer.wait_written(patience));
    writer.write("next\n");
    REQUIRE(writer.wait_written(patience));
  }
  const auto text = pipe.finish();
  CHECK(text.ends_with("x\ndropped 3\nnext\n"));
}

TEST_CASE("a writer whose reader never reads again ends all the same") {
  const stalled_pipe pipe{filled::full};
  line_writer writer{pipe.write_end(), note};
  writer.write("never read\n");
  CHECK_FALSE(writer.wait_written(1ms));
  // The destructor and the end of the process are what is tested.
}

TEST_CASE("long lines are cut, not within a character") {
  stalled_pipe pipe{filled::no};
  std::string umlauts = "x";
  while (umlauts.size() < 2 * log_line_limit_bytes)
    umlauts += "\u00e4";
  {
    line_writer writer{pipe.write_end(), note};
    pipe.read_on();
    writer.write(umlauts + "\n");
    CHECK(writer.wait_written(patience));
  }
  const auto text = pipe.finish();
  CHECK(text.size() <= log_line_limit_bytes);
  CHECK(text.size() > log_line_limit_bytes - 4);
  REQUIRE(text.ends_with("\u00e4 ..\n"));
  CHECK(umlauts.starts_with(text.substr(0, text.size() - 4)));
}

TEST_CASE("lines that a full disk or a gone reader does not take count as dropped") {
  const bool disk = GENERATE(true, false);
  stalled_pipe pipe{filled::no};
  const file_descriptor full{::open("/dev/full", O_WRONLY | O_CLOEXEC)};
  REQUIRE(full);
  pipe.close_reader();
  line_writer writer{disk ? full.get() : pipe.write_end(), note};
  writer.write("one\n");
  CHECK(writer.wait_written(patience));
  writer.write("two\n");
  CHECK(writer.wait_written(patience));
  CHECK(writer.metrics().dropped.get() == 2);
}

TEST_CASE("lines of several threads are never mixed") {
  stalled_pipe pipe{filled::no};
  {
    line_writer writer{pipe.write_end(), note};
    pipe.read_on();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&writer, line = std::string(300, static_cast<char>('a' + i)) + "\n"] {
        for (int each = 0; each < 50; ++each)
          writer.write(line);
      });
    for (auto& each : threads)
      each.join();
    CHECK(writer.wait_written(patience));
  }
  std::istringstream lines{pipe.finish()};
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    CHECK(line == std::string(300, line.empty() ? '?' : line[0]));
  CHECK(count == 200);
}

} // namespace
} // namespace matchcloud::base
