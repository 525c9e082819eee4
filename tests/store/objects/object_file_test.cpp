#include "store/objects/object_file.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/store/objects/object_engines.hpp"
#include "tests/store/store_fixture.hpp"

#include <rapidcheck.h>

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

namespace matchcloud::store {
namespace {

using fixtures::object_call;

constexpr std::size_t window = object_file::window_bytes;
constexpr std::size_t step = 256UL * 1024;
/// What a window and one more fetch may hold.
constexpr std::size_t memory_limit = window + 2 * step;

using file_ptr = std::shared_ptr<const object_file>;

struct object_file_bench {
  std::shared_ptr<fixtures::memory_objects> objects = std::make_shared<fixtures::memory_objects>();
  base::byte_budget budget{16 * window};
  std::string bytes;

  explicit object_file_bench(std::size_t size) : bytes{some_bytes(size)} {
    objects->place("a", bytes);
  }

  std::string digest() const { return base::hexadecimal(base::sha256(bytes)); }
  file_ptr open(const std::string& sha256 = {}) {
    return had(object_file::open(objects, named("a"), bytes.size(), sha256, budget));
  }
  file_ptr open_checked() { return open(digest()); }
  std::string part(std::uint64_t offset, std::size_t length) const {
    return bytes.substr(offset, length);
  }
};

/// What `read` gives; nothing if it fails.
std::optional<std::string> read(const object_file& file, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  const auto got = file.read(bytes, offset);
  if (got < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

/// What a transfer of the descriptor would give, which looks at nothing else.
std::string transferred(const object_file& file, std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  const auto got = ::pread(file.descriptor(), bytes.data(), length, static_cast<off_t>(offset));
  REQUIRE(got >= 0);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

std::uint64_t held_bytes(const object_file& file) {
  struct stat found {};
  REQUIRE(::fstat(file.descriptor(), &found) == 0);
  return static_cast<std::uint64_t>(found.st_blocks) * 512;
}

base::errc failure_of(const object_file& file, std::uint64_t offset, std::uint64_t length) {
  const auto fetched = file.fetch(offset, length);
  REQUIRE_FALSE(fetched.has_value());
  return fetched.error().code;
}

TEST_CASE("a long object passes through a window from end to end") {
  object_file_bench on{5 * window + 12'345};
  const auto file = on.open_checked();
  CHECK(file->size_bytes() == on.bytes.size());
  CHECK(on.objects->calls(object_call::read) == 0);
  for (std::uint64_t at = 0; at < on.bytes.size(); at += step) {
    const auto length = std::min<std::uint64_t>(step, on.bytes.size() - at);
    if (!file->is_resident(at, length)) file->read_ahead(at, length);
    REQUIRE(file->is_resident(at, length));
    REQUIRE(transferred(*file, at, length) == on.part(at, length));
    CHECK(held_bytes(*file) <= memory_limit);
  }
  CHECK(on.objects->calls(object_call::read) == 6);
}

TEST_CASE("reads end where the object does") {
  object_file_bench on{2 * window};
  const auto file = on.open();
  const auto end = on.bytes.size();
  CHECK(read(*file, end - 10, 100) == on.part(end - 10, 10));
  CHECK(read(*file, end, 100) == "");
  CHECK(read(*file, end + 1, 100) == "");
  CHECK(read(*file, 5, 0) == "");
}

TEST_CASE("an object of no bytes is read without a call") {
  object_file_bench on{0};
  const auto file = on.open_checked();
  file->read_ahead(0, 0);
  CHECK(read(*file, 0, 10) == "");
  CHECK(on.objects->calls(object_call::read) == 0);
  CHECK(on.budget.used_bytes() == 0);
}

TEST_CASE("an object that the window takes whole is fetched once, for readers at any place") {
  object_file_bench on{window};
  const auto file = on.open_checked();
  CHECK(read(*file, window - 10, 10) == on.part(window - 10, 10));
  CHECK(file->is_resident(0, window));
  CHECK(read(*file, 0, window) == on.bytes);
  CHECK(on.objects->calls(object_call::read) == 1);
}

TEST_CASE("any number of threads read a small object at once") {
  object_file_bench on{300'000};
  const auto file = on.open_checked();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (std::size_t own = 0; own < 4; ++own)
    threads.emplace_back([&, own] {
      bool is_right = true;
      for (std::size_t i = 0; i < 50; ++i) {
        const auto at = (own * 70'001 + i * 9'973) % 290'000;
        is_right = is_right && read(*file, at, 10'000) == on.part(at, 10'000);
      }
      right += is_right ? 1 : 0;
    });
  for (auto& each : threads)
    each.join();
  CHECK(right == 4);
  CHECK(on.objects->calls(object_call::read) == 1);
}

TEST_CASE("a transfer that stops leaves a file that ends early, and can be taken up again") {
  object_file_bench on{2 * window};
  const auto file = on.open_checked();
  on.objects->read_limit_bytes = 100'000;
  CHECK(failure_of(*file, 0, step) == base::errc::store_failed);
  CHECK(file->is_resident(0, 100'000));
  CHECK_FALSE(file->is_resident(0, 100'001));
  CHECK(transferred(*file, 0, step) == on.part(0, 100'000));
  CHECK(transferred(*file, 100'000, step).empty());
  errno = 0;
  on.objects->fail(object_call::read);
  CHECK_FALSE(read(*file, 0, step));
  CHECK(errno == EIO);
  CHECK(read(*file, 0, 100'000) == on.part(0, 100'000));
  on.objects->mend(object_call::read);
  on.objects->read_limit_bytes = UINT64_MAX;
  had(file->fetch(0, step));
  CHECK(transferred(*file, 0, window) == on.part(0, window));
}

TEST_CASE("a window that could not be moved has nothing of where it was") {
  object_file_bench on{4 * window};
  const auto file = on.open();
  had(file->fetch(2 * window, step));
  on.objects->fail(object_call::read);
  CHECK(failure_of(*file, window / 2, step) == base::errc::store_failed);
  CHECK(transferred(*file, window / 2, step).empty());
  CHECK(transferred(*file, 2 * window, step).empty());
  CHECK(failure_of(*file, 3 * window, step) == base::errc::store_failed);
  CHECK(transferred(*file, 3 * window, step).empty());
}

TEST_CASE("an object that has gone gives no bytes") {
  object_file_bench on{100};
  const auto file = on.open_checked();
  on.objects->take_away("a");
  CHECK(failure_of(*file, 0, 100) == base::errc::store_failed);
  CHECK_FALSE(read(*file, 0, 100));
  CHECK(transferred(*file, 0, 100).empty());
}

TEST_CASE("an object of another size gives no bytes") {
  const auto size = GENERATE(std::size_t{50}, window, 3 * window - 1, 3 * window + 1);
  CAPTURE(size);
  object_file_bench on{3 * window};
  const auto file = on.open();
  on.objects->place("a", some_bytes(size, 2));
  CHECK(failure_of(*file, 0, step) == base::errc::store_failed);
  CHECK_FALSE(file->is_resident(0, 1));
  CHECK(transferred(*file, 0, step).empty());
  CHECK(failure_of(*file, 2 * window, step) != base::errc::cancelled);
  CHECK(transferred(*file, 2 * window, step).empty());
}

TEST_CASE("the last bytes of an object with another digest are withheld") {
  const auto size = GENERATE(std::size_t{100'000}, 3 * window + 5);
  CAPTURE(size);
  object_file_bench on{size};
  const auto file = on.open_checked();
  auto other = on.bytes;
  other[size / 2] = static_cast<char>(other[size / 2] ^ 1);
  on.objects->place("a", other);
  std::size_t got = 0;
  for (; got < size; got += 1'000)
    if (!read(*file, got, 1'000)) break;
  CHECK(got < size);
  CHECK(transferred(*file, got, size).empty());
  // Nor does asking again give them.
  CHECK(failure_of(*file, got, size - got) == base::errc::store_failed);
  CHECK_FALSE(read(*file, got, 1));
  CHECK(transferred(*file, got, size).empty());
}

TEST_CASE("a small object that the store finds damaged gives no bytes") {
  object_file_bench on{window};
  const auto file = on.open();
  on.objects->is_damaged = true;
  CHECK(failure_of(*file, 0, 10) == base::errc::store_failed);
  CHECK_FALSE(read(*file, 0, 10));
  CHECK(transferred(*file, 0, window).empty());
  on.objects->is_damaged = false;
  CHECK(read(*file, 0, window) == on.bytes);
}

TEST_CASE("bytes are compared with the digest only if all were seen in order") {
  object_file_bench on{3 * window};
  auto other = on.bytes;
  other[0] = static_cast<char>(other[0] ^ 1);
  on.objects->place("a", other);
  const auto file = on.open_checked();
  for (std::uint64_t at = window; at < on.bytes.size(); at += step)
    REQUIRE(read(*file, at, step) == on.part(at, step));
}

TEST_CASE("the memory of a window is lent by a budget and given back") {
  object_file_bench on{5 * window};
  {
    const auto file = on.open();
    CHECK(on.budget.used_bytes() == window + step);
    CHECK(held_bytes(*file) == 0);
  }
  CHECK(on.budget.used_bytes() == 0);
  on.objects->place("b", "12345");
  const auto small = had(object_file::open(on.objects, named("b"), 5, {}, on.budget));
  CHECK(on.budget.used_bytes() == 5);
}

TEST_CASE("a budget that is exhausted refuses a further window") {
  object_file_bench on{5 * window};
  base::byte_budget budget{2 * (window + step) - 1};
  auto first = had(object_file::open(on.objects, named("a"), on.bytes.size(), {}, budget));
  const auto second = object_file::open(on.objects, named("a"), on.bytes.size(), {}, budget);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == base::errc::budget_exhausted);
  CHECK(budget.used_bytes() == window + step);
  first.reset();
  CHECK(object_file::open(on.objects, named("a"), on.bytes.size(), {}, budget).has_value());
}

TEST_CASE("whatever is read of an object, in whatever order, are its bytes") {
  CHECK(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 3 * window);
    object_file_bench on{size};
    on.objects->piece_bytes = *rc::gen::inRange<std::size_t>(1'000, 65'537);
    const auto file = *rc::gen::arbitrary<bool>() ? on.open_checked() : on.open();
    const auto reads =
        *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(rc::gen::pair(
            rc::gen::inRange<std::size_t>(0, size), rc::gen::inRange<std::size_t>(1, 2 * step)));
    for (const auto& [at, wanted] : reads) {
      const auto length = std::min(wanted, size - at);
      // Some transfers stop, which is no reason to give wrong bytes.
      on.objects->read_limit_bytes = *rc::gen::element<std::uint64_t>(UINT64_MAX, 5'000);
      static_cast<void>(file->fetch(at, length));
      const auto got = transferred(*file, at, length);
      RC_ASSERT(got == on.part(at, got.size()));
      on.objects->read_limit_bytes = UINT64_MAX;
      RC_ASSERT(file->fetch(at, length).has_value());
      RC_ASSERT(file->is_resident(at, length));
      RC_ASSERT(read(*file, at, length) == on.part(at, length));
      RC_ASSERT(transferred(*file, at, length) == on.part(at, length));
      RC_ASSERT(held_bytes(*file) <= memory_limit);
    }
  }));
}

} // namespace
} // namespace matchcloud::store
