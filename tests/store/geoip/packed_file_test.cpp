#include "store/geoip/mmdb_source.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::store {
namespace {

using namespace std::string_literals;

std::string packing_of(const std::string& beginning) {
  return describe_packing(
      {reinterpret_cast<const std::uint8_t*>(beginning.data()), beginning.size()});
}

TEST_CASE("what packs files is told by its first bytes") {
  const std::string rest(1'000, 'x');
  CHECK(packing_of("\x1f\x8b\x08"s + rest).starts_with("packed with gzip. Unpack it (gzip -d) "));
  CHECK(packing_of("PK\x03\x04"s + rest).starts_with("packed with zip. Unpack it (unzip) "));
  CHECK(packing_of("BZh9"s + rest).starts_with("packed with bzip2. "));
  CHECK(packing_of("\xfd\x37zXZ\0"s + rest).starts_with("packed with xz. "));
  CHECK(packing_of("\x28\xb5\x2f\xfd"s + rest).starts_with("packed with zstd. "));
  CHECK(packing_of(std::string(257, '\0') + "ustar" + rest).starts_with("a tar archive. "));
}

TEST_CASE("what is not packed, or too short to tell, is nothing") {
  for (const auto& bytes : {""s, "\x1f"s, "PK"s, "\0\0\1\0\0\2"s, "BZ"s,
                            std::string(257, '\0') + "ustar", std::string(4'096, '\0')})
    CHECK(packing_of(bytes).empty());
  CHECK(packing_of("\x1f\x8b"s).starts_with("packed with gzip"));
}

} // namespace
} // namespace matchcloud::store
