#include "model/text/uuid.hpp"

#include "model/text/trace_context.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>
#include <unordered_set>

namespace {

using matchcloud::model::parse_uuid;
using matchcloud::model::uuid;

uuid uuid_of(std::uint64_t low) {
  uuid id;
  for (std::size_t i = 0; i < 8; ++i)
    id.bytes[15 - i] = static_cast<std::uint8_t>(low >> (8 * i));
  return id;
}

TEST_CASE("a UUID is read in either case and written in lower case") {
  const auto id = parse_uuid("01234567-89AB-cdef-0123-456789abCDEF");
  REQUIRE(id.has_value());
  CHECK(id->bytes[0] == 0x01);
  CHECK(id->bytes[7] == 0xef);
  CHECK(id->bytes[15] == 0xef);
  CHECK(to_string(*id) == "01234567-89ab-cdef-0123-456789abcdef");
}

TEST_CASE("only the form of 36 characters is a UUID") {
  const auto* text = GENERATE(
      "", "-", "0123456789abcdef0123456789abcdef", "{01234567-89ab-cdef-0123-456789abcdef}",
      "urn:uuid:01234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcde",
      "01234567-89ab-cdef-0123-456789abcdef0", " 1234567-89ab-cdef-0123-456789abcdef",
      "01234567-89ab-cdef-0123-456789abcdeg", "01234567-89ab-cdef-0123-456789abcde ",
      "012345678-9ab-cdef-0123-456789abcdef", "01234567089ab-cdef-0123-456789abcdef",
      "0x234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-4567-9abcdef",
      "+1234567-89ab-cdef-0123-456789abcdef");
  CHECK_FALSE(parse_uuid(text).has_value());
}

TEST_CASE("a UUID survives writing and reading") {
  REQUIRE(rc::check([](const std::array<std::uint8_t, 16>& bytes) {
    const uuid id{bytes};
    RC_ASSERT(parse_uuid(to_string(id)) == id);
  }));
}

TEST_CASE("text that reads as a UUID is its text but for the case") {
  REQUIRE(rc::check([] {
    const auto text =
        *rc::gen::container<std::string>(36, rc::gen::elementOf(std::string{"09afAF-"}));
    const auto id = parse_uuid(text);
    if (!id) return;
    auto lower = text;
    for (auto& c : lower)
      if (c >= 'A' && c <= 'F') c = static_cast<char>(c + 32);
    RC_ASSERT(to_string(*id) == lower);
  }));
}

TEST_CASE("UUIDs order like their text") {
  REQUIRE(
      rc::check([](const std::array<std::uint8_t, 16>& a, const std::array<std::uint8_t, 16>& b) {
        RC_ASSERT((uuid{a} < uuid{b}) == (to_string(uuid{a}) < to_string(uuid{b})));
      }));
}

TEST_CASE("UUIDs that count upwards spread over hash buckets") {
  constexpr std::size_t buckets = 1024;
  std::unordered_set<std::size_t> low_bits;
  std::unordered_set<std::size_t> high_bits;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    // Steps of the bucket count would all collide under an identity hash.
    const auto hash = std::hash<uuid>{}(uuid_of(i * buckets));
    low_bits.insert(hash % buckets);
    high_bits.insert(hash >> 54);
  }
  // 1024 balls in 1024 urns leave 1 - 1/e of the urns, 647, occupied; the standard deviation is
  // about 10.
  CHECK(low_bits.size() > 590);
  CHECK(high_bits.size() > 590);
}

} // namespace

namespace matchcloud::model {
namespace {

TEST_CASE("a trace id is read from a traceparent, and from nothing else") {
  CHECK(trace_id_of("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01") ==
        "0af7651916cd43dd8448eb211c80319c");
  // A later version may have more behind it.
  CHECK(trace_id_of("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more") ==
        "0af7651916cd43dd8448eb211c80319c");
  for (const auto* wrong :
       {"", "00", "00-0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c0-b7",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c8031\"x-b7ad6b7169203331-01"})
    CHECK(trace_id_of(wrong).empty());
}

TEST_CASE("a request that is made for another is of its trace and has a span of its own") {
  CHECK(next_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 0xfe) ==
        "00-0af7651916cd43dd8448eb211c80319c-00000000000000fe-01");
  CHECK(next_trace_parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", ~0ULL) ==
        "00-0af7651916cd43dd8448eb211c80319c-ffffffffffffffff-00");
}

} // namespace
} // namespace matchcloud::model
