#include "store/secrets/secret_store.hpp"

#include "store/files/secret_files.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <filesystem>

namespace matchcloud::store {
namespace {

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
