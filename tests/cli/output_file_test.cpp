#include "cli/output_file.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

TEST_CASE("a file that starts over forgets its earlier content") {
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

TEST_CASE("writing to a pipe without readers is an error, not a signal") {
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

using fixtures::mode_of;
using fixtures::read_whole;

std::ptrdiff_t files_in(const fixtures::temporary_directory& directory) {
  return std::distance(fs::directory_iterator{directory.path()}, fs::directory_iterator{});
}

TEST_CASE("a staged file takes its name whole, with its mode, whatever the umask") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("made");
  const auto mode = GENERATE(mode_t{0600}, mode_t{0644});
  const auto umask = GENERATE(mode_t{0}, mode_t{0777});
  const auto before = ::umask(umask);
  auto file = staged_file::write(path, "content", mode, taken_name::refuse);
  ::umask(before);
  REQUIRE(file.has_value());
  CHECK_FALSE(fs::exists(path));
  REQUIRE(file->commit().has_value());
  CHECK(read_whole(path) == "content");
  CHECK(mode_of(path) == mode);
  CHECK(files_in(directory) == 1);
}

TEST_CASE("a staged file that takes no name is gone") {
  const fixtures::temporary_directory directory;
  {
    auto file = staged_file::write(directory.path("a"), "a", 0600, taken_name::refuse);
    REQUIRE(file.has_value());
    const auto moved = std::move(*file);
    CHECK(files_in(directory) == 1);
  }
  CHECK(files_in(directory) == 0);
}

TEST_CASE("a staged file replaces what has its name only where it is told to") {
  const fixtures::temporary_directory directory;
  const auto path = directory.file("there", "as it was");
  fs::create_symlink(directory.path("nowhere"), directory.path("link"));
  for (const auto& taken : {path, directory.path("link"), directory.path()}) {
    const auto refused = staged_file::write(taken, "new", 0600, taken_name::refuse);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail ==
          taken + ": it already exists and is not replaced; choose another name");
  }
  CHECK(read_whole(path) == "as it was");

  for (const auto& taken : {path, directory.path("link")}) {
    auto file = staged_file::write(taken, "new", 0600, taken_name::replace);
    REQUIRE(file.has_value());
    REQUIRE(file->commit().has_value());
    CHECK(read_whole(taken) == "new");
  }
  CHECK_FALSE(fs::is_symlink(directory.path("link")));
  CHECK_FALSE(fs::exists(directory.path("nowhere")));
}

TEST_CASE("a staged file does not replace one that took its name in the meantime") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("made");
  {
    auto file = staged_file::write(path, "new", 0600, taken_name::refuse);
    REQUIRE(file.has_value());
    directory.file("made", "faster");
    CHECK_FALSE(file->commit().has_value());
  }
  CHECK(read_whole(path) == "faster");
  CHECK(files_in(directory) == 1);
  CHECK_FALSE(staged_file::write(directory.path("no/a"), "", 0600, taken_name::refuse).has_value());
}

using fixtures::mode_of;
using fixtures::read_whole;

TEST_CASE("a private file is its owner's alone, whatever the umask") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("secret");
  const auto umask = GENERATE(mode_t{0}, mode_t{0777});
  const auto before = ::umask(umask);
  auto file = private_file::create(path);
  ::umask(before);
  REQUIRE(file.has_value());
  CHECK(mode_of(path) == 0600);
  REQUIRE(file->write("a\n").has_value());
  CHECK(read_whole(path) == "a\n");
}

TEST_CASE("a private file that nothing was written to is gone") {
  const fixtures::temporary_directory directory;
  const auto path = directory.path("secret");
  {
    auto file = private_file::create(path);
    REQUIRE(file.has_value());
    const auto moved = std::move(*file);
    CHECK(fs::exists(path));
  }
  CHECK_FALSE(fs::exists(path));
  {
    auto file = private_file::create(path);
    REQUIRE(file.has_value());
    REQUIRE(file->write("kept").has_value());
  }
  CHECK(read_whole(path) == "kept");
}

TEST_CASE("a private file replaces nothing and follows no link") {
  const fixtures::temporary_directory directory;
  const auto path = directory.file("there", "as it was");
  fs::create_symlink(directory.path("nowhere"), directory.path("link"));
  for (const auto& taken : {path, directory.path("link"), directory.path()}) {
    const auto file = private_file::create(taken);
    REQUIRE_FALSE(file.has_value());
    CHECK(file.error().detail.find(taken) != std::string::npos);
    CHECK(file.error().detail.find("not replaced") != std::string::npos);
  }
  CHECK(read_whole(path) == "as it was");
  CHECK_FALSE(fs::exists(directory.path("nowhere")));
  CHECK_FALSE(private_file::create(directory.path("none/secret")).has_value());
}

} // namespace
} // namespace matchcloud::cli
