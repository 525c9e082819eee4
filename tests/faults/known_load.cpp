#include "tests/faults/known_load.hpp"

#include "tests/catch.hpp"
#include "tests/faults/service_calls.hpp"
#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <stdexcept>

namespace matchcloud::faults {

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
