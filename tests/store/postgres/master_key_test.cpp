#include "store/postgres/postgres_secrets.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

#include <sys/stat.h>

#include <fstream>
#include <string>

namespace matchcloud::store {
namespace {

constexpr base::secret_bytes key{1, 2, 3};

struct key_file {
  fixtures::temporary_directory directory;
  std::string path = directory.path("master-key");

  explicit key_file(const std::string& text, mode_t mode = 0600) {
    std::ofstream{path} << text;
    REQUIRE(::chmod(path.c_str(), mode) == 0);
  }
};

TEST_CASE("a master key is 64 hexadecimal digits, in either case, with white space and comments") {
  const key_file plain{"# of the store\n  " + std::string(32, 'a') + "\n" + std::string(32, 'A') +
                       " # the end\n"};
  const auto read = had(read_master_key(plain.path));
  for (const auto byte : read)
    CHECK(byte == 0xaa);
}

TEST_CASE("what is no master key is refused, and nothing of it is repeated") {
  const auto text =
      GENERATE(std::string{}, std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g'),
               "# " + std::string(64, 'a'), std::string(5'000, 'a'));
  const key_file wrong{text};
  const auto read = read_master_key(wrong.path);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == base::errc::config_invalid);
  CHECK(read.error().detail.find("64 hexadecimal digits") != std::string::npos);
  CHECK(read.error().detail.find("aaaa") == std::string::npos);
}

TEST_CASE("a master key that others may read is refused, and so is what is no file") {
  const key_file open{std::string(64, 'a'), 0644};
  CHECK(read_master_key(open.path).error().detail.find("chmod o-rwx") != std::string::npos);
  for (const mode_t mode : {0440U, 0640U}) {
    const key_file of_a_group{std::string(64, 'a'), mode};
    CHECK(read_master_key(of_a_group.path).has_value());
  }
  CHECK_FALSE(read_master_key(open.directory.path()).has_value());
  CHECK_FALSE(read_master_key(open.directory.path("missing")).has_value());
  CHECK(read_master_key("").error().detail.find("master-key-file") != std::string::npos);
}

TEST_CASE("what is sealed comes back by its key and name, and shows nothing of its text") {
  const auto text = GENERATE(std::string{}, std::string{"secret"}, std::string(10'000, 's'));
  const auto sealed = seal(key, "signing-keys", text);
  CHECK(had(unseal(key, "signing-keys", sealed)) == text);
  CHECK(sealed.find("secret") == std::string::npos);
  CHECK(seal(key, "signing-keys", text) != sealed); // another nonce
}

TEST_CASE("nothing is unsealed that was changed, cut, or sealed otherwise") {
  const auto sealed = seal(key, "signing-keys", "secret");
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    auto changed = sealed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(unseal(key, "signing-keys", changed).has_value());
    CHECK_FALSE(unseal(key, "signing-keys", sealed.substr(0, at)).has_value());
  }
  CHECK_FALSE(unseal(key, "ticket-roots", sealed).has_value());
  auto other = key;
  other[31] = 1;
  const auto wrong = unseal(other, "signing-keys", sealed);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().detail.find("another master key") != std::string::npos);
}

} // namespace
} // namespace matchcloud::store
