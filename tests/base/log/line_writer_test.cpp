#include "base/log/line_writer.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/stalled_pipe.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
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

TEST_CASE("a stalled reader holds up no thread, and the log says how many lines were dropped") {
  stalled_pipe pipe{filled::full};
  std::uint64_t dropped = 0;
  std::uint64_t written = 0;
  {
    line_writer writer{pipe.write_end(), note};
    while (writer.metrics().dropped.get() < 1'000)
      writer.write(numbered(written++));
    dropped = writer.metrics().dropped.get();
    // Those that the thread holds, and those that wait.
    CHECK((written - dropped) * numbered(0).size() <= 2 * log_waiting_limit_bytes);
    CHECK((written - dropped) * numbered(0).size() >= log_waiting_limit_bytes / 2);
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

TEST_CASE("several lines are taken together, all or none, and counted each") {
  stalled_pipe pipe{filled::full};
  constexpr std::size_t limit_bytes = 1'000;
  {
    line_writer writer{pipe.write_end(), note, limit_bytes};
    while (writer.metrics().dropped.get() < 3)
      writer.write_lines(std::string(199, 'x') + "\n" + std::string(199, 'y') + "\nz\n", 3);
    CHECK(writer.metrics().dropped.get() == 3);
    pipe.read_on();
    REQUIRE(writer.wait_written(patience));
  }
  const auto text = pipe.finish();
  CHECK(std::ranges::count(text, 'x') == std::ranges::count(text, 'y'));
  CHECK(text.find("dropped 3\n") != std::string::npos);
}

TEST_CASE("a writer whose reader never reads again ends all the same") {
  const stalled_pipe pipe{filled::full};
  // In a process of its own: its thread uses the pipe for as long as it runs.
  fixtures::child alone{[&] {
    line_writer writer{pipe.write_end(), note};
    writer.write("never read\n");
    return !writer.wait_written(1ms);
  }};
  CHECK(alone.succeeded());
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

TEST_CASE("a line that a full disk cuts stays apart from those that follow once there is room") {
  const fixtures::temporary_directory folder;
  const auto file = folder.path("log");
  // In a process of its own, whose files have a limit for a while.
  fixtures::child alone{[&] {
    const file_descriptor log{::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600)};
    rlimit room{};
    if (!log || ::getrlimit(RLIMIT_FSIZE, &room) != 0) return false;
    const auto before = std::exchange(room.rlim_cur, 10);
    std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &room) != 0) return false;
    line_writer writer{log.get(), note};
    for (const auto* line : {"first\n", "second\n", "third\n"}) {
      writer.write(line);
      if (!writer.wait_written(patience)) return false;
    }
    room.rlim_cur = before;
    if (::setrlimit(RLIMIT_FSIZE, &room) != 0) return false;
    writer.write("fourth\n");
    return writer.wait_written(patience) && writer.metrics().dropped.get() == 2;
  }};
  CHECK(alone.succeeded());
  CHECK(fixtures::read_whole(file) == "first\nseco\ndropped 2\nfourth\n");
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

std::size_t threads() {
  const std::filesystem::directory_iterator all{"/proc/self/task"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_CASE("the thread of a writer ends once no line follows and all are written") {
#ifdef __SANITIZE_THREAD__
  return; // no threads after a fork
#endif
  stalled_pipe pipe{filled::no};
  fixtures::child alone{[&] {
    line_writer writer{pipe.write_end(), note};
    writer.write("first\n");
    if (!writer.wait_written(patience) || threads() != 2) return false;
    writer.write("last\n");
    writer.end();
    return eventually([] { return threads() == 1; }) && writer.wait_written(0ms);
  }};
  CHECK(alone.succeeded());
  CHECK(pipe.finish() == "first\nlast\n");
}

TEST_CASE("the note about a dropped line is written although no other line follows") {
  stalled_pipe pipe{filled::no};
  pipe.read_on();
  {
    line_writer writer{pipe.write_end(), note};
    writer.drop();
    CHECK(writer.wait_written(patience));
    CHECK(writer.metrics().dropped.get() == 1);
  }
  CHECK(pipe.finish() == "dropped 1\n");
}

/// From here on this process can start no thread. False if that cannot be brought about.
bool forbid_threads() {
  const auto nobody = static_cast<uid_t>(1'000'000'000 + ::getpid());
  if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) return false;
  const rlimit none{0, 0};
  return ::setrlimit(RLIMIT_NPROC, &none) == 0;
}

TEST_CASE("without a thread, a writer waits for a stalled reader once, for a bounded time") {
#ifdef __SANITIZE_THREAD__
  return; // no threads after a fork
#endif
  stalled_pipe pipe{filled::full};
  fixtures::event_pipe stalled;
  fixtures::event_pipe reading;
  fixtures::child alone{[&] {
    if (!forbid_threads()) return false;
    line_writer writer{pipe.write_end(), note};
    const auto begun = e2e::clock::now();
    writer.write("one\n");
    const auto first = e2e::clock::now() - begun;
    for (int i = 0; i < 1'000; ++i)
      writer.write("two\n");
    const bool dropped = writer.metrics().dropped.get() == 1'001;
    if (!dropped || first < log_direct_limit || !writer.wait_written(patience)) return false;
    // Each waiting as long as the first would take minutes.
    if (e2e::clock::now() - begun > patience) return false;
    if (!stalled.signal() || !reading.wait()) return false;
    if (!e2e::wait_for(pipe.write_end(), POLLOUT, e2e::deadline{})) return false;
    writer.write("three\n");
    return writer.metrics().dropped.get() == 1'001;
  }};
  REQUIRE(stalled.wait());
  pipe.read_on();
  REQUIRE(reading.signal());
  CHECK(alone.succeeded());
  CHECK(pipe.finish() == "dropped 1001\nthree\n");
}

} // namespace
} // namespace matchcloud::base
