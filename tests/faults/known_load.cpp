#include "tests/faults/known_load.hpp"

#include "model/text/timestamp.hpp"
#include "tests/catch.hpp"
#include "tests/faults/clients.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <stdexcept>

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

namespace {

using namespace e2e;

/// Within the first day of the demo's lobbies: covers some hundred of them.
constexpr std::uint64_t export_end = 1'767'225'600'000 + 3'600'000;
const std::string latencies_target = "/matchmaker/latencies";
const std::string measured = R"({"latencies":{"fra":9,"lon":20}})";
constexpr std::string_view no_findings = R"({"errors":[]})";

answer post(const address& to, const std::string& target, const std::string& body) {
  raw_connection client{to};
  return client.ask(request("POST", target, body, "Content-Type: application/json\r\n"));
}

/// A valid game with so much white space that its body is validated on the pool.
std::string large_game() {
  return R"({"display_name":"Large")" + std::string(70'000, ' ') + "}";
}

} // namespace

tally& tally::operator+=(const tally& other) {
  requests += other.requests;
  answers += other.answers;
  broken += other.broken;
  for (const auto& [status, count] : other.statuses)
    statuses[status] += count;
  wrong.insert(other.wrong.begin(), other.wrong.end());
  return *this;
}

bool tally::is_perfect() const {
  return answers == requests && wrong.empty() && statuses.size() == 1 && statuses.contains(200);
}

std::string to_string(const tally& of) {
  auto text = std::to_string(of.requests) + " requests, " + std::to_string(of.answers) +
              " answers, " + std::to_string(of.broken) + " broken;";
  for (const auto& [status, count] : of.statuses)
    text += " " + std::to_string(count) + " x " + std::to_string(status);
  for (const auto& each : of.wrong)
    text += "\n" + each.substr(0, 300);
  return text;
}

known_load::known_load(const world& in, const server& of) : of_{&of} {
  in.import(ledger_.catalog());
  REQUIRE(
      eventually([&] { return faults::ask_export(of.data(), ledger_.game_id()).status == 200; }));
  // Its deadlines are short, and a busy machine may miss one before any fault is injected.
  const auto body_of = [&of](const std::string& target) {
    answer got;
    REQUIRE(eventually([&] { return (got = get(of.data(), target)).status == 200; }));
    return got.body;
  };
  regions_ = body_of(regions_target);
  avatars_ = body_of(demo_avatars_target);
  const auto listed = parse_json(avatars_);
  for (const auto& each : listed["custom_avatars"].GetArray())
    if (each["complete"].GetBool()) media_target_ = text_at(each, "url");
  REQUIRE_FALSE(media_target_.empty());
  media_target_ = media_target_.substr(media_target_.find("/media/"));
  media_ = body_of(media_target_);
  REQUIRE(eventually([&] { return ask_all().is_perfect(); }));
}

template <class Check>
void known_load::ask(tally& into, const std::function<answer()>& request, Check check) {
  ++into.requests;
  try {
    const auto got = request();
    ++into.answers;
    ++into.statuses[got.status == 201 ? 200 : got.status];
    if (got.status == 200 && !check(got.body)) into.wrong.insert(got.body);
  } catch (const std::runtime_error&) {
    ++into.broken;
  }
}

tally known_load::ask_reading() const {
  tally all;
  const auto& data = of_->data();
  const auto is = [](std::string_view expected) {
    return [expected](const std::string& body) { return body == expected; };
  };
  // Regions are renamed and GeoIP files replaced in the meantime.
  const auto is_listing = [&](const std::string& body) {
    const auto listed = parse_json(body);
    const auto known = parse_json(regions_);
    return listed.IsObject() && listed["regions"].Size() >= known["regions"].Size();
  };
  ask(
      all, [&] { return get(data, regions_target); }, is_listing);
  ask(
      all, [&] { return post(data, latencies_target, measured); },
      [](const std::string& body) { return body.starts_with(R"({"taken":)"); });
  ask(
      all, [&] { return post(data, groups_target, good_group); }, is(no_findings));
  ask(
      all, [&] { return post(data, games_target, large_game()); }, is(no_findings));
  ask(
      all, [&] { return get(data, demo_avatars_target); }, is(avatars_));
  ask(
      all, [&] { return get(data, media_target_); }, is(media_));
  return all;
}

tally known_load::ask_export() const {
  tally all;
  std::string target;
  ask(
      all, [&] { return faults::ask_export(of_->data(), demo_game, export_end + ++turn_); },
      [&](const std::string& body) {
        target = download_target({200, {}, body});
        return !target.empty();
      });
  if (target.empty()) return all;
  ask(
      all, [&] { return get(of_->data(), target); },
      [](const std::string& csv) {
        return csv.starts_with("lobby_id,") && csv.ends_with("\r\n") &&
               std::count(csv.begin(), csv.end(), '\n') > 10;
      });
  return all;
}

tally known_load::ask_changing() const {
  tally all;
  lobby_ledger::batch batch;
  {
    const std::lock_guard lock{mutex_};
    batch = ledger_.next(chances_, 3);
  }
  const auto any = [](const std::string&) { return true; };
  ask(
      all, [&] { return ingest(of_->ops(), batch.lines); }, any);
  const auto name = std::to_string(++turn_);
  ask(
      all, [&] { return put_region(of_->ops(), "atl", name); }, any);
  return all;
}

tally known_load::ask_all() const {
  auto all = ask_reading();
  all += ask_export();
  all += ask_changing();
  return all;
}

tally known_load::repeat(std::size_t clients, std::size_t turns,
                         const std::function<tally()>& ask) {
  std::mutex mutex;
  tally all;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i)
    threads.emplace_back([&] {
      tally own;
      for (std::size_t turn = 0; turn < turns; ++turn)
        own += ask();
      const std::lock_guard lock{mutex};
      all += own;
    });
  for (auto& thread : threads)
    thread.join();
  return all;
}

} // namespace matchcloud::faults
