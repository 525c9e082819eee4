#include "tests/faults/lobby_ledger.hpp"

#include "model/text/timestamp.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace matchcloud::faults {

namespace {

/// 2026-01-02T00:00:00Z: the first lobby's start. One lobby starts in each second after it.
constexpr std::int64_t first_start_ts = 1'767'312'000'000;
constexpr std::string_view version_id = "00000000-0000-4000-8000-000000000031";
constexpr std::string_view header =
    "lobby_id,namespace_id,namespace_name,region_id,region_name,tier,version_id,version_name,"
    "game_mode,start_ts,stop_ts,total_uptime_ms,query_uptime_ms";

std::string id_of(std::uint32_t kind, std::uint64_t number) {
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08x-0000-4000-8000-%012llx", kind,
                static_cast<unsigned long long>(number));
  return text.data();
}

std::int64_t start_of(std::size_t number) {
  return first_start_ts + static_cast<std::int64_t>(number) * 1'000;
}

std::int64_t uptime_of(std::size_t number) {
  return 60'000 + static_cast<std::int64_t>(number % 977) * 1'001;
}

bool in_fra(std::size_t number) {
  return number % 2 == 0;
}

/// Whether the lobby has a name that needs quotes in both formats: every third one.
bool is_awkward(std::size_t number) {
  return number % 3 == 0;
}

} // namespace

lobby_ledger::lobby_ledger(std::uint32_t number)
    : number_{number}, game_id_{id_of(0xa0, number)}, namespace_id_{id_of(0xb0, number)} {}

std::string lobby_ledger::catalog() const {
  return R"({"games":[{"game_id":")" + game_id_ + R"(","display_name":"Ledger","namespaces":[)" +
         R"({"namespace_id":")" + namespace_id_ + R"(","name":"prod"}]}]})";
}

lobby_ledger::batch lobby_ledger::next(chances& by, std::size_t most) {
  batch made;
  const std::lock_guard lock{mutex_};
  for (auto stops = by.between(0, 5); stops > 0 && !running_.empty(); --stops) {
    made.reports.emplace_back(running_.back(), report::stopped);
    running_.pop_back();
  }
  for (auto count = by.between(1, most); count > 0; --count) {
    made.reports.emplace_back(lobbies_.size(), by.one_in(4) ? report::running : report::stopped);
    lobbies_.emplace_back();
  }
  for (const auto& [number, what] : made.reports) {
    lobbies_[number].tried = what;
    made.lines += line(number, what);
  }
  return made;
}

void lobby_ledger::acknowledge(const batch& what) {
  const std::lock_guard lock{mutex_};
  for (const auto& [number, reported] : what.reports) {
    lobbies_[number].acknowledged = reported;
    if (reported == report::running) running_.push_back(number);
  }
}

std::vector<report> lobby_ledger::acknowledged() const {
  const std::lock_guard lock{mutex_};
  std::vector<report> all;
  all.reserve(lobbies_.size());
  for (const auto& each : lobbies_)
    all.push_back(each.acknowledged);
  return all;
}

std::string lobby_ledger::problem_of(std::string_view csv,
                                     const std::vector<report>& at_least) const {
  const std::lock_guard lock{mutex_};
  std::vector<report> found(lobbies_.size());
  std::optional<std::size_t> last;
  for (bool first = true; !csv.empty(); first = false) {
    const auto end = csv.find("\r\n");
    const auto text = csv.substr(0, end);
    if (end == csv.npos) return "cut off: " + std::string{text};
    csv.remove_prefix(end + 2);
    if (first && text != header) return "another header: " + std::string{text};
    if (first) continue;
    std::size_t number = 0;
    for (std::size_t at = 24; at < 36 && at < text.size(); ++at)
      number = number * 16 + std::string_view{"0123456789abcdef"}.find(text[at]);
    if (number >= lobbies_.size()) return "nobody's row: " + std::string{text};
    if (last && number <= *last) return "twice or out of order: " + std::string{text};
    last = number;
    const bool is_running = text.starts_with(row(number, report::running));
    if (!is_running && text != row(number, report::stopped))
      return "wrong: " + std::string{text} + ", not " + row(number, report::stopped);
    found[number] = is_running ? report::running : report::stopped;
    if (found[number] > lobbies_[number].tried) return "never said: " + std::string{text};
  }
  for (std::size_t number = 0; number < at_least.size(); ++number)
    if (found[number] < at_least[number]) return "lost: " + line(number, at_least[number]);
  return {};
}

std::string lobby_ledger::lobby_id(std::size_t number) const {
  return id_of(number_, number);
}

std::string lobby_ledger::line(std::size_t number, report what) const {
  auto text = R"({"lobby_id":")" + lobby_id(number) + R"(","namespace_id":")" + namespace_id_ +
              R"(","region_id":")" + (in_fra(number) ? "fra" : "lon") +
              R"(","tier":"basic-1d1","version_id":")" + std::string{version_id} +
              R"(","version_name":"1.)" + std::to_string(number % 4) + R"(","game_mode":")" +
              (is_awkward(number) ? R"(a \"b\", c)" : "duel") + R"(","start_ts":)" +
              std::to_string(start_of(number));
  if (what == report::stopped)
    text += R"(,"stop_ts":)" + std::to_string(start_of(number) + uptime_of(number));
  return text + "}\n";
}

std::string lobby_ledger::row(std::size_t number, report what) const {
  const auto text = lobby_id(number) + "," + namespace_id_ + ",prod," +
                    (in_fra(number) ? "fra,Frankfurt" : "lon,London") + ",basic-1d1," +
                    std::string{version_id} + ",1." + std::to_string(number % 4) + "," +
                    (is_awkward(number) ? R"("a ""b"", c")" : "duel") + "," +
                    model::format_timestamp(start_of(number)) + ",";
  if (what == report::running) return text + ",,";
  const auto uptime = std::to_string(uptime_of(number));
  return text + model::format_timestamp(start_of(number) + uptime_of(number)) + "," + uptime + "," +
         uptime;
}

} // namespace matchcloud::faults
