#include "tests/store/copy/copied_store.hpp"

#include "base/hexadecimal.hpp"
#include "model/access/new_token.hpp"
#include "model/text/timestamp.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>

namespace matchcloud::store {

namespace {

using namespace std::string_literals;

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t last_time = model::timestamp_limit_ms;

class filler {
public:
  filler(const copied_store& store, std::uint32_t seed) : of_{store.open()}, random_{seed} {}

  void fill(std::uint32_t lobbies) {
    fill_catalog();
    fill_avatars();
    fill_lobbies(lobbies);
    fill_access();
    fill_latencies();
  }

private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  std::string text() {
    static const std::array parts{"plain"s,
                                  ""s,
                                  "O'Brien"s,
                                  "\"quoted\""s,
                                  "back\\slash\\"s,
                                  "{a,b}"s,
                                  "NULL"s,
                                  "\0"s,
                                  "\x01"s,
                                  "\x01"
                                  "0"s,
                                  "日本語"s,
                                  "Ελλάδα \U0001F43C"s,
                                  "مرحبا"s,
                                  "a\nb\tc"s,
                                  ",;$1%s"s};
    std::string made;
    for (std::uint32_t count = below(4); count > 0; --count)
      made += parts[below(parts.size())];
    return made;
  }

  std::int64_t number() {
    static constexpr std::array edges{std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, least,
                                      greatest};
    return below(2) == 0 ? edges[below(edges.size())] : static_cast<std::int64_t>(random_());
  }

  /// A time that the audit log can write.
  std::int64_t time() {
    return below(3) == 0 ? last_time : static_cast<std::int64_t>(below(2'000'000'000));
  }

  model::uuid any_id() {
    model::uuid id;
    for (auto& each : id.bytes)
      each = static_cast<std::uint8_t>(random_());
    return id;
  }

  void fill_catalog() {
    auto document = lobby_catalog();
    for (auto& each : document.games)
      each.display_name = text();
    for (const auto* id : {"a", "a-b", "b", "ab"})
      document.regions.push_back({id, text(), text(), {std::ldexp(1.0, -30) * below(90), -0.0}});
    document.tiers = {"Z", "a", "a-b", "ab", "basic-9d1"};
    document.namespaces.push_back({any_id(),
                                   id_of(2),
                                   text(),
                                   {"b.example", "a-b.example", "ab.example"},
                                   std::vector<std::string>{"a", "ab"}});
    const auto catalog = had(of_->catalog());
    had(catalog->import_document(document));
    had(catalog->remove(key_of(model::element_kind::region, "b")));
    had(catalog->remove(key_of(model::element_kind::tier, "basic-1d1")));
  }

  void fill_avatars() {
    std::vector<model::avatar> avatars(1 + below(50));
    for (auto& each : avatars) {
      each.game_id = id_of(1 + below(2));
      each.upload_id = any_id();
      each.display_name = text();
      each.content_length = static_cast<std::uint64_t>(number());
    }
    had(had(of_->avatars())->put(avatars));
  }

  void fill_lobbies(std::uint32_t count) {
    const auto sink = had(of_->sink());
    lobby_list list;
    for (std::uint32_t each = 0; each < count; ++each) {
      model::lobby_times times{static_cast<std::int64_t>(below(4'000'000'000)), std::nullopt};
      if (below(10) > 0) times.stop_ts = times.start_ts + (std::int64_t{1} << below(40));
      list.records.push_back({any_id(), times,
                              list.attributes.number_of(kind_of(below(2) == 0 ? 11 : 21, "fra",
                                                                modes_[below(modes_.size())]))});
    }
    merge_all(*sink, list);
  }

  void fill_access() {
    const auto access = had(of_->access());
    const auto tokens = had(of_->tokens());
    std::vector<token_use> uses;
    for (int each = 0; each < 20; ++each) {
      model::new_token wanted;
      wanted.name = text();
      if (below(2) == 0) wanted.expires_ms = last_time;
      if (below(2) == 0) wanted.limits.cheap = base::rate_policy{100, 10};
      wanted.kind = below(2) == 0 ? model::token_kind::game : model::token_kind::viewer;
      if (wanted.kind == model::token_kind::game) wanted.scope = id_of(1);
      auto made = model::make_token(wanted, text(), time()).token;
      had(tokens->create_token(made));
      auto other = made.digest;
      other[0] ^= 1;
      if (below(3) == 0) had(tokens->rotate_token(made.token_id, other, last_time, 0));
      if (below(3) == 0) had(tokens->revoke_token(made.token_id, time()));
      uses.push_back({made.token_id, number()});
      had(access->record({model::audit_action::demo_seed, text(), text(), text()}));
    }
    had(access->note_uses(uses));
  }

  void fill_latencies() {
    std::vector<model::learned_entry> learned(1 + below(300));
    for (auto& each : learned) {
      each.cell.key = random_();
      each.region_id = text();
      each.region_at = {std::ldexp(1.0, -30) * below(90), -0.0};
      for (auto count = below(10); count > 0; --count)
        model::merge(each.voices, std::array{model::voice{0, static_cast<std::uint16_t>(random_()),
                                                          static_cast<std::uint32_t>(random_()),
                                                          static_cast<std::uint32_t>(number())}});
    }
    const auto latencies = had(of_->latencies());
    had(latencies->add_latencies(learned));
    had(latencies->add_latencies(std::span{learned}.first(1)));
  }

  std::shared_ptr<database> of_;
  std::mt19937_64 random_;
  std::array<std::string, 5> modes_{text(), text(), "duel", "Duel", text()};
};

} // namespace

void fill(const copied_store& store, std::uint32_t seed, std::uint32_t lobbies) {
  filler{store, seed}.fill(lobbies);
}

base::expected<std::vector<table_facts>>
try_copy(const copied_store& from, const copied_store& into, const copy_watch& watch) {
  const auto source = from.connection();
  const auto target = into.connection();
  return copy_store({*source, from.place.name()}, {*target, into.place.name()}, watch);
}

std::vector<table_facts> content(std::vector<table_facts> tables) {
  std::erase_if(tables, [](const table_facts& each) { return each.name == "audit"; });
  return tables;
}

} // namespace matchcloud::store
