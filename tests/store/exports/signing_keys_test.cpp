#include "store/exports/signing_keys.hpp"

#include "store/files/data_directory.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

namespace {

using namespace matchcloud;
using fixtures::child;
using fixtures::event_pipe;
using fixtures::temporary_directory;
using store::replaced_keys;
using store::rotate_signing_keys;
using store::signing_keys;

namespace fs = std::filesystem;

constexpr std::int64_t now_ts = 1'790'000'000'000;
constexpr std::int64_t lifetime_ms =
    std::chrono::milliseconds{store::signature_lifetime_limit}.count();

signing_keys load_ok(const std::string& data_dir) {
  auto loaded = signing_keys::load(data_dir);
  INFO((loaded ? std::string{} : loaded.error().detail));
  REQUIRE(loaded.has_value());
  return *std::move(loaded);
}

std::string load_error(const std::string& data_dir) {
  const auto loaded = signing_keys::load(data_dir);
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().code == base::errc::store_failed);
  return loaded.error().detail;
}

std::string content_of(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

mode_t mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("keys are made once, in a directory that need not be there") {
  const temporary_directory directory;
  const auto data_dir = directory.path("new/store");
  const auto first = load_ok(data_dir);
  CHECK(first.keys().size() == 1);
  CHECK(load_ok(data_dir).keys() == first.keys());
  const auto signature = first.sign("text");
  CHECK(load_ok(data_dir).accepts("text", signature, now_ts));
  CHECK_FALSE(first.accepts("other", signature, now_ts));

  const temporary_directory other;
  CHECK_FALSE(load_ok(other.path()).accepts("text", signature, now_ts));
}

TEST_CASE("the file of keys is its user's alone, whatever the umask, and says what it is") {
  const temporary_directory directory;
  for (const mode_t mask : {0000, 0022, 0177}) {
    const auto data_dir = directory.path(std::to_string(mask));
    const auto before = ::umask(mask);
    const auto loaded = signing_keys::load(data_dir);
    const auto made = mode_of(data_dir + "/signing-keys");
    const auto rotated = rotate_signing_keys(data_dir, now_ts, replaced_keys::keep);
    ::umask(before);
    CHECK(loaded.has_value());
    CHECK(made == 0600);
    CHECK(rotated.has_value());
    CHECK(mode_of(data_dir + "/signing-keys") == 0600);
    CHECK(content_of(data_dir + "/signing-keys").starts_with("# The secret keys"));
    CHECK(fs::is_empty(data_dir + "/tmp"));
  }
}

TEST_CASE("threads that ask for keys at once get the same") {
  const temporary_directory directory;
  std::deque<base::expected<signing_keys>> loaded;
  for (int i = 0; i < 8; ++i)
    loaded.emplace_back(base::fail(base::errc::internal, ""));
  std::vector<std::thread> threads;
  for (auto& each : loaded)
    threads.emplace_back([&] { each = signing_keys::load(directory.path()); });
  for (auto& each : threads)
    each.join();
  for (const auto& each : loaded) {
    REQUIRE(each.has_value());
    CHECK(each->keys() == loaded.front()->keys());
  }
}

TEST_CASE("processes that ask for keys at once get the same") {
  for (int round = 0; round < 5; ++round) {
    const temporary_directory directory;
    const auto load = [&](const std::string& name) {
      const auto loaded = signing_keys::load(directory.path());
      if (loaded) directory.file(name, loaded->sign("text"));
      return loaded.has_value();
    };
    child first{[&] { return load("a"); }};
    child second{[&] { return load("b"); }};
    child third{[&] { return load("c"); }};
    CHECK(first.succeeded());
    CHECK(second.succeeded());
    CHECK(third.succeeded());
    const auto signature = load_ok(directory.path()).sign("text");
    for (const auto* name : {"a", "b", "c"})
      CHECK(content_of(directory.path(name)) == signature);
  }
}

TEST_CASE("a rotated key signs, the replaced one is accepted until its signatures have expired") {
  const temporary_directory directory;
  const auto before = load_ok(directory.path());
  const auto old = before.sign("text");
  REQUIRE(rotate_signing_keys(directory.path(), now_ts, replaced_keys::keep));
  const auto after = load_ok(directory.path());
  CHECK(after.keys().size() == 2);
  const auto fresh = after.sign("text");
  CHECK(fresh != old);
  CHECK_FALSE(before.accepts("text", fresh, now_ts));
  CHECK(after.accepts("text", fresh, now_ts));
  CHECK(after.accepts("text", old, now_ts));
  CHECK(after.accepts("text", old, now_ts + lifetime_ms));
  const auto until = after.keys().back().accepted_until_ts;
  CHECK(until >= now_ts + lifetime_ms);
  CHECK(until <= now_ts + lifetime_ms + 300'000);
  CHECK(after.accepts("text", old, until - 1));
  CHECK_FALSE(after.accepts("text", old, until));
  CHECK(after.accepts("text", fresh, until + 1'000 * lifetime_ms));

  // Its expiry does not move, and then it is removed.
  REQUIRE(rotate_signing_keys(directory.path(), now_ts + 1'000, replaced_keys::keep));
  CHECK(load_ok(directory.path()).keys().back() == after.keys().back());
  CHECK(load_ok(directory.path()).keys().size() == 3);
  REQUIRE(rotate_signing_keys(directory.path(), until, replaced_keys::keep));
  const auto last = load_ok(directory.path());
  CHECK(last.keys().size() == 3);
  CHECK_FALSE(last.accepts("text", old, now_ts));
  CHECK(last.accepts("text", fresh, now_ts));
}

TEST_CASE("revoked keys are accepted no more") {
  const temporary_directory directory;
  const auto old = load_ok(directory.path()).sign("text");
  REQUIRE(rotate_signing_keys(directory.path(), now_ts, replaced_keys::keep));
  REQUIRE(rotate_signing_keys(directory.path(), now_ts, replaced_keys::revoke));
  const auto after = load_ok(directory.path());
  CHECK(after.keys().size() == 1);
  CHECK_FALSE(after.accepts("text", old, now_ts));
  CHECK(after.accepts("text", after.sign("text"), now_ts));
}

TEST_CASE("keys in use are bounded; the refusal says when the first of them ends") {
  const temporary_directory directory;
  (void)load_ok(directory.path());
  for (std::size_t i = 1; i < store::signing_keys_limit; ++i)
    REQUIRE(rotate_signing_keys(directory.path(), now_ts, replaced_keys::keep));
  const auto before = content_of(directory.path("signing-keys"));
  const auto refused = rotate_signing_keys(directory.path(), now_ts, replaced_keys::keep);
  REQUIRE_FALSE(refused.has_value());
  CHECK(contains(refused.error().detail, "2026-09-22T14:14:20.000Z"));
  CHECK(contains(refused.error().detail, "--revoke"));
  CHECK(content_of(directory.path("signing-keys")) == before);
  CHECK(rotate_signing_keys(directory.path(), now_ts + lifetime_ms + 60'000, replaced_keys::keep));
  CHECK(load_ok(directory.path()).keys().size() == 2);
}

TEST_CASE("rotations at once lose none") {
  const temporary_directory directory;
  const auto first = load_ok(directory.path());
  const auto rotate = [&] {
    for (int i = 0; i < 4; ++i)
      if (!rotate_signing_keys(directory.path(), now_ts, replaced_keys::keep)) return false;
    return true;
  };
  child one{rotate};
  child two{rotate};
  CHECK(one.succeeded());
  CHECK(two.succeeded());
  const auto after = load_ok(directory.path());
  CHECK(after.keys().size() == 9);
  CHECK(after.accepts("text", first.sign("text"), now_ts));
}

TEST_CASE("a rotation that is killed leaves the keys before it or after it") {
  const temporary_directory directory;
  const auto first = load_ok(directory.path()).sign("text");
  for (int round = 0; round < 8; ++round) {
    event_pipe rotated;
    child rotating{[&] {
      while (rotate_signing_keys(directory.path(), now_ts, replaced_keys::revoke))
        if (!rotated.signal()) return false;
      return false;
    }};
    rotated.close_writer();
    for (int i = 0; i <= round; ++i)
      REQUIRE(rotated.wait());
    rotating.kill();
    CHECK(load_ok(directory.path()).keys().size() == 1);
  }
  CHECK_FALSE(load_ok(directory.path()).accepts("text", first, now_ts));
}

TEST_CASE("a file of keys that others may use is refused and left alone") {
  const temporary_directory directory;
  (void)load_ok(directory.path());
  const auto file = directory.path("signing-keys");
  const auto before = content_of(file);
  for (const auto mode : {0640, 0604, 0660, 0644, 0602}) {
    fs::permissions(file, fs::perms{static_cast<unsigned>(mode)});
    CHECK(contains(load_error(directory.path()), "chmod 600 " + file));
    CHECK_FALSE(rotate_signing_keys(directory.path(), now_ts, replaced_keys::revoke).has_value());
  }
  CHECK(content_of(file) == before);
  fs::permissions(file, fs::perms{0400});
  CHECK(load_ok(directory.path()).keys().size() == 1);
}

TEST_CASE("a damaged file of keys is refused by its line, never repeated and left alone") {
  const temporary_directory directory;
  const std::string secret(64, 'a');
  const std::string current = "current " + secret + "\n";
  struct damage {
    std::string text;
    std::string where;
  };
  std::string many = current;
  for (std::size_t i = 0; i < store::signing_keys_limit; ++i)
    many += "5 " + secret + "\n";
  for (const auto& [text, where] : {
           damage{"", ":1: "},
           {"# only a comment\n", ":2: "},
           {"current " + secret, ":1: "}, // truncated
           {"#\n" + current.substr(8), ":2: "},
           {"#\ncurrent " + secret.substr(1) + "\n", ":2: "},
           {"#\ncurrent " + secret + "a\n", ":2: "},
           {"#\ncurrent " + secret + " \n", ":2: "},
           {"#\ncurrent " + std::string(64, 'A') + "\n", ":2: "},
           {"#\ncurrent " + std::string(64, 'g') + "\n", ":2: "},
           {"5 " + secret + "\n", ":1: "}, // no current key
           {current + current, ":2: "},
           {current + "-5 " + secret + "\n", ":2: "},
           {current + "+5 " + secret + "\n", ":2: "},
           {current + "5x " + secret + "\n", ":2: "},
           {current + "9223372036854775808 " + secret + "\n", ":2: "},
           {current + "\n", ":2: "},
           {current + std::string(3, '\0') + "\n", ":2: "},
           {many, ":33: "},
           {current + std::string(20'000, '#') + "\n", ":1: "},
       }) {
    const auto file = directory.file("signing-keys", text);
    fs::permissions(file, fs::perms{0600});
    CAPTURE(text);
    const auto detail = load_error(directory.path());
    CHECK(contains(detail, file + where + "expected "));
    CHECK_FALSE(contains(detail, "aaaa"));
    CHECK_FALSE(rotate_signing_keys(directory.path(), now_ts, replaced_keys::keep).has_value());
    CHECK(content_of(file) == text);
  }
}

TEST_CASE("what is not a file is no file of keys") {
  const temporary_directory directory;
  fs::create_directory(directory.path("signing-keys"));
  CHECK(contains(load_error(directory.path()), directory.path("signing-keys")));
  fs::remove(directory.path("signing-keys"));
  fs::create_symlink("/dev/null", directory.path("signing-keys"));
  CHECK(contains(load_error(directory.path()), directory.path("signing-keys")));
}

} // namespace
