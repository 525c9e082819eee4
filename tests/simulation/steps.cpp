// The random steps: clients, time, work, faults.

#include "tests/simulation/scenario.hpp"

#include <algorithm>
#include <array>
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

} // namespace matchcloud::simulation
