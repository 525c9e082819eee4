#include "base/faults.hpp"

#include "base/events/log.hpp"
#include "base/randomness.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

namespace matchcloud::base {

bool fault_network::contains(const fault_bytes& client) const noexcept {
  const auto whole = static_cast<std::size_t>(prefix_length / 8);
  if (!std::equal(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(whole),
                  client.begin()))
    return false;
  const auto bits = static_cast<unsigned>(prefix_length % 8);
  return bits == 0 || ((address[whole] ^ client[whole]) >> (8U - bits)) == 0;
}

} // namespace matchcloud::base

namespace matchcloud::base::faults {

namespace {

/// Whether this thread has a live `exemption`.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local bool exempt = false;
/// The game that blocking calls of this thread are about.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local const fault_game* game_of_thread = nullptr;

/// What held up the blocking calls of this thread.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local std::vector<fault_hold> holds_of_thread;

void note_hold(const fault_hold& hold) {
  if (holds_of_thread.size() < holds_limit)
    holds_of_thread.push_back(hold);
  else
    holds_of_thread.back().ended += hold.ended - hold.began;
}

/// A point's rule and counts. One lock guards all points, because threads get here only while a
/// fault is injected, when speed does not matter.
struct injected {
  std::optional<fault_rule> rule;
  std::uint32_t number = 0;
  std::uint64_t passes = 0;
  std::uint64_t hits = 0;
  /// Not reset when the rule changes.
  std::uint64_t all_hits = 0;
  steady_time ends = steady_time::max();

  void begin_anew(const std::optional<fault_rule>& with, std::uint32_t numbered,
                  steady_time until = steady_time::max()) {
    rule = with;
    number = numbered;
    passes = hits = 0;
    ends = until;
  }
};

struct table {
  std::mutex mutex;
  std::condition_variable changed;
  std::array<injected, fault_point_count> at;
  std::uint64_t seed = 0;
  std::uint32_t last_number = 0;
  time_passer pass_time;
};

table& all() {
  static table instance;
  return instance;
}

injected& entry(table& in, fault_point at) noexcept {
  return in.at[static_cast<std::size_t>(at)];
}

/// SplitMix64: maps every input to a number that looks random.
std::uint64_t split_mixed(std::uint64_t state) noexcept {
  return mixed(state + 0x9E3779B97F4A7C15ULL);
}

double unit_interval(std::uint64_t random) noexcept {
  return static_cast<double>(random >> 11U) * 0x1.0p-53;
}

/// The random number of a pass; depends only on the seed, the point and the pass's number.
std::uint64_t random_of(const table& in, fault_point at, std::uint64_t pass) noexcept {
  return split_mixed(split_mixed(in.seed + static_cast<std::uint64_t>(at)) + pass);
}

std::chrono::microseconds delay_of(const fault_rule& rule, std::uint64_t random) noexcept {
  const auto span = static_cast<double>((rule.most_delay - rule.least_delay).count());
  const auto more = static_cast<std::int64_t>(span * unit_interval(random));
  return rule.least_delay + std::chrono::microseconds{more};
}

bool chooses(const fault_rule& rule, std::uint64_t pass, std::uint64_t hits,
             std::uint64_t random) noexcept {
  return pass <= rule.first && pass % rule.every == 0 && (!rule.once || hits == 0) &&
         unit_interval(random) < rule.probability;
}

[[noreturn]] void end_process(fault_point at) noexcept {
  log(log_event::fault_aborts, "fault injection: {} aborts the process", facts_of(at).name);
  flush_log();
  std::abort();
}

/// Puts a rule, or no rule, in force. The caller has locked `in`.
void put(table& in, fault_point at, const std::optional<fault_rule>& rule,
         steady_time ends = steady_time::max()) noexcept {
  entry(in, at).begin_anew(rule, rule ? ++in.last_number : 0, ends);
  detail::armed[static_cast<std::size_t>(at)].store(rule.has_value(), std::memory_order_relaxed);
  const bool choosing = std::ranges::any_of(
      in.at, [](const injected& each) { return each.rule && each.rule->chooses_senders(); });
  detail::choosing.store(choosing, std::memory_order_relaxed);
}

/// Whether a connection belongs to the share that rules at this point hit.
bool in_share(const table& in, fault_point at, std::uint64_t connection, double share) noexcept {
  constexpr std::uint64_t other_numbers = 0xD1B54A32D192ED03ULL;
  return unit_interval(random_of(in, at, connection ^ other_numbers)) < share;
}

bool chooses(const table& in, fault_point at, const fault_rule& rule,
             const fault_sender& from) noexcept {
  return (!rule.client || rule.client->contains(from.client)) &&
         (!rule.token || (from.token != nullptr && *from.token == *rule.token)) &&
         (rule.connections >= 1 || in_share(in, at, from.connection, rule.connections));
}

tl::unexpected<error> refuse(std::string detail) {
  return fail(errc::config_invalid, std::move(detail));
}

/// The names of the points that know `what`.
std::string points_that_know(fault_choice what) {
  std::string text;
  for (const auto& each : fault_points)
    if (each.knows.has(what)) text.append(text.empty() ? "" : ", ").append(each.name);
  return text;
}

std::string_view described(fault_choice what) {
  switch (what) {
  case fault_choice::header: return "the request's X-Fault";
  case fault_choice::game: return "the game";
  case fault_choice::client: return "the client's address";
  case fault_choice::token: return "the request's token";
  case fault_choice::connections: return "the connection";
  }
  return {};
}

/// Whether a rule selects by `what`.
bool chooses_by(const fault_rule& rule, fault_choice what) noexcept {
  switch (what) {
  case fault_choice::header: return rule.by_header;
  case fault_choice::game: return rule.game.has_value();
  case fault_choice::client: return rule.client.has_value();
  case fault_choice::token: return rule.token.has_value();
  case fault_choice::connections: return rule.connections < 1;
  }
  return false;
}

base::expected<void> check_choices(fault_point at, const fault_rule& rule) {
  for (std::size_t i = 0; i < fault_choice_names.size(); ++i) {
    const auto what = static_cast<fault_choice>(i);
    if (!chooses_by(rule, what) || facts_of(at).knows.has(what)) continue;
    return refuse(fmt::format(
        "{} does not know {}, so a rule there cannot select by `{}`. Remove it, "
        "or use one of these points: {}.",
        facts_of(at).name, described(what), fault_choice_names[i], points_that_know(what)));
  }
  return {};
}

std::string kinds_at(fault_point at) {
  std::string text;
  for (std::size_t i = 1; i < fault_kind_names.size(); ++i)
    if (facts_of(at).kinds.has(static_cast<fault_kind>(i)))
      text.append(text.empty() ? "" : ", ").append(fault_kind_names[i]);
  return text;
}

} // namespace

namespace detail {

fault strike(fault_point at, const fault_subject& of) noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  auto& here = entry(in, at);
  if (!here.rule) return {};
  const auto& rule = *here.rule;
  if ((rule.by_header || rule.chooses_senders()) && (of.named & bit_of(at)) == 0) return {};
  if (rule.game && (of.game == nullptr || *of.game != *rule.game)) return {};
  const auto random = random_of(in, at, ++here.passes);
  if (!chooses(rule, here.passes, here.hits, random)) return {};
  ++here.hits;
  ++here.all_hits;
  if (rule.kind == fault_kind::abort) end_process(at);
  // Not `random` itself, which is biased: it was small enough to select this pass.
  const auto further = split_mixed(random);
  return {rule.kind, delay_of(rule, further), here.number, split_mixed(further)};
}

fault strike_blocking(fault_point at) noexcept {
  if (exempt) return {};
  const auto hit = strike(at, fault_subject{0, game_of_thread});
  if (hit.kind != fault_kind::stall && hit.kind != fault_kind::delay) return hit;
  const auto began = std::chrono::steady_clock::now();
  auto& in = all();
  std::unique_lock lock{in.mutex};
  // A cleared fault must not delay anyone, whatever its rule said.
  const auto is_over = [&] { return entry(in, at).number != hit.rule; };
  if (hit.kind == fault_kind::stall) {
    in.changed.wait(lock, is_over);
  } else if (const auto pass = in.pass_time) {
    lock.unlock();
    pass(hit.delay);
  } else {
    in.changed.wait_for(lock, hit.delay, is_over);
  }
  note_hold({at, began, std::chrono::steady_clock::now()});
  return {};
}

} // namespace detail

fault_point_set chosen(const fault_sender& from) noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  auto points = from.named;
  for (std::size_t i = 0; i < fault_point_count; ++i) {
    const auto at = static_cast<fault_point>(i);
    const auto& rule = in.at[i].rule;
    if (!rule || !rule->chooses_senders()) continue;
    const bool is_named = !rule->by_header || (from.named & bit_of(at)) != 0;
    if (is_named && chooses(in, at, *rule, from))
      points |= bit_of(at);
    else
      points &= ~bit_of(at);
  }
  return points;
}

exemption::exemption() noexcept {
  exempt = true;
}

exemption::~exemption() {
  exempt = false;
}

about_game::about_game(const fault_game& game) noexcept {
  game_of_thread = &game;
}

about_game::~about_game() {
  game_of_thread = nullptr;
}

std::vector<fault_hold> take_holds() noexcept {
  return std::exchange(holds_of_thread, {});
}

void add_holds(const std::vector<fault_hold>& more) {
  std::ranges::for_each(more, note_hold);
}

bool in_force(fault_point at, std::uint32_t rule) noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  return entry(in, at).number == rule;
}

base::expected<void> check(fault_point at, const fault_rule& rule) {
  const auto name = facts_of(at).name;
  const auto refuse_as = [name](std::string_view why) {
    return refuse(fmt::format("{}: {}.", name, why));
  };
  if (rule.kind == fault_kind::none || !facts_of(at).kinds.has(rule.kind))
    return refuse(fmt::format("{} has no fault {}. Choose one of: {}.", name, name_of(rule.kind),
                              kinds_at(at)));
  if (auto known = check_choices(at, rule); !known) return known;
  if (!(rule.connections > 0 && rule.connections <= 1))
    return refuse_as("the share of connections must be above 0 and at most 1");
  if (rule.lasts.count() < 1 || rule.lasts > fault_longest_time)
    return refuse_as("a fault can last 1 to 86400 seconds (one day)");
  if (!(rule.probability >= 0 && rule.probability <= 1))
    return refuse_as("the probability must be 0 to 1");
  if (rule.every == 0 || rule.first == 0)
    return refuse_as("`every` and `first` must be at least 1");
  // Nothing waits for the time of day, which may be ahead of all that expires.
  const std::chrono::milliseconds longest =
      at == fault_point::clock ? std::chrono::days{3'650} : std::chrono::hours{1};
  if (rule.least_delay.count() < 0 || rule.least_delay > rule.most_delay ||
      rule.most_delay > longest)
    return refuse_as(
        fmt::format("a delay must be 0 to {} ms, the smaller bound first", longest.count()));
  return {};
}

base::expected<void> set(fault_point at, const fault_rule& rule, steady_time ends) {
  if (auto fine = check(at, rule); !fine) return fine;
  auto& in = all();
  {
    const std::lock_guard lock{in.mutex};
    put(in, at, rule, ends);
  }
  in.changed.notify_all();
  return {};
}

void clear(fault_point at) noexcept {
  auto& in = all();
  {
    const std::lock_guard lock{in.mutex};
    put(in, at, std::nullopt);
  }
  in.changed.notify_all();
}

void clear_all() noexcept {
  for (std::size_t i = 0; i < fault_point_count; ++i)
    clear(static_cast<fault_point>(i));
}

std::vector<healed_fault> heal(steady_time now) {
  std::vector<healed_fault> healed;
  auto& in = all();
  {
    const std::lock_guard lock{in.mutex};
    for (std::size_t i = 0; i < fault_point_count; ++i) {
      const auto at = static_cast<fault_point>(i);
      if (!in.at[i].rule || in.at[i].ends > now) continue;
      healed.push_back({at, *in.at[i].rule});
      put(in, at, std::nullopt);
    }
  }
  if (!healed.empty()) in.changed.notify_all();
  return healed;
}

steady_time next_end() noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  auto first = steady_time::max();
  for (const auto& each : in.at)
    if (each.rule) first = std::min(first, each.ends);
  return first;
}

fault_status status(fault_point at) {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  const auto& here = entry(in, at);
  return {at, here.rule, here.passes, here.hits, here.all_hits, here.ends};
}

void show(metric_set& in) {
  in.add(metric_type::counter,
         {"matchcloud_faults_hit_total", "Times that a fault was injected at the point."},
         [](const metric_set::sink& to) {
           for (std::size_t i = 0; i < fault_point_count; ++i)
             if (const auto now = status(static_cast<fault_point>(i)); now.rule || now.all_hits > 0)
               to({{"point", facts_of(now.point).name}}, {static_cast<double>(now.all_hits)});
         });
}

std::string reason_at(fault_point at) {
  return fmt::format("a fault is injected at {}", facts_of(at).name);
}

void seed(std::uint64_t seed) noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  in.seed = seed;
  for (auto& here : in.at)
    here.passes = here.hits = 0;
}

void set_time_passer(time_passer how) {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  in.pass_time = std::move(how);
}

} // namespace matchcloud::base::faults
