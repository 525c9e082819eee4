#include "cli/output_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace matchcloud::cli {
namespace {

namespace fs = std::filesystem;
using fixtures::read_whole;

/// Writes `parts` to a file the way a command does.
base::expected<void> write_to(const std::string& file, const std::vector<std::string>& parts) {
  auto output = output_file::open(file);
  if (!output) return tl::unexpected(output.error());
  const interrupt until;
  if (auto begun = output->begin(until); !begun) return begun;
  for (const auto& part : parts)
    if (auto written = output->write(part); !written) return written;
  return output->complete();
}

std::size_t count_in(const std::string& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{directory}, fs::directory_iterator{}));
}

TEST_CASE("a file takes its name when it is complete") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("a.csv");
  const interrupt until;
  auto output = output_file::open(path);
  REQUIRE(output.has_value());
  REQUIRE(output->begin(until).has_value());
  const std::string large(1'000'000, 'x');
  for (const auto& part : {std::string{"a"}, large, std::string{"b"}})
    REQUIRE(output->write(part).has_value());
  CHECK_FALSE(fs::exists(path));
  CHECK(count_in(directory.path()) == 1);
  REQUIRE(output->complete().has_value());
  CHECK(read_whole(path) == "a" + large + "b");
  CHECK(count_in(directory.path()) == 1);
}

TEST_CASE("a file that is not completed leaves what was there, and nothing else") {
  const fixtures::temporary_directory directory;
  const auto path = directory.file("a.csv", "before");
  {
    const interrupt until;
    auto output = output_file::open(path);
    REQUIRE(output.has_value());
    REQUIRE(output->begin(until).has_value());
    REQUIRE(output->write(std::string(1'000'000, 'x')).has_value());
  }
  CHECK(read_whole(path) == "before");
  CHECK(count_in(directory.path()) == 1);
}

TEST_CASE("a file has the mode that the umask leaves") {
  const fixtures::temporary_directory directory;
  const auto before = ::umask(027);
  const auto done = write_to(directory.path("a.csv"), {"a"});
  ::umask(before);
  REQUIRE(done.has_value());
  struct stat found {};
  REQUIRE(::stat(directory.path("a.csv").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0640);
}

TEST_CASE("a file that is replaced keeps its mode, whatever the umask") {
  const fixtures::temporary_directory directory;
  const auto path = directory.file("a.csv", "before");
  const auto mode = GENERATE(mode_t{0600}, mode_t{0664});
  REQUIRE(::chmod(path.c_str(), mode) == 0);
  const auto before = ::umask(022);
  const auto done = write_to(path, {"a"});
  ::umask(before);
  REQUIRE(done.has_value());
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == mode);
}

TEST_CASE("what was written is forgotten when a file starts over") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("a.csv");
  const interrupt until;
  auto output = output_file::open(path);
  REQUIRE(output.has_value());
  REQUIRE(output->begin(until).has_value());
  CHECK(output->can_start_anew());
  REQUIRE(output->write(std::string(1'000'000, 'x')).has_value());
  REQUIRE(output->write("y").has_value());
  REQUIRE(output->start_anew().has_value());
  CHECK(output->bytes() == 0);
  REQUIRE(output->write("z").has_value());
  REQUIRE(output->complete().has_value());
  CHECK(read_whole(path) == "z");
}

TEST_CASE("two outputs of one process do not meet") {
  const fixtures::temporary_directory directory;
  const interrupt until;
  auto first = output_file::open(directory.path("a.csv"));
  auto second = output_file::open(directory.path("a.csv"));
  REQUIRE(first->begin(until).has_value());
  REQUIRE(second->begin(until).has_value());
  REQUIRE(first->write("first").has_value());
  REQUIRE(second->write("second").has_value());
  REQUIRE(second->complete().has_value());
  REQUIRE(first->complete().has_value());
  CHECK(read_whole(directory.path("a.csv")) == "first");
}

TEST_CASE("a symbolic link stays one; the file behind it is replaced") {
  const fixtures::temporary_directory directory;
  const auto folder = directory.path("folder");
  fs::create_directory(folder);
  std::ofstream{folder + "/real.csv"} << "before";
  fs::create_symlink(folder + "/real.csv", directory.path("link.csv"));
  REQUIRE(write_to(directory.path("link.csv"), {"after"}).has_value());
  CHECK(fs::is_symlink(directory.path("link.csv")));
  CHECK(read_whole(folder + "/real.csv") == "after");
}

TEST_CASE("a file that cannot be is told with its name and the reason") {
  const fixtures::temporary_directory directory;
  const auto plain = directory.file("plain", "x");
  for (const auto& [path, reason] : std::vector<std::pair<std::string, std::string>>{
           {directory.path(), "Is a directory"},
           {directory.path("new/"), "Is a directory"},
           {directory.path("none/a.csv"), "No such file or directory"},
           {plain + "/a.csv", "Not a directory"},
           {"/dev/full", "No space left on device"}}) {
    const auto done = write_to(path, {"a"});
    REQUIRE_FALSE(done.has_value());
    INFO(done.error().detail);
    CHECK(done.error().detail.find(path + ": cannot") == 0);
    CHECK(done.error().detail.find(reason) != std::string::npos);
  }
  CHECK(write_to("/dev/full", {"a"}).error().code == base::errc::store_full);
}

TEST_CASE("a special file is written straight to") {
  const fixtures::temporary_directory directory;
  CHECK(write_to("/dev/null", {"a", std::string(1'000'000, 'x')}).has_value());
  CHECK(fs::is_character_file("/dev/null"));
  const auto pipe = directory.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  base::file_descriptor reader{::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  REQUIRE(write_to(pipe, {"ab", "c"}).has_value());
  std::array<char, 8> got{};
  CHECK(::read(reader.get(), got.data(), got.size()) == 3);
  CHECK(count_in(directory.path()) == 1);
}

TEST_CASE("a pipe that nobody reads any more is an error, no signal") {
  const fixtures::temporary_directory directory;
  const auto pipe = directory.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  auto* const before = ::signal(SIGPIPE, SIG_IGN);
  base::file_descriptor reader{::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  auto output = output_file::open(pipe);
  REQUIRE(output.has_value());
  const interrupt until;
  REQUIRE(output->begin(until).has_value());
  CHECK_FALSE(output->can_start_anew());
  reader.reset();
  CHECK_FALSE(output->write(std::string(1'000'000, 'x')).has_value());
  ::signal(SIGPIPE, before);
}

TEST_CASE("a signal ends the wait for a pipe that is not read") {
  const fixtures::temporary_directory directory;
  const auto pipe = directory.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const base::file_descriptor reader{::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  auto output = output_file::open(pipe);
  REQUIRE(output.has_value());
  const interrupt until;
  REQUIRE(output->begin(until).has_value());
  std::thread sender{[&] {
    e2e::wait_for(reader.get(), POLLIN, e2e::deadline{});
    ::kill(::getpid(), SIGTERM);
  }};
  const auto written = output->write(std::string(10'000'000, 'x'));
  sender.join();
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().code == base::errc::cancelled);
}

} // namespace
} // namespace matchcloud::cli
