#include "tests/simulation/scenario.hpp"

#include "model/latency/predictor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace matchcloud::simulation {

namespace {

using base::fault_kind;
using base::fault_point;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t clients_limit = 8;

/// The fault points and kinds of this simulation. The kinds left out would end the process, wait in
/// real time, or change bytes, after which no answer could be predicted.
const std::vector<std::pair<fault_point, std::vector<fault_kind>>>& injectable() {
  using enum fault_kind;
  static const auto all = [] {
    std::vector<std::pair<fault_point, std::vector<fault_kind>>> made{
        {fault_point::read, {delay, error, stall}},
        {fault_point::write, {delay, error, stall, short_write, short_write}},
        {fault_point::frame, {error}},
        {fault_point::catalog_receive, {crash}},
        {fault_point::catalog_reply, {delay, crash}},
        {fault_point::geoip_watch_receive, {crash}},
        {fault_point::geoip_watch_reply, {delay, crash}},
        {fault_point::supervisor_receive, {crash}},
        {fault_point::supervisor_reply, {delay, crash}},
        {fault_point::store_open, {delay, error}},
        {fault_point::store_read, {delay, error}},
        {fault_point::store_write, {delay, error}},
        {fault_point::store_commit, {delay, error}},
        {fault_point::geoip_lookup, {error}},
        {fault_point::geoip_reload, {delay, error}},
        {fault_point::export_write, {delay, error, short_write}},
        {fault_point::export_sync, {delay, error}},
        {fault_point::export_rename, {delay, error}},
    };
    // Points on the path of a request's messages: the most frequent choice.
    for (auto at = fault_point::front_dispatch; at <= fault_point::ingestion_reply;
         at = static_cast<fault_point>(static_cast<int>(at) + 1))
      made.push_back({at, {delay, error, drop, crash, crash, crash, stall}});
    return made;
  }();
  return all;
}

bool is_supervisors(fault_point at) {
  return at == fault_point::supervisor_receive || at == fault_point::supervisor_reply;
}

base::fault_rule any_rule(chance& random, fault_point at, fault_kind kind) {
  base::fault_rule rule;
  rule.kind = kind;
  // News are sent one after the other: a short delay of each adds up for the last.
  rule.most_delay = milliseconds{base::facts_of(at).of_a_request() ? 60 : 10};
  rule.least_delay = random.one_in(2) ? rule.most_delay : microseconds{0};
  switch (random.below(4)) {
  case 0: rule.probability = 0.3; break;
  case 1: rule.every = 1 + random.below(4); break;
  case 2: rule.first = 1 + random.below(4); break;
  default: rule.once = random.one_in(2);
  }
  // The supervisor is always restarted at once: that would never end if each one died.
  if (is_supervisors(at)) rule.first = 3;
  rule.by_header =
      base::facts_of(at).of_a_request() && kind == fault_kind::crash && random.one_in(4);
  return rule;
}

} // namespace

scenario::scenario(std::uint64_t seed, files& on_disk, trace& to)
    : trace_{&to}, world_{seed, on_disk, to}, oracle_{world_}, requests_{world_, oracle_} {
  world_.note(world_.tight ? "begins, with tight limits" : "begins");
  world_.settle();
}

void scenario::step() {
  ++trace_->step;
  auto& random = world_.random;
  const auto what = random.below(100);
  if (what < 34)
    step_client();
  else if (what < 46)
    world_.turn(random.below(all_loop_count));
  else if (what < 62)
    world_.run_actor(random.below(64));
  else if (what < 68)
    world_.run_short_work(random.below(2));
  else if (what < 70)
    world_.run_long_work(random.below(2));
  else if (what < 72)
    world_.run_ingest_work();
  else if (what < 82)
    step_time();
  else if (what < 86)
    world_.note(world_.disk.change_lobbies(world_.clock.unix_ms()));
  else if (what < 89)
    world_.note(world_.disk.change_avatars());
  else if (what < 91)
    world_.note(world_.disk.change_catalog());
  else if (what < 97)
    step_fault();
  else
    step_trouble();
  world_.observe();
}

// -- clients ------------------------------------------------------------------

void scenario::connect() {
  auto& random = world_.random;
  if (clients_.size() == clients_limit) {
    const auto gone = std::find_if(clients_.begin(), clients_.end(),
                                   [](const client& each) { return each.gone(); });
    if (gone == clients_.end()) return;
    clients_.erase(gone);
  }
  const auto address = static_cast<std::uint8_t>(1 + random.below(located_clients + 2));
  const bool slow = random.one_in(6);
  const bool of_ops = random.one_in(4);
  clients_.emplace_back(world_, oracle_, connected_++, address, slow, of_ops);
  if (random.one_in(2)) clients_.back().keep_sending();
}

client* scenario::any_client() {
  if (clients_.empty()) return nullptr;
  auto& chosen = clients_[world_.random.below(clients_.size())];
  return chosen.gone() ? nullptr : &chosen;
}

void scenario::step_client() {
  auto& random = world_.random;
  auto* who = any_client();
  if (who == nullptr || random.one_in(10)) return connect();
  switch (random.below(20)) {
  case 0: return who->half_close();
  case 1:
    if (random.one_in(2)) who->leave();
    return;
  case 2:
  case 3:
  case 4: return who->send(1 + random.below(who->of_ops() ? 20'000 : 200));
  case 5:
  case 6: return who->receive(1 + random.below(2'000));
  case 7:
  case 8: return who->receive(SIZE_MAX);
  default: break;
  }
  if (who->of_ops() && who->has_unsent() && random.one_in(5)) return who->abandon();
  if (who->has_unsent()) return who->send(SIZE_MAX);
  for (auto left = 1 + random.below(3); left > 0 && who->may_ask(); --left)
    who->ask(who->of_ops() ? requests_.any_of_ops() : requests_.any(who->address()));
  who->send(random.one_in(3) ? 1 + random.below(100) : SIZE_MAX);
}

void scenario::look_at_clients() {
  for (auto& each : clients_) {
    if (each.keeps_sending()) each.send(SIZE_MAX);
    if (!each.slow()) each.receive(SIZE_MAX);
    each.check_deadline();
  }
}

void scenario::advance(milliseconds by) {
  world_.advance(by, [this] { look_at_clients(); });
}

void scenario::step_time() {
  auto& random = world_.random;
  if (!random.one_in(4)) return world_.pass(microseconds{random.below(4'000)});
  const milliseconds by{random.one_in(6) ? random.between(500, 4'000) : random.between(1, 200)};
  world_.note("time passes: " + std::to_string(by.count()) + " ms");
  advance(by);
}

// -- faults -------------------------------------------------------------------

void scenario::inject() {
  auto& random = world_.random;
  const auto& [at, kinds] = random.of(injectable());
  const auto rule = any_rule(random, at, random.of(kinds));
  world_.note("fault: " + std::string{base::facts_of(at).name} + " " +
              std::string{base::name_of(rule.kind)});
  world_.inject(at, rule);
}

void scenario::step_fault() {
  auto& random = world_.random;
  switch (random.below(4)) {
  case 0:
  case 1: return inject();
  case 2: {
    const auto at = random.of(injectable()).first;
    if (!base::faults::armed(at)) return;
    world_.note("healed: " + std::string{base::facts_of(at).name});
    return world_.heal(at);
  }
  default:
    if (!random.one_in(3))
      return world_.note("killed: " + (random.one_in(4)
                                           ? world_.kill_an_ingester()
                                           : world_.kill(random.below(world_.killable()))));
    world_.note("healed: all");
    return world_.heal_all();
  }
}

void scenario::step_trouble() {
  auto& random = world_.random;
  const bool on = random.one_in(2);
  const std::string word = on ? " begins" : " ends";
  switch (random.below(8)) {
  case 0: world_.disk.failing = on; return world_.note("failure of the store" + word);
  case 1: world_.short_work.full = on; return world_.note("fullness of the short work" + word);
  case 2: world_.long_work.full = on; return world_.note("fullness of the long work" + word);
  case 3: world_.stall_short_work(on); return world_.note("stall of the short work" + word);
  case 4: world_.stall_long_work(on); return world_.note("stall of the long work" + word);
  case 5:
    world_.ingest_work.full = on;
    return world_.note("fullness of the work of ingests" + word);
  case 6: world_.stall_ingest_work(on); return world_.note("stall of the work of ingests" + word);
  default: {
    const auto database = random.below(healing_database);
    world_.replace_geoip(database);
    world_.note("GeoIP database " + std::to_string(database) + " is put in place");
  }
  }
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The time until changes of the store and of the GeoIP files have reached all actors: more than
/// two looks.
constexpr milliseconds news_time{1'000};
/// The longest backoff, the quiet period after it, and a look.
constexpr seconds recovery_limit{25};
/// The time until all that was reported is kept, read, and fitted to.
constexpr seconds learning_time{15};
/// Longer than every deadline of a connection.
constexpr seconds answers_limit{30};

/// The latency that is predicted for a client, in milliseconds.
double predict(const model::latency_snapshot& by, const model::client_cells& client,
               const model::region& to) {
  const auto number = by.field->number_of({to.region_id, to.datacenter_coord});
  const model::region_distance asked{number.value_or(model::region_distance::unnumbered),
                                     model::great_circle_m(*client.where, to.datacenter_coord)};
  model::latency_prediction made;
  model::predict_latencies(by, client, {&asked, 1}, {&made, 1});
  return made.milliseconds;
}

} // namespace

void scenario::close() {
  ++trace_->step;
  heal();
  answer_all();
  recover();
  probe();
  check_undelivered(); // later all lines are delivered
  ingest_the_rest();
  report_and_learn();
  part();
  check_ingested();
  check_restarts();
  check_left_over();
}

void scenario::heal() {
  world_.note("everything is healed");
  world_.heal_all();
  world_.be_calm();
  // A database that was refused because of an injected failure is retried after a minute; a
  // different one is opened at once.
  world_.replace_geoip(healing_database);
  for (auto& each : clients_) {
    each.hurry();
    // Some clients never complete the requests that they began.
    if (each.has_unsent() && world_.random.one_in(2)) each.keep_sending();
  }
}

void scenario::answer_all() {
  const auto waits = [](const client& each) { return !each.gone() && !each.idle(); };
  for (milliseconds passed{0}; passed < answers_limit; passed += time_step) {
    if (std::none_of(clients_.begin(), clients_.end(), waits)) return;
    advance(time_step);
  }
  for (const auto& each : clients_)
    if (waits(each)) world_.violated("client " + std::to_string(each.number()) + " waits for ever");
}

void scenario::recover() {
  world_.note("everybody was answered");
  for (milliseconds passed{0}; passed < recovery_limit && !world_.all_running();
       passed += time_step)
    advance(time_step);
  for (const auto& each : world_.children->report())
    if (each.state != actors::child_state::running)
      world_.violated(each.name + " does not recover: it is " +
                      std::string{actors::name_of(each.state)});
  advance(news_time);
}

void scenario::ask_everything(client& by, std::size_t kind) {
  const auto ask = [&](std::shared_ptr<simulated_request> what) {
    what->poisoned = false;
    by.ask(std::move(what));
  };
  switch (kind) {
  case 0:
    for (const auto& game : known_games())
      ask(requests_.avatars(game));
    return;
  case 1:
    for (int i = 0; i < 3; ++i)
      ask(requests_.listing(by.address()));
    return;
  case 2:
    for (int i = 0; i < 3; ++i)
      ask(requests_.validation());
    return;
  case 3:
    for (const auto& game : known_games())
      ask(requests_.export_of(game));
    return;
  default:
    for (int i = 0; i < 3; ++i)
      ask(requests_.image());
    for (std::size_t i = oracle_.links.size(); i-- > 0 && i + 3 >= oracle_.links.size();)
      ask(requests_.download(oracle_.links[i]));
  }
}

void scenario::probe() {
  world_.note("all is well: everything is asked once more");
  requests_.be_strict();
  for (std::size_t kind = 0; kind < 5; ++kind) {
    for (std::size_t i = 0; i < loop_count; ++i) {
      clients_.emplace_back(world_, oracle_, connected_++, std::uint8_t{1}, false);
      ask_everything(clients_.back(), kind);
      clients_.back().send(SIZE_MAX);
    }
    answer_all();
  }
}

void scenario::ingest_the_rest() {
  world_.note("what no answer said to be taken is sent again");
  clients_.emplace_back(world_, oracle_, connected_++, std::uint8_t{1}, false, true);
  auto& by = clients_.back();
  by.keep_sending();
  for (auto& each : oracle_.batches)
    if (!each.is_taken()) by.ask(requests_.ingest(each));
  by.ask(requests_.ingest());
  by.ask(requests_.health());
  answer_all();
}

void scenario::check_undelivered() {
  const auto& stored = world_.disk.ingested();
  std::size_t found = 0;
  for (const auto& each : oracle_.batches)
    if (const auto wrong = each.find_undelivered(stored, found); !wrong.empty())
      world_.violated("ingest " + std::to_string(each.number()) + ": " + wrong);
  if (found != stored.size()) world_.violated("the store has lobbies that nobody sent");
}

void scenario::check_ingested() {
  check_undelivered();
  const auto& stored = world_.disk.ingested();
  for (const auto& each : oracle_.batches) {
    const auto what = "ingest " + std::to_string(each.number()) + ": ";
    if (!each.is_taken()) world_.violated(what + "it is never taken");
    if (const auto wrong = each.find_missing(stored); !wrong.empty()) world_.violated(what + wrong);
  }
}

void scenario::report_and_learn() {
  world_.note("everybody reports latencies");
  advance(report_interval);
  for (std::uint8_t address = 1; address <= located_clients; ++address) {
    clients_.emplace_back(world_, oracle_, connected_++, address, false);
    clients_.back().ask(requests_.report());
    clients_.back().send(SIZE_MAX);
  }
  answer_all();
  // What an actor that died had on its way to a store that failed is lost, and a region that moved
  // is known to those alone that knew it before.
  const auto is_unmoved = [&](const model::region& each) {
    const auto& now = world_.disk.now().catalog->regions;
    return std::ranges::find(now, each.datacenter_coord, &model::region::datacenter_coord) !=
           now.end();
  };
  if (!world_.latency_map_died() &&
      std::ranges::all_of(world_.disk.at(0).catalog->regions, is_unmoved))
    check_learned();
}

void scenario::check_learned() {
  advance(learning_time);
  actors::latency_metrics metrics;
  actors::latency_map_state other{world_.config.latencies, metrics, false};
  const auto& catalog = world_.disk.now().catalog;
  other.set_catalog(catalog);
  actors::latencies_kept found;
  for (bool is_more = true; is_more;) {
    auto page = world_.disk.latencies.read(found.read, store::latency_batch_limit);
    is_more = !page.entries.empty();
    found.read = page.last;
    std::ranges::move(page.entries, std::back_inserter(found.changed));
  }
  other.apply(found);
  const auto now = world_.clock.unix_ms();
  const auto mine = world_.latencies->publish(now);
  const auto theirs = other.publish(now);
  if (!mine || !theirs) return world_.violated("of all reports, nothing is learned or kept");
  for (std::uint8_t client = 1; client <= located_clients; ++client) {
    model::client_cells cells;
    cells.where = files::location(healing_database, client);
    for (const auto& region : catalog->regions) {
      const auto one = predict(*mine, cells, region);
      const auto two = predict(*theirs, cells, region);
      if (std::abs(one - two) > 0.1 + 0.01 * one)
        world_.violated("the latency to " + region.region_id + " is " + std::to_string(one) +
                        " ms here and " + std::to_string(two) + " ms by what is kept");
    }
  }
}

void scenario::part() {
  for (auto& each : clients_)
    if (!each.gone()) each.leave();
  clients_.clear();
  // The connection of a client that left during a request is closed by the request's deadline at
  // the latest.
  const auto latest = world_.limits.export_timeout + seconds{1};
  for (milliseconds passed{0};
       passed < latest && (world_.connections() > 0 || world_.ingestion_metrics.running.get() > 0);
       passed += time_step)
    advance(time_step);
}

void scenario::check_restarts() {
  const auto restarts = world_.children->restarts();
  if (restarts > world_.deaths())
    world_.violated(std::to_string(restarts) + " restarts of " + std::to_string(world_.deaths()) +
                    " deaths");
  const auto supervisors = world_.children->supervisor_restarts();
  if (supervisors > world_.supervisor_deaths())
    world_.violated(std::to_string(supervisors) + " restarts of " +
                    std::to_string(world_.supervisor_deaths()) + " deaths of supervisors");
}

void scenario::check_left_over() {
  const auto none = [this](std::string_view what, std::int64_t left) {
    if (left != 0) world_.violated(std::to_string(left) + " " + std::string{what} + " left over");
  };
  const auto count = [](std::size_t of) { return static_cast<std::int64_t>(of); };
  none("connections", count(world_.connections()));
  none("connections of the process", count(world_.bounds->connections));
  none("connections of the ops plane", count(world_.ops_bounds->connections));
  none("requests in flight", count(world_.in_flight()));
  none("requests at owners", count(world_.at_owners()));
  none("exports running", world_.export_metrics.running.get());
  none("exports queued", world_.export_metrics.queued.get());
  none("waiters for exports", world_.export_metrics.waiting.get());
  none("jobs of short work", count(world_.short_work.tasks.size()));
  none("jobs of long work", count(world_.long_work.tasks.size()));
  none("jobs of ingests", count(world_.ingest_work.tasks.size()));
  none("ingests running", world_.ingestion_metrics.running.get());
  none("bytes of the ops plane's budget", count(world_.ops_bounds->budget.used_bytes()));
  const auto cached = world_.avatar_metrics.cached_bytes.get();
  if (count(world_.bounds->budget.used_bytes()) > cached)
    none("bytes of the budget", count(world_.bounds->budget.used_bytes()) - cached);
  if (!world_.end()) world_.violated("actors do not end");
  none("bytes of the budget at the end", count(world_.bounds->budget.used_bytes()));
  none("requests in flight at the end", count(world_.in_flight()));
  none("requests at owners at the end", count(world_.at_owners()));
}

} // namespace matchcloud::simulation
