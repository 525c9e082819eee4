#include "base/huge_page_array.hpp"

#include "tests/catch.hpp"

#include <cstdint>
#include <new>

namespace matchcloud::base {
namespace {

using words = huge_page_array<std::uint32_t>;

TEST_CASE("An array grows in place to its limit, and what is new in it is zero") {
  const auto limit = GENERATE(std::size_t{1}, std::size_t{1'024}, std::size_t{524'287},
                              std::size_t{524'288}, std::size_t{1'500'000});
  words of{limit};
  CHECK(of.empty());
  of.push_back(7);
  const auto* const place = of.data();
  while (of.size() < limit)
    of.push_back(static_cast<std::uint32_t>(of.size()));
  CHECK(of.data() == place);
  CHECK(of[0] == 7);
  CHECK(of[limit - 1] == (limit == 1 ? 7 : limit - 1));
  of.trim();
  CHECK(of[limit - 1] == (limit == 1 ? 7 : limit - 1));
}

TEST_CASE("An array grows by many elements at once, of zeros") {
  words of{3'000'000};
  of.push_back(1);
  const auto more = of.extend(2'000'000);
  CHECK(more.size() == 2'000'000);
  CHECK(more.front() == 0);
  CHECK(more.back() == 0);
  CHECK(of.size() == 2'000'001);
}

TEST_CASE("An array beyond its limit, or the machine's addresses, is refused") {
  words of{1'024};
  CHECK_THROWS_AS(of.extend(1'025), std::bad_alloc);
  CHECK(of.empty());
  CHECK_THROWS_AS(words{SIZE_MAX / 2}, std::bad_alloc);
  CHECK_THROWS_AS(words{SIZE_MAX / 8}, std::bad_alloc);
  words none;
  CHECK(none.extend(0).empty());
  CHECK_THROWS_AS(none.push_back(1), std::bad_alloc);
}

TEST_CASE("An array that is moved takes its elements along") {
  words from{10};
  from.push_back(3);
  words to{std::move(from)};
  CHECK(to.size() == 1);
  CHECK(to[0] == 3);
  words other{1'000'000};
  other.extend(1'000'000);
  other = std::move(to);
  CHECK(other.size() == 1);
  CHECK(other[0] == 3);
}

} // namespace
} // namespace matchcloud::base
