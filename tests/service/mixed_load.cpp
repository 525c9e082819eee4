#include "tests/service/mixed_load.hpp"

#include "tests/fixtures/json.hpp"
#include "tests/service/lobby_lines.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace matchcloud::e2e {

namespace {

constexpr std::size_t game_count = 400;
constexpr std::size_t lines_at_once = 10;
constexpr std::size_t wrong_kept = 5;

std::string game_id(std::size_t number) {
  char text[40];
  std::snprintf(text, sizeof text, "00000000-0000-4000-8001-%012zu", number);
  return text;
}

std::string avatars_of(std::string_view game) {
  return "/cloud/games/" + std::string{game} + "/avatars";
}

/// So many ended lobbies from number `first`.
std::string lines_from(std::size_t first) {
  std::string lines;
  for (std::size_t number = first; number < first + lines_at_once; ++number)
    lines += lobby_line(number, "feed0000");
  return lines;
}

std::string described(const answer& got) {
  return std::to_string(got.status) + " " + got.body.substr(0, 300);
}

bool is_done(int status) {
  return status >= 200 && status < 300;
}

/// All 2xx answers have the same body.
auto constant() {
  return [first = std::string{}](const answer& got, raw_connection&) mutable -> std::string {
    if (first.empty()) first = got.body;
    return got.body == first ? std::string{} : "another answer than before: " + described(got);
  };
}

auto always(std::string text) {
  return [text = std::move(text)] { return text; };
}

/// Which of `wanted` the text does not have in quotation marks; empty if it has all.
std::string missing_in(const std::string& text, const std::set<std::string>& wanted) {
  for (const auto& each : wanted)
    if (text.find('"' + each + '"') == std::string::npos) return "it lacks " + each;
  return {};
}

std::string ops_request(const std::string& method, const std::string& target,
                        const std::string& body = {}) {
  return method + " " + target +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

void complain(kind_report& of, const std::string& text) {
  if (of.wrong.size() < wrong_kept) of.wrong.push_back(text);
}

} // namespace

std::string mixed_load::uncached_games() {
  std::string games;
  for (std::size_t number = 0; number < game_count; ++number)
    games += std::string{games.empty() ? "" : ","} + R"({"game_id":")" + game_id(number) +
             R"(","display_name":"G"})";
  return R"({"games":[)" + games + "]}";
}

mixed_load::mixed_load(const server& at, load_rules rules) : at_{&at}, rules_{rules} {
  add_without_store();
  add_lists_and_exports();
  add_catalog();
  add_tokens();
  add_ingestion();
  for (auto& each : clients_)
    each->thread = std::thread{[this, one = each.get()] { run(*one); }};
}

mixed_load::~mixed_load() {
  (void)finish();
}

void mixed_load::add(kind what) {
  auto made = std::make_unique<client>();
  made->report.name = what.name;
  made->what = std::move(what);
  clients_.push_back(std::move(made));
}

void mixed_load::add_without_store() {
  add({.name = "regions", .request = always(request("GET", regions_target)), .judge = constant()});
  add({.name = "validation",
       .request = always(request("POST", groups_target, good_group)),
       .judge = constant()});
  add({.name = "cached avatars",
       .request = always(request("GET", avatars_of(demo_game))),
       .judge = constant()});
  add({.name = "health",
       .on_ops = true,
       .request = always(ops_request("GET", "/healthz")),
       .judge = [](const answer&, raw_connection&) { return std::string{}; },
       .pause = milliseconds{50}});
}

void mixed_load::add_lists_and_exports() {
  for (std::size_t first = 0; first < rules_.uncached_clients; ++first)
    add({.name = "uncached avatars",
         .needs_store = true,
         .request =
             [number = first, step = rules_.uncached_clients]() mutable {
               number = (number + step) % game_count;
               return request("GET", avatars_of(game_id(number)));
             },
         .judge = constant()});
  struct span {
    int end = 100'000;
    std::size_t least_rows = 0;
  };
  const auto asked = std::make_shared<span>();
  add({.name = "exports",
       .needs_store = true,
       .request =
           [this, asked] {
             asked->least_rows = lines_;
             // Another span each time: exports of the same one share a file.
             return request(
                 "POST",
                 "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
                 R"({"query_start":0,"query_end":)" + std::to_string(++asked->end) + "}");
           },
       .judge = [this, asked](const answer& got, raw_connection& on) -> std::string {
         const auto most = sent_.load();
         const auto url = text_at(parse_json(got.body), "url");
         const auto file = on.ask(request("GET", url.substr(url.find("/exports"))));
         if (file.status != 200) return "its file: " + described(file);
         const auto lines =
             static_cast<std::size_t>(std::count(file.body.begin(), file.body.end(), '\n'));
         if (lines >= 1 + asked->least_rows && lines <= 1 + most) return {}; // 1: the header
         return std::to_string(lines) + " lines of " + std::to_string(asked->least_rows) + " to " +
                std::to_string(most) + " lobbies";
       },
       .pause = milliseconds{50}});
}

void mixed_load::add_catalog() {
  const auto tier = [](std::size_t number) { return "load-" + std::to_string(number); };
  add({.name = "catalog changes",
       .on_ops = true,
       .needs_store = true,
       .writes = true,
       .request = [this, tier] { return ops_request("PUT", "/v1/tiers/" + tier(tiers().size())); },
       .judge = [this, tier](const answer&, raw_connection&) -> std::string {
         const std::lock_guard lock{guard_};
         tiers_.insert(tier(tiers_.size()));
         return {};
       },
       .pause = milliseconds{20}});
  const auto known = std::make_shared<std::set<std::string>>();
  add({.name = "catalog",
       .on_ops = true,
       .needs_store = true,
       .request =
           [this, known] {
             *known = tiers();
             return ops_request("GET", "/v1/tiers");
           },
       .judge = [known](const answer& got,
                        raw_connection&) { return missing_in(got.body, *known); },
       .pause = milliseconds{20}});
}

void mixed_load::add_tokens() {
  add({.name = "token changes",
       .on_ops = true,
       .needs_store = true,
       .writes = true,
       .request = always(ops_request("POST", "/v1/tokens", R"({"kind":"studio","name":"load"})")),
       .judge = [this](const answer& got, raw_connection&) -> std::string {
         const std::lock_guard lock{guard_};
         tokens_.insert(text_at(parse_json(got.body), "token_id"));
         return {};
       },
       .pause = milliseconds{50}});
  const auto known = std::make_shared<std::set<std::string>>();
  add({.name = "tokens",
       .on_ops = true,
       .needs_store = true,
       .request =
           [this, known] {
             *known = tokens();
             return ops_request("GET", "/v1/tokens");
           },
       .judge = [known](const answer& got,
                        raw_connection&) { return missing_in(got.body, *known); },
       .pause = milliseconds{50}});
  add({.name = "audit log",
       .on_ops = true,
       .needs_store = true,
       .request = always(ops_request("GET", "/v1/audit?limit=10")),
       .judge = [](const answer& got, raw_connection&) -> std::string {
         return got.body.find("\"action\"") == std::string::npos ? "no entry: " + got.body : "";
       },
       .pause = milliseconds{50}});
}

void mixed_load::add_ingestion() {
  add({.name = "ingestion",
       .on_ops = true,
       .needs_store = true,
       .writes = true,
       .request =
           [this] {
             sent_ = lines_ + lines_at_once;
             return ops_request("POST", "/v1/lobbies", lines_from(lines_));
           },
       .judge = [this](const answer& got, raw_connection&) -> std::string {
         const auto told = parse_json(got.body);
         const auto unchanged = told["unchanged"].GetUint64();
         unchanged_ += unchanged;
         lines_ += lines_at_once;
         return told["accepted"].GetUint64() + unchanged == lines_at_once ? "" : described(got);
       },
       .pause = milliseconds{20},
       .slowest = milliseconds{60'000}}); // ingest-timeout-ms
}

bool mixed_load::pause(milliseconds at_most) {
  std::unique_lock lock{guard_};
  return !ended_.wait_for(lock, at_most, [this] { return ending_; });
}

void mixed_load::run(client& as) {
  do
    (void)ask(as);
  while (pause(as.what.pause));
  // So that what was sent last is known to be there.
  if (as.what.writes) (void)eventually([&] { return ask(as); });
}

bool mixed_load::ask(client& as) {
  const auto done = as.done.load();
  const auto begun = clock::now();
  try {
    if (!as.connection) as.connection.emplace(as.what.on_ops ? at_->ops() : at_->data());
    const auto got = as.connection->ask(as.what.request());
    note(as, got, std::chrono::duration_cast<milliseconds>(clock::now() - begun));
    if (got.header("connection") == "close") as.connection.reset();
  } catch (const std::exception& failed) {
    as.connection.reset();
    complain(as.report, failed.what());
  }
  return as.done != done;
}

void mixed_load::note(client& as, const answer& got, milliseconds took) const {
  const bool needs_store = as.what.needs_store;
  as.report.longest = std::max(as.report.longest, took);
  const auto usual = needs_store ? rules_.slowest : rules_.slowest_without_store;
  if (took > std::max(usual, as.what.slowest))
    complain(as.report, "after " + std::to_string(took.count()) + " ms: " + described(got));
  if (is_done(got.status)) {
    const auto wrong = as.what.judge(got, *as.connection);
    if (!wrong.empty()) complain(as.report, wrong);
    ++as.done;
    return;
  }
  const bool is_refusal =
      (got.status == 503 && !got.header("retry-after").empty()) ||
      (got.status == 504 && got.problem_code() == "outcome_unknown" && as.what.writes) ||
      (got.status == 507 && rules_.disk_may_be_full);
  if (!needs_store || !is_refusal) complain(as.report, described(got));
  as.report.last_refusal = clock::now();
  ++as.refused;
}

bool mixed_load::refused_again(bool (*which)(const kind&), const deadline& until) const {
  std::vector<std::size_t> before;
  for (const auto& each : clients_)
    before.push_back(each->refused);
  const auto is_refused = [&] {
    for (std::size_t at = 0; at < before.size(); ++at)
      if (which(clients_[at]->what) && clients_[at]->refused == before[at]) return false;
    return true;
  };
  return eventually(is_refused, until);
}

bool mixed_load::all_done(std::size_t times, const deadline& until) const {
  struct counts {
    std::size_t done = 0;
    std::size_t refused = 0;
  };
  std::vector<counts> begun;
  for (const auto& each : clients_)
    begun.push_back({each->done, each->refused});
  const auto are_done = [&] {
    bool all = true;
    for (std::size_t at = 0; at < begun.size(); ++at) {
      const auto& each = *clients_[at];
      if (each.refused != begun[at].refused) begun[at] = {each.done, each.refused};
      all = all && each.done >= begun[at].done + times;
    }
    return all;
  };
  return eventually(are_done, until);
}

std::vector<kind_report> mixed_load::finish() {
  {
    const std::lock_guard lock{guard_};
    ending_ = true;
  }
  ended_.notify_all();
  std::vector<kind_report> reports;
  for (auto& each : clients_) {
    if (each->thread.joinable()) each->thread.join();
    each->report.done = each->done;
    each->report.refused = each->refused;
    reports.push_back(each->report);
  }
  return reports;
}

std::set<std::string> mixed_load::tiers() const {
  const std::lock_guard lock{guard_};
  return tiers_;
}

std::set<std::string> mixed_load::tokens() const {
  const std::lock_guard lock{guard_};
  return tokens_;
}

} // namespace matchcloud::e2e
