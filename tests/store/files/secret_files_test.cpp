// Secrets in files, and the ring of those that are in force.
#include "store/files/secret_files.hpp"

#include "store/secrets/secret_store.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace matchcloud::store {
namespace {

using fixtures::contains;
using fixtures::read_whole;
using fixtures::temporary_directory;

namespace fs = std::filesystem;

constexpr std::int64_t now_ts = 1'790'000'000'000;
const std::string secret(64, 'a');

mode_t mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777;
}

/// A data directory with, perhaps, the file of one secret.
struct file_bench {
  temporary_directory directory;
  secret_files secrets{directory.path()};
  std::string file = directory.path(std::string{signing_keys_name});

  void write(const std::string& text) const {
    std::ofstream{file, std::ios::binary} << text;
    fs::permissions(file, fs::perms{0600});
  }
  secret_versions load() {
    auto loaded = secrets.load();
    INFO((loaded ? std::string{} : loaded.error().detail));
    REQUIRE(loaded.has_value());
    return *std::move(loaded);
  }
  std::string load_error() {
    const auto loaded = secrets.load();
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().code == base::errc::store_failed);
    return loaded.error().detail;
  }
  bool rotates() { return secrets.rotate(now_ts, replaced_secrets::revoke).has_value(); }
};

TEST_CASE("a file of secrets is its user's alone, whatever the umask, and says what it is") {
  file_bench on;
  for (const mode_t mask : {0000, 0022, 0177}) {
    const auto data_dir = on.directory.path(std::to_string(mask));
    const auto file = data_dir + "/" + std::string{signing_keys_name};
    secret_files secrets{data_dir};
    const auto before = ::umask(mask);
    const auto loaded = secrets.load();
    const auto made = mode_of(file);
    const auto rotated = secrets.rotate(now_ts, replaced_secrets::keep);
    const auto mode_rotated = mode_of(file);
    ::umask(before);
    CHECK(loaded.has_value());
    CHECK(made == 0600);
    CHECK(rotated.has_value());
    CHECK(mode_rotated == 0600);
    CHECK(read_whole(file).starts_with("# The secret "));
    CHECK(fs::is_empty(data_dir + "/tmp"));
  }
}

TEST_CASE("a file is read as it is, and its newest secret is replaced like others") {
  file_bench on;
  const auto text =
      "# an earlier comment\ncurrent " + secret + " 0\n5 " + std::string(64, 'b') + " 0\n";
  on.write(text);
  const auto versions = on.load();
  REQUIRE(versions.size() == 2);
  CHECK(versions[0].secret.front() == 0xaa);
  CHECK(versions[0].created_ts == 0);
  CHECK(versions[0].accepted_until_ts == until_replaced_ts);
  CHECK(versions[1].secret.back() == 0xbb);
  CHECK(versions[1].created_ts == 0);
  CHECK(versions[1].accepted_until_ts == 5);
  CHECK(read_whole(on.file) == text);

  CHECK(on.secrets.rotate(now_ts, replaced_secrets::keep));
  const auto after = on.load();
  REQUIRE(after.size() == 2);
  CHECK(after[0].created_ts == now_ts);
  CHECK(after[1].secret == versions[0].secret);
  CHECK(after[1].created_ts == 0);
  CHECK(contains(read_whole(on.file), " " + secret + " 0\n"));
}

TEST_CASE("what is written is read again, times of creation and all") {
  file_bench on;
  on.write("current " + secret + " 17\n9 " + secret + " 0\n8 " + secret + " 5\n7 " + secret +
           " 6\n");
  const auto versions = on.load();
  REQUIRE(versions.size() == 4);
  CHECK(versions[0].created_ts == 17);
  CHECK(versions[1].created_ts == 0);
  CHECK(versions[2].created_ts == 5);
  CHECK(versions[3].created_ts == 6);
  CHECK(parse_secrets(on.file, render_secrets(versions)) == versions);
}

TEST_CASE("as many versions as there may be fit into a file") {
  file_bench on;
  secret_versions most(secret_versions_limit, {{}, now_ts, now_ts});
  most.front().accepted_until_ts = until_replaced_ts;
  const auto text = render_secrets(most);
  CHECK(text.size() < secret_file_limit_bytes / 2);
  on.write(text);
  CHECK(on.load() == most);
}

TEST_CASE("a clock before 1970 makes no file that cannot be read") {
  file_bench on;
  for (int i = 0; i < 2; ++i)
    CHECK(on.secrets.rotate(-now_ts, replaced_secrets::keep).has_value());
  CHECK(on.load().size() == 3);
}

TEST_CASE("a file of secrets that others may use is refused and left alone") {
  file_bench on;
  (void)on.load();
  const auto before = read_whole(on.file);
  for (const auto mode : {0604, 0644, 0602, 0664}) {
    fs::permissions(on.file, fs::perms{static_cast<unsigned>(mode)});
    const auto detail = on.load_error();
    CHECK(contains(detail, "chmod o-rwx " + on.file));
    CHECK(contains(detail, "then also `matchcloud signing-key rotate --revoke`."));
    CHECK_FALSE(on.rotates());
  }
  CHECK(read_whole(on.file) == before);
  for (const auto mode : {0400, 0440, 0640, 0660}) { // with the group of a volume or of a Secret
    fs::permissions(on.file, fs::perms{static_cast<unsigned>(mode)});
    CHECK(on.load().size() == 1);
  }
}

TEST_CASE("a damaged file of secrets is refused by its line, never repeated and left alone") {
  file_bench on;
  const std::string current = "current " + secret + " 1\n";
  struct damage {
    std::string text;
    std::string where;
  };
  std::string many = current;
  for (std::size_t i = 0; i < secret_versions_limit; ++i)
    many += "5 " + secret + " 1\n";
  for (const auto& [text, where] : {
           damage{"", ":1: "},
           {"# only a comment\n", ":2: "},
           {"current " + secret + " 1", ":1: "},    // truncated
           {"#\ncurrent " + secret + "\n", ":2: "}, // not said when it was made
           {"#\n" + current.substr(8), ":2: "},
           {"#\ncurrent " + secret.substr(1) + " 1\n", ":2: "},
           {"#\ncurrent " + secret + "a 1\n", ":2: "},
           {"#\ncurrent " + secret + " \n", ":2: "},
           {"#\ncurrent " + secret + " -1\n", ":2: "},
           {"#\ncurrent " + secret + " +1\n", ":2: "},
           {"#\ncurrent " + secret + " 1x\n", ":2: "},
           {"#\ncurrent " + secret + " 1 \n", ":2: "},
           {"#\ncurrent " + secret + " 1 2\n", ":2: "},
           {"#\ncurrent " + secret + "  1\n", ":2: "},
           {"#\ncurrent " + secret + " 9223372036854775808\n", ":2: "},
           {"#\ncurrent " + std::string(64, 'A') + " 1\n", ":2: "},
           {"#\ncurrent " + std::string(64, 'g') + " 1\n", ":2: "},
           {"5 " + secret + " 1\n", ":1: "}, // no current version
           {current + current, ":2: "},
           {current + "-5 " + secret + " 1\n", ":2: "},
           {current + "+5 " + secret + " 1\n", ":2: "},
           {current + "5x " + secret + " 1\n", ":2: "},
           {current + "5 " + secret + " x\n", ":2: "},
           {current + "9223372036854775807 " + secret + " 1\n", ":2: "},
           {current + "9223372036854775808 " + secret + " 1\n", ":2: "},
           {current + "\n", ":2: "},
           {current + std::string(3, '\0') + "\n", ":2: "},
           {many, ":33: "},
           {current + std::string(20'000, '#') + "\n", ":1: "},
       }) {
    on.write(text);
    CAPTURE(text);
    const auto detail = on.load_error();
    CHECK(contains(detail, on.file + where + "expected "));
    CHECK(contains(detail, "then a new key is made, and all URLs signed so far are refused."));
    CHECK_FALSE(contains(detail, "aaaa"));
    CHECK_FALSE(on.rotates());
    CHECK(read_whole(on.file) == text);
  }
}

TEST_CASE("what is not a file is no file of secrets") {
  file_bench on;
  fs::create_directory(on.file);
  CHECK(contains(on.load_error(), on.file));
  fs::remove(on.file);
  fs::create_symlink("/dev/null", on.file);
  CHECK(contains(on.load_error(), on.file));
}

constexpr std::int64_t ring_now_ts = 1'790'000'000'000;

struct ring_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<secret_store> secrets = std::make_shared<secret_files>(directory.path());
  std::unique_ptr<secret_ring> ring = *secret_ring::open(secrets);

  std::string file() const { return directory.path("signing-keys"); }
};

TEST_CASE("a ring has the existing versions, and follows what others change") {
  const ring_bench on;
  const auto first = on.ring->current();
  CHECK(*first == *on.secrets->load());
  const auto revision = on.ring->revision();
  on.ring->refresh();
  CHECK(on.ring->current() == first);
  CHECK(on.ring->revision() == revision);

  REQUIRE(on.secrets->rotate(ring_now_ts, replaced_secrets::keep));
  CHECK(on.ring->current() == first);
  on.ring->refresh();
  const auto second = on.ring->current();
  REQUIRE(second->size() == 2);
  CHECK(on.ring->revision() > revision);
  CHECK(first->size() == 1); // a snapshot stays as it is
}

TEST_CASE("versions that cannot be read leave the present ones in force") {
  const ring_bench on;
  const auto first = on.ring->current();
  const auto revision = on.ring->revision();
  std::filesystem::permissions(on.file(), std::filesystem::perms{0644});
  on.ring->refresh();
  on.ring->refresh();
  CHECK(on.ring->current() == first);
  CHECK(on.ring->revision() == revision);
  CHECK_FALSE(secret_ring::open(on.secrets).has_value());
  std::filesystem::remove(on.file());
  on.ring->refresh();
  CHECK(on.ring->current()->front().secret != first->front().secret);
  CHECK(on.ring->revision() > revision);
}

} // namespace
} // namespace matchcloud::store
