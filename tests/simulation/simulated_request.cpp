#include "tests/simulation/simulated_request.hpp"

#include "tests/simulation/database.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace matchcloud::simulation {

namespace {

constexpr std::size_t lines_limit = 2'000;
/// The lobbies of ingests have greater numbers than all others.
constexpr std::size_t first_lobby = 1'000'000;
constexpr std::int64_t first_ts = 1'700'000'000'000;
constexpr std::array<std::uint32_t, 4> namespaces{11, 12, 21, 31};
constexpr std::array<const char*, 3> regions{"ams", "fra", "syd"};

std::string line_of(const model::lobby& of) {
  const auto& fixed = of.attributes;
  auto line = R"({"lobby_id":")" + model::to_string(of.lobby_id) + R"(","namespace_id":")" +
              model::to_string(fixed.namespace_id) + R"(","region_id":")" + fixed.region_id +
              R"(","tier":")" + fixed.tier + R"(","version_id":")" +
              model::to_string(fixed.version_id) + R"(","version_name":")" + fixed.version_name +
              R"(","game_mode":")" + fixed.game_mode + R"(","start_ts":)" +
              std::to_string(of.times.start_ts);
  if (of.times.stop_ts) line += R"(,"stop_ts":)" + std::to_string(*of.times.stop_ts);
  return line + "}";
}

std::size_t any_line_count(chance& random) {
  // A part of a body has 64 KiB, which is about 250 lines.
  return random.one_in(3) ? 200 + random.below(lines_limit - 200) : 1 + random.below(60);
}

} // namespace

lobby_batch::lobby_batch(std::size_t number, chance& random) : number_{number} {
  const auto lines = any_line_count(random);
  while (line_count() < lines) {
    model::lobby made;
    made.lobby_id =
        numbered(static_cast<std::uint32_t>(first_lobby + number * lines_limit + line_count()));
    made.times.start_ts = first_ts + random.between(0, 1'000'000);
    made.attributes = {numbered(random.of(namespaces)),
                       numbered(77),
                       random.of(regions),
                       "basic-1d1",
                       "1",
                       "duel"};
    if (random.one_in(40)) {
      add_line("{\"nonsense\":", std::nullopt);
    } else if (random.one_in(40)) {
      made.attributes.namespace_id = numbered(99);
      add_line(line_of(made), std::nullopt);
    } else if (random.one_in(4)) {
      add_report(made);
      made.times.stop_ts = made.times.start_ts + random.between(0, 50'000);
      if (line_count() < lines) add_report(std::move(made));
    } else {
      made.times.stop_ts = made.times.start_ts + random.between(0, 50'000);
      add_report(std::move(made));
    }
  }
  if (random.one_in(3)) body_.pop_back();
}

void lobby_batch::add_report(model::lobby made) {
  auto text = line_of(made);
  add_line(std::move(text), std::move(made));
}

void lobby_batch::add_line(std::string text, std::optional<model::lobby> report) {
  body_.append(text).append("\n");
  ends_.push_back(body_.size());
  reports_.push_back(std::move(report));
}

std::uint64_t lobby_batch::rejected_count() const noexcept {
  return static_cast<std::uint64_t>(
      std::count_if(reports_.begin(), reports_.end(), [](const auto& each) { return !each; }));
}

std::uint64_t lobby_batch::news_count() const {
  lobby_map known;
  std::uint64_t news = 0;
  for (const auto& each : reports_)
    if (each && merge_into(known, *each)) ++news;
  return news;
}

void lobby_batch::deliver(std::size_t bytes, bool whole) {
  const auto lines = whole
                         ? line_count()
                         : static_cast<std::size_t>(
                               std::upper_bound(ends_.begin(), ends_.end(), bytes) - ends_.begin());
  delivered_ = std::max(delivered_, lines);
}

std::string lobby_batch::find_missing(const lobby_map& stored) const {
  lobby_map all;
  for (const auto& each : reports_)
    if (each) merge_into(all, *each);
  for (const auto& [id, lobby] : all) {
    const auto found = stored.find(id);
    if (found == stored.end()) return "lobby " + model::to_string(id) + " is not in the store";
    if (found->second != lobby) return "lobby " + model::to_string(id) + " is stored otherwise";
  }
  return {};
}

std::string lobby_batch::find_undelivered(const lobby_map& stored, std::size_t& found) const {
  // Lines are stored in order, so a stored lobby is what some number of the first lines say of it.
  lobby_map said;
  std::map<model::uuid, bool> explained;
  for (std::size_t line = 0; line < line_count(); ++line) {
    const auto& report = reports_[line];
    if (!report) continue;
    const auto at = stored.find(report->lobby_id);
    auto& is_explained = explained[report->lobby_id];
    if (line >= delivered_ || at == stored.end()) continue;
    merge_into(said, *report);
    is_explained = is_explained || said.at(report->lobby_id) == at->second;
  }
  for (const auto& [id, is_explained] : explained) {
    if (stored.count(id) == 0) continue;
    ++found;
    if (!is_explained)
      return "lobby " + model::to_string(id) + " is in the store, and no whole line said that";
  }
  return {};
}

} // namespace matchcloud::simulation
