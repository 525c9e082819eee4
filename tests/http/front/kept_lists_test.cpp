#include "http/front/kept_lists.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <utility>

namespace matchcloud::http {
namespace {

using fixtures::id_of;

std::shared_ptr<const actors::list_offer> offer_of(std::uint8_t game, std::size_t bytes = 10) {
  return std::make_shared<const actors::list_offer>(
      id_of(game), std::make_shared<const std::string>(bytes, 'a'));
}

TEST_CASE("a list is kept as long as its offer stands") {
  kept_lists of{100'000};
  CHECK(of.find(id_of(1)) == nullptr);
  actors::standing_offer standing{offer_of(1)};
  of.keep(standing.get());
  REQUIRE(of.find(id_of(1)));
  CHECK(of.find(id_of(1)).get() == &standing.get()->json()); // shared, not copied
  CHECK(of.find(id_of(2)) == nullptr);
  standing = {};
  CHECK(of.find(id_of(1)) == nullptr);
}

TEST_CASE("an answer that is being sent keeps its text, though the offer ended") {
  kept_lists of{100'000};
  actors::standing_offer standing{offer_of(1)};
  of.keep(standing.get());
  const auto sent = of.find(id_of(1));
  standing = {};
  of = kept_lists{0};
  CHECK(*sent == std::string(10, 'a'));
}

TEST_CASE("a newer offer takes the place of the one before") {
  kept_lists of{100'000};
  actors::standing_offer standing{offer_of(1)};
  of.keep(standing.get());
  standing = actors::standing_offer{offer_of(1, 20)};
  of.keep(standing.get());
  REQUIRE(of.find(id_of(1)));
  CHECK(of.find(id_of(1))->size() == 20);
}

TEST_CASE("now and then the shard is asked, and long lists are always asked of it") {
  kept_lists of{10 * kept_lists::longest_bytes};
  const auto offer = offer_of(1);
  of.keep(offer);
  std::size_t answered = 0;
  for (std::size_t i = 0; i < 10 * kept_lists::answers_per_look; ++i)
    answered += of.find(id_of(1)) ? 1 : 0;
  CHECK(answered == 10 * (kept_lists::answers_per_look - 1));
  const auto longest = offer_of(2, kept_lists::longest_bytes);
  const auto longer = offer_of(3, kept_lists::longest_bytes + 1);
  of.keep(longest);
  of.keep(longer);
  CHECK(of.find(id_of(2)));
  CHECK(of.find(id_of(3)) == nullptr);
}

TEST_CASE("kept lists stay within their bytes") {
  constexpr std::size_t fits_two = 2'600;
  kept_lists of{fits_two};
  std::vector<std::shared_ptr<const actors::list_offer>> offers;
  for (std::uint8_t game = 1; game <= 3; ++game)
    of.keep(offers.emplace_back(offer_of(game, 1'000)));
  CHECK(of.find(id_of(1)) == nullptr);
  CHECK(of.find(id_of(2)));
  CHECK(of.find(id_of(3)));
  of.keep(offers.emplace_back(offer_of(4, fits_two))); // larger than all room
  CHECK(of.find(id_of(4)) == nullptr);
  CHECK(of.find(id_of(3)));
}

} // namespace
} // namespace matchcloud::http
