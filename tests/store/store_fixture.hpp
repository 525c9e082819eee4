#pragma once

#include "base/clock.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/database.hpp"
#include "tests/catch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// The value of `got`. Fails the test with the error's detail if there is none.
template <class Value>
Value had(base::expected<Value> got) {
  INFO((got ? std::string{} : got.error().detail));
  REQUIRE(got.has_value());
  if constexpr (!std::is_void_v<Value>) return *std::move(got);
}

/// A clock that the test moves, from 2013-05-24T00:00:00Z on. Any thread.
class moved_clock final : public base::clock {
public:
  base::steady_time now() const noexcept override { return base::steady_time{moved_.load()}; }
  std::int64_t unix_ms() const noexcept override {
    return 1'369'353'600'000 + moved_.load().count();
  }
  void move(std::chrono::milliseconds by) { moved_ = moved_.load() + by; }

private:
  std::atomic<std::chrono::milliseconds> moved_{std::chrono::milliseconds{0}};
};

/// The machine's clock whose time of day is wrong by that.
class wrong_clock final : public base::clock {
public:
  explicit wrong_clock(std::chrono::milliseconds by) : by_{by} {}
  base::steady_time now() const noexcept override { return base::machine_clock().now(); }
  std::int64_t unix_ms() const noexcept override {
    return base::machine_clock().unix_ms() + by_.count();
  }

private:
  std::chrono::milliseconds by_;
};

/// A database and a separate session for each of its roles.
struct all_roles {
  std::shared_ptr<database> of;
  lease<catalog_store> catalog = had(of->catalog());
  lease<avatar_store> avatars = had(of->avatars());
  lease<lobby_sink> sink = had(of->sink());
  lease<lobby_history> history = had(of->history());
  lease<change_feed> feed = had(of->feed());
  lease<maintenance> upkeep = had(of->upkeep());

  explicit all_roles(base::expected<std::shared_ptr<database>> opened)
      : of{had(std::move(opened))} {}
};

/// A UUID that ends in `number`.
inline model::uuid id_of(std::uint32_t number) {
  model::uuid id;
  for (std::size_t i = 0; i < 4; ++i)
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

/// A catalog: game 1 with namespaces 11 and 12, game 2 with namespace 21; regions fra and iad.
inline model::catalog_document lobby_catalog() {
  model::catalog_document document;
  document.regions = {{"fra", "Frankfurt", "P", {}}, {"iad", "Ashburn", "P", {}}};
  document.games = {{id_of(1), "one"}, {id_of(2), "two"}};
  document.namespaces = {{id_of(11), id_of(1), "prod", {}, std::nullopt},
                         {id_of(12), id_of(1), "test", {}, std::nullopt},
                         {id_of(21), id_of(2), "prod", {}, std::nullopt}};
  return document;
}

inline model::lobby_attributes kind_of(std::uint32_t namespace_number, std::string region = "fra",
                                       std::string mode = "duel") {
  return {id_of(namespace_number), id_of(7), std::move(region), "basic-1d1", "1.0",
          std::move(mode)};
}

/// Lobbies in the form that a store takes.
struct lobby_list {
  std::vector<model::lobby_record> records;
  model::lobby_attributes_table attributes;

  lobby_list& add(std::uint32_t number, model::lobby_times times,
                  const model::lobby_attributes& kind) {
    records.push_back({id_of(number), times, attributes.number_of(kind)});
    return *this;
  }
};

/// Merges a whole list, in as many calls as needed. Asserts nothing, so any thread may call it.
inline base::expected<lobby_merge> merge_rest(lobby_sink& into,
                                              std::span<const model::lobby_record> rest,
                                              const model::lobby_attributes_table& attributes) {
  lobby_merge sum;
  while (!rest.empty()) {
    const auto part = into.merge(rest, attributes);
    if (!part) return part;
    if (part->taken == 0) return base::fail(base::errc::internal, "a merge took nothing");
    for (const auto& each : part->rejected)
      sum.rejected.push_back({sum.taken + each.index, each.finding});
    sum.taken += part->taken;
    sum.accepted += part->accepted;
    sum.unchanged += part->unchanged;
    rest = rest.subspan(part->taken);
  }
  return sum;
}

/// The same for what must succeed.
inline lobby_merge merge_all(lobby_sink& into, const lobby_list& list) {
  return had(merge_rest(into, list.records, list.attributes));
}

} // namespace matchcloud::store
