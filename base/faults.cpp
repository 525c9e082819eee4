#include "base/faults.hpp"

#include <spdlog/spdlog.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

namespace matchcloud::base::faults {

namespace {

/// Whether an `exemption` of this thread lives.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local bool exempt = false;

/// A point's rule and counts. One lock guards all points: threads get here only while a fault is
/// injected, when speed does not matter.
struct injected {
  std::optional<fault_rule> rule;
  std::uint32_t number = 0;
  std::uint64_t passes = 0;
  std::uint64_t hits = 0;
  /// Not reset when the rule changes.
  std::uint64_t all_hits = 0;

  void begin_anew(const std::optional<fault_rule>& with, std::uint32_t numbered) {
    rule = with;
    number = numbered;
    passes = hits = 0;
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
std::uint64_t mixed(std::uint64_t state) noexcept {
  state += 0x9E3779B97F4A7C15ULL;
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31U);
}

double unit_interval(std::uint64_t random) noexcept {
  return static_cast<double>(random >> 11U) * 0x1.0p-53;
}

/// The random number of a pass; depends only on the seed, the point and the pass's number.
std::uint64_t random_of(const table& in, fault_point at, std::uint64_t pass) noexcept {
  return mixed(mixed(in.seed + static_cast<std::uint64_t>(at)) + pass);
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
  spdlog::critical("fault injection: {} aborts the process", facts_of(at).name);
  spdlog::default_logger()->flush();
  std::abort();
}

void set_armed(fault_point at, bool now) noexcept {
  detail::armed[static_cast<std::size_t>(at)].store(now, std::memory_order_relaxed);
}

tl::unexpected<error> refuse(std::string detail) {
  return fail(errc::config_invalid, std::move(detail));
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

fault strike(fault_point at, fault_point_set named) noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  auto& here = entry(in, at);
  if (!here.rule) return {};
  const auto& rule = *here.rule;
  if (rule.by_header && (named & bit_of(at)) == 0) return {};
  const auto random = random_of(in, at, ++here.passes);
  if (!chooses(rule, here.passes, here.hits, random)) return {};
  ++here.hits;
  ++here.all_hits;
  if (rule.kind == fault_kind::abort) end_process(at);
  // A number other than `random`, which is biased: it was small enough to select this pass.
  const auto further = mixed(random);
  return {rule.kind, delay_of(rule, further), here.number, mixed(further)};
}

fault strike_blocking(fault_point at) noexcept {
  if (exempt) return {};
  const auto hit = strike(at, 0);
  if (hit.kind != fault_kind::stall && hit.kind != fault_kind::delay) return hit;
  auto& in = all();
  std::unique_lock lock{in.mutex};
  // Once a fault is cleared it delays nobody any longer, whatever its rule said.
  const auto is_over = [&] { return entry(in, at).number != hit.rule; };
  if (hit.kind == fault_kind::stall) {
    in.changed.wait(lock, is_over);
  } else if (const auto pass = in.pass_time) {
    lock.unlock();
    pass(hit.delay);
  } else {
    in.changed.wait_for(lock, hit.delay, is_over);
  }
  return {};
}

} // namespace detail

exemption::exemption() noexcept {
  exempt = true;
}

exemption::~exemption() {
  exempt = false;
}

bool in_force(fault_point at, std::uint32_t rule) noexcept {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  return entry(in, at).number == rule;
}

base::expected<void> check(fault_point at, const fault_rule& rule) {
  const std::string name{facts_of(at).name};
  if (rule.kind == fault_kind::none || !facts_of(at).kinds.has(rule.kind))
    return refuse(name + " has no fault " + std::string{name_of(rule.kind)} +
                  ". Choose one of: " + kinds_at(at) + ".");
  if (rule.by_header && !facts_of(at).of_a_request)
    return refuse(name + " does not know the request, so that X-Fault cannot choose. Give a "
                         "probability, every, first or once.");
  if (!(rule.probability >= 0 && rule.probability <= 1))
    return refuse(name + ": the probability must be 0 to 1.");
  if (rule.every == 0 || rule.first == 0) return refuse(name + ": every and first count from 1.");
  if (rule.least_delay.count() < 0 || rule.least_delay > rule.most_delay ||
      rule.most_delay > std::chrono::hours{1})
    return refuse(name + ": a delay is 0 to 3600000 ms, the lesser first.");
  return {};
}

base::expected<void> set(fault_point at, const fault_rule& rule) {
  if (auto fine = check(at, rule); !fine) return fine;
  auto& in = all();
  {
    const std::lock_guard lock{in.mutex};
    entry(in, at).begin_anew(rule, ++in.last_number);
    set_armed(at, true);
  }
  in.changed.notify_all();
  return {};
}

void clear(fault_point at) noexcept {
  auto& in = all();
  {
    const std::lock_guard lock{in.mutex};
    entry(in, at).begin_anew(std::nullopt, 0);
    set_armed(at, false);
  }
  in.changed.notify_all();
}

void clear_all() noexcept {
  for (std::size_t i = 0; i < fault_point_count; ++i)
    clear(static_cast<fault_point>(i));
}

fault_status status(fault_point at) {
  auto& in = all();
  const std::lock_guard lock{in.mutex};
  const auto& here = entry(in, at);
  return {at, here.rule, here.passes, here.hits, here.all_hits};
}

void show(metric_set& in) {
  in.add(metric_type::counter, {"matchcloud_faults_hit_total", "Faults that were injected."},
         [](const metric_set::sink& to) {
           for (std::size_t i = 0; i < fault_point_count; ++i)
             if (const auto now = status(static_cast<fault_point>(i)); now.rule || now.all_hits > 0)
               to({{"point", facts_of(now.point).name}}, {static_cast<double>(now.all_hits)});
         });
}

std::string reason_at(fault_point at) {
  return "a fault is injected at " + std::string{facts_of(at).name};
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
