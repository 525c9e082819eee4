#include "tests/store/conformance/engines.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace matchcloud::store {
namespace {

using model::line_errc;

constexpr auto running = std::nullopt;

TEST_CASE("a lobby's later reports add to it, in the same place or another", "[engines]") {
  const store_for_lobbies in;
  const auto merged = [&](model::lobby_times times) {
    return merge_all(*in.sink, lobby_list{}.add(100, times, kind_of(11))).accepted == 1;
  };
  const auto stored = [&] { return in.lobbies().at(0).substr(to_string(id_of(100)).size()); };
  CHECK(merged({1'000, running}));
  CHECK_FALSE(merged({1'000, running}));
  CHECK_FALSE(merged({1'500, running}));
  CHECK(merged({1'200, 1'300}));
  CHECK(stored().starts_with(" 1 1000 1300 "));
  CHECK(merged({900, running}));
  CHECK(stored().starts_with(" 1 900 1300 "));
  CHECK(merged({1'100, 1'310}));
  CHECK(stored().starts_with(" 1 900 1310 "));
  CHECK_FALSE(merged({1'000, 1'310}));
  CHECK(in.lobbies().size() == 1);
}

TEST_CASE("a lobby of another kind is a conflict and changes nothing", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(100, {1'000, running}, kind_of(11)));
  const auto before = in.lobbies();
  const auto revision = in.revision_of(1);
  const auto done = merge_all(*in.sink, lobby_list{}
                                            .add(100, {500, 2'000}, kind_of(11, "iad"))
                                            .add(100, {500, 2'000}, kind_of(21))
                                            .add(100, {500, 2'000}, kind_of(11, "fra", "team")));
  REQUIRE(done.rejected.size() == 3);
  for (const auto& each : done.rejected)
    CHECK(each.finding.code == line_errc::conflict);
  CHECK(done.rejected[0].finding.message.ends_with(
      R"(00000064 is known, and its region_id "iad" is not "fra")"));
  CHECK(done.rejected[2].index == 2);
  CHECK(in.lobbies() == before);
  CHECK(in.revision_of(1) == revision);
}

TEST_CASE("lobbies of namespaces and regions that nobody knows are refused, the rest is taken",
          "[engines]") {
  const store_for_lobbies in;
  const auto done = merge_all(*in.sink, lobby_list{}
                                            .add(100, {1, running}, kind_of(99))
                                            .add(101, {1, running}, kind_of(11))
                                            .add(102, {1, running}, kind_of(11, "mars"))
                                            .add(103, {1, running}, kind_of(99)));
  CHECK(done.accepted == 1);
  REQUIRE(done.rejected.size() == 3);
  CHECK(done.rejected[0].finding.code == line_errc::namespace_unknown);
  CHECK(done.rejected[1].finding.code == line_errc::region_unknown);
  CHECK(done.rejected[1].index == 2);
  CHECK(done.rejected[2].finding == done.rejected[0].finding);
}

TEST_CASE("history may name what was removed from the catalog", "[engines]") {
  const store_for_lobbies in;
  using model::element_key;
  using model::element_kind;
  for (const std::uint32_t number : {11, 12, 21})
    had(in.catalog->remove(
        *element_key::parse(element_kind::game_namespace, to_string(id_of(number)))));
  for (const auto* region : {"fra", "iad"})
    had(in.catalog->remove(*element_key::parse(element_kind::region, region)));
  had(in.catalog->remove(*element_key::parse(element_kind::game, to_string(id_of(1)))));
  CHECK(merge_all(*in.sink, lobby_list{}.add(100, {1, running}, kind_of(11))).accepted == 1);
}

TEST_CASE("the revision of a game's lobbies moves with what changes them, and with nothing else",
          "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1, running}, kind_of(11)));
  const auto first = in.revision_of(1);
  merge_all(*in.sink, lobby_list{}.add(2, {1, running}, kind_of(21)));
  CHECK(in.revision_of(1) == first);
  CHECK(in.revision_of(2) > 0);
  merge_all(*in.sink, lobby_list{}.add(1, {1, running}, kind_of(11)));
  CHECK(in.revision_of(1) == first);
  merge_all(*in.sink, lobby_list{}.add(1, {1, 2}, kind_of(11)));
  CHECK(in.revision_of(1) > first);
}

TEST_CASE("of batches that are merged together each is told of its own", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1, 2}, kind_of(11)).add(2, {1, 2}, kind_of(11)));
  std::array<lobby_list, 4> lists;
  lists[0].add(10, {1, 2}, kind_of(11)).add(1, {1, 2}, kind_of(11));
  lists[1].add(2, {1, 2}, kind_of(12)).add(11, {1, 2}, kind_of(21));
  lists[2].add(12, {1, 2}, kind_of(99));
  // As the first one has it, and longer.
  lists[3].add(10, {1, 2}, kind_of(11)).add(10, {1, 3}, kind_of(11));
  std::vector<merge_part> parts;
  for (const auto& each : lists)
    parts.push_back({each.records, &each.attributes, nullptr, {}});
  in.sink->merge_together(parts);
  const auto counts_of = [&](std::size_t part) {
    const auto merged = had(parts[part].merged);
    return std::array{merged.taken, merged.accepted, merged.unchanged, merged.rejected.size()};
  };
  CHECK(counts_of(0) == std::array<std::size_t, 4>{2, 1, 1, 0});
  CHECK(counts_of(1) == std::array<std::size_t, 4>{2, 1, 0, 1});
  CHECK(parts[1].merged->rejected[0].index == 0);
  CHECK(parts[1].merged->rejected[0].finding.code == line_errc::conflict);
  CHECK(counts_of(2) == std::array<std::size_t, 4>{1, 0, 0, 1});
  CHECK(parts[2].merged->rejected[0].finding.code == line_errc::namespace_unknown);
  CHECK(counts_of(3) == std::array<std::size_t, 4>{2, 1, 1, 0});
  CHECK(in.lobbies().size() == 4);
}

TEST_CASE("batches that a transaction does not take whole are merged all the same", "[engines]") {
  const store_for_lobbies in;
  std::array<lobby_list, 4> lists;
  std::int64_t stop = 2;
  for (auto& list : lists)
    for (int i = 0; i < 5; ++i)
      list.add(1, {1, stop++}, kind_of(11));
  std::vector<merge_part> parts;
  for (const auto& each : lists)
    parts.push_back({each.records, &each.attributes, nullptr, {}});
  in.sink->merge_together(parts);
  for (const auto& each : parts)
    CHECK(had(each.merged).accepted == 5);
  CHECK(in.lobbies().at(0).find(" 1 1 21 ") != std::string::npos);
}

TEST_CASE("a check says what merging would do and does nothing", "[engines]") {
  const store_for_lobbies in;
  merge_all(*in.sink, lobby_list{}.add(1, {1, 5}, kind_of(11)));
  const auto before = in.lobbies();
  lobby_list list;
  list.add(1, {1, 5}, kind_of(11)).add(1, {1, 6}, kind_of(11)).add(2, {1, 6}, kind_of(12));
  list.add(1, {1, 6}, kind_of(12)).add(3, {1, 6}, kind_of(99));
  const auto would = in.sink->check(list.records, list.attributes);
  REQUIRE(would.has_value());
  CHECK(would->taken == 5);
  CHECK(would->unchanged == 1);
  CHECK(would->accepted == 2);
  REQUIRE(would->rejected.size() == 2);
  CHECK(would->rejected[0].finding.code == line_errc::conflict);
  CHECK(would->rejected[1].finding.code == line_errc::namespace_unknown);
  const auto kinds = in.sink->check_attributes(list.attributes);
  REQUIRE(kinds.has_value());
  CHECK(kinds->at(0).game_id == id_of(1));
  CHECK(kinds->at(2).finding.has_value());
  CHECK(in.lobbies() == before);
}

/// Adds a report about one of a few lobbies, whose attributes follow from its number.
lobby_list& add_any(lobby_list& list) {
  const auto number = *rc::gen::inRange<std::uint32_t>(0, 6);
  const auto start = *rc::gen::inRange<std::int64_t>(0, 40);
  model::lobby_times times{start, std::nullopt};
  if (*rc::gen::arbitrary<bool>()) times.stop_ts = start + *rc::gen::inRange<std::int64_t>(0, 40);
  return list.add(number, times,
                  kind_of(number % 2 == 0 ? 11 : 21, number % 3 == 0 ? "fra" : "iad"));
}

TEST_CASE("property: any order, repetition and batching of reports settles to the same state",
          "[engines]") {
  const auto& engine = each_engine();
  const store_for_lobbies one{engine};
  const store_for_lobbies other{engine};
  std::uint32_t round = 0;
  REQUIRE(rc::check([&] {
    // Each round uses new lobbies.
    const auto shifted = [base = round++ * 10](std::vector<model::lobby_record> records) {
      for (auto& each : records)
        each.lobby_id = id_of(1'000 + base + each.lobby_id.bytes[15]);
      return records;
    };
    lobby_list list;
    const auto count = *rc::gen::inRange(1, 12);
    for (int i = 0; i < count; ++i)
      add_any(list);
    list.records = shifted(list.records);
    one.merge(list);

    auto repeated = list.records;
    repeated.insert(repeated.end(), list.records.begin(), list.records.end());
    for (std::size_t i = repeated.size(); i > 1; --i)
      std::swap(repeated[i - 1], repeated[*rc::gen::inRange<std::size_t>(0, i)]);
    const auto batch = *rc::gen::inRange<std::size_t>(1, repeated.size() + 1);
    for (std::size_t at = 0; at < repeated.size(); at += batch) {
      const auto part = std::span{repeated}.subspan(at, std::min(batch, repeated.size() - at));
      const auto done = other.sink->merge(part, list.attributes);
      RC_ASSERT(done.has_value());
      RC_ASSERT(done->rejected.empty());
    }
    RC_ASSERT(one.lobbies() == other.lobbies());
  }));
}

TEST_CASE("property: a report of another kind never changes anything", "[engines]") {
  const store_for_lobbies in;
  lobby_list known;
  for (std::uint32_t number = 0; number < 6; ++number)
    known.add(number, {100, 200}, kind_of(11));
  merge_all(*in.sink, known);
  const auto before = in.lobbies();
  REQUIRE(rc::check([&] {
    lobby_list list;
    const auto start = *rc::gen::inRange<std::int64_t>(0, 400);
    list.add(*rc::gen::inRange<std::uint32_t>(0, 6), {start, start + 100},
             kind_of(*rc::gen::element<std::uint32_t>(11, 12, 21), "iad"));
    RC_ASSERT(merge_all(*in.sink, list).rejected.size() == 1);
    RC_ASSERT(in.lobbies() == before);
  }));
}

TEST_CASE(
    "a lobby that two writers report at once for two games is one's, and the other's conflict",
    "[engines]") {
  const store_for_lobbies in;
  constexpr std::uint32_t count = 2'000;
  // Asserts nothing: Catch2 2 allows that on one thread only.
  const auto report = [&](std::uint32_t namespace_number) -> base::expected<lobby_merge> {
    const auto sink = in.open().and_then([](const auto& own) { return own->sink(); });
    if (!sink) return tl::unexpected(sink.error());
    lobby_list list;
    for (std::uint32_t number = 0; number < count; ++number)
      list.add(number, {number, number + 10}, kind_of(namespace_number));
    // In two orders, so that neither may lock a lobby that the other waits for.
    if (namespace_number == 21) std::ranges::reverse(list.records);
    return merge_rest(**sink, list.records, list.attributes);
  };
  base::expected<lobby_merge> others;
  std::jthread writer{[&] { others = report(21); }};
  const auto one = had(report(11));
  writer.join();
  const auto other = had(others);
  CHECK(one.accepted + other.accepted == count);
  CHECK(one.rejected.size() + other.rejected.size() == count);
  CHECK(in.lobbies().size() == count);
}

} // namespace
} // namespace matchcloud::store
