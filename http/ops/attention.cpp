#include "http/ops/attention.hpp"

#include "base/error.hpp"
#include "http/ops/attention_causes.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace matchcloud::http {

namespace {

using attention_causes::cause;
using attention_causes::causes;
using attention_causes::refused_least;
using attention_causes::sign;
using attention_causes::still_from;
using attention_causes::still_told;
using model::json_writer;
using severity = actors::attention_severity;
using std::chrono::seconds;

/// From here on an operation is slow, except those that write or send files.
constexpr std::uint64_t slow_from_ns = 250'000'000;
/// An event loop is busy from this share of the time on.
constexpr double busy_from = 0.9;
/// How much of the past decides whether an operation is slow, or a loop busy.
constexpr seconds slow_span{60};

bool counts(std::initializer_list<base::metric_label> labels, const cause& in) {
  const auto is_other = [&in](const base::metric_label& each) {
    return std::ranges::any_of(in.but, [&each](const base::metric_label& other) {
      return !other.name.empty() && other.name == each.name && other.value == each.value;
    });
  };
  const auto is_its = [&in](const base::metric_label& each) {
    return each.name == in.only.name && each.value.starts_with(in.only.value);
  };
  return std::ranges::none_of(labels, is_other) &&
         (in.only.name.empty() || std::ranges::any_of(labels, is_its));
}

/// Whether a sample counts problems that are failures of the service.
bool counts_failures(std::initializer_list<base::metric_label> labels) {
  for (std::size_t i = 0; i < error_count; ++i)
    if (const auto of = base::describe(static_cast<base::errc>(i)); of.status >= 500)
      if (std::ranges::any_of(labels, [&](const auto& each) { return each.value == of.code; }))
        return true;
  return false;
}

attention_labels copy_of(std::initializer_list<base::metric_label> labels) {
  attention_labels made;
  for (const auto& each : labels)
    if (!each.name.empty()) made.emplace_back(each.name, each.value);
  return made;
}

bool is_moment(sign of) noexcept {
  return of == sign::due_within || of == sign::older_than;
}

std::int64_t percent(double share) {
  return std::lround(share * 100);
}

/// `ingest_lobbies 503 (12), ..`, or with dates in place of the counts.
std::string listed(const std::vector<attention_subject>& all, bool are_moments = false) {
  std::string text;
  for (const auto& each : all) {
    if (!text.empty()) text += ", ";
    for (const auto& [name, value] : each.labels)
      text += value + " ";
    const auto value = static_cast<std::int64_t>(each.value.value_or(0));
    constexpr std::size_t date_length = 10;
    text += "(" +
            (are_moments ? model::format_timestamp(value * 1'000).substr(0, date_length)
                         : std::to_string(value)) +
            ")";
  }
  return text;
}

void keep_greatest(std::vector<attention_subject>& of) {
  constexpr std::size_t most = 5;
  std::ranges::stable_sort(of, std::ranges::greater{}, &attention_subject::value);
  of.resize(std::min(of.size(), most));
}

/// The samples that rose, and by how much.
std::vector<attention_subject> risen(const std::map<attention_labels, double>& before,
                                     const std::map<attention_labels, double>& now) {
  std::vector<attention_subject> made;
  for (const auto& [labels, value] : now) {
    const auto was = before.find(labels);
    const auto by = value - (was == before.end() ? 0 : was->second);
    if (by > 0 && !labels.empty()) made.push_back({labels, by});
  }
  keep_greatest(made);
  return made;
}

/// The one operation that a finding is about; empty if there are several or none.
std::string operation_of(const attention_finding& finding) {
  std::string found;
  for (const auto& each : finding.about)
    for (const auto& [name, value] : each.labels)
      if (name == "operation" && value != found) {
        if (!found.empty()) return {};
        found = value;
      }
  return found;
}

/// Tells findings of one cause apart.
attention_labels key_of(const attention_finding& of) {
  attention_labels key{{"cause", of.cause}};
  for (const auto& each : of.about)
    if (!each.value) key.insert(key.end(), each.labels.begin(), each.labels.end());
  return key;
}

/// Adds to a finding which loops waited for a processor, if they waited for too long.
bool find_waiting(const history_interval& past, attention_finding& in) {
  for (std::size_t i = 0; i < past.waited_us.size(); ++i)
    if (const auto share = past.share_of(past.waited_us[i]); share * 100 > in.limit)
      in.about.push_back({{{"loop", std::to_string(i)}}, percent(share)});
  if (in.about.empty()) return false;
  keep_greatest(in.about);
  in.value = in.about.front().value;
  in.what += " In percent, by loop: " + listed(in.about) + ".";
  return true;
}

} // namespace

bool is_served_quickly(operation which) noexcept {
  return row_of(which).plane == plane::data && which != operation::unmatched &&
         which != operation::export_lobby_history && which != operation::download_export &&
         which != operation::download_media;
}

attention::attention(const base::metric_set& metrics, const service_history& history,
                     const bound_use& bounds, const base::clock& clock)
    : metrics_{metrics}, history_{history}, bounds_{bounds}, clock_{clock}, read_at_{clock.now()} {
  for (auto& each : read())
    remembered_.push_back({std::move(each), {}, {}});
}

std::vector<attention::reading> attention::read() const {
  std::vector<reading> all(causes.size());
  for (const auto& metric : metrics_.metrics())
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const auto& of = causes[i];
      const bool are_codes = !of.codes.empty() && metric.text.name == of.codes;
      if (metric.text.name != of.metric && !are_codes) continue;
      auto& into = all[i];
      metric.read([&](auto labels, const base::metric_value& value) {
        const auto number = value.number;
        if (are_codes ? number == 0 || !counts_failures(labels) : !counts(labels, of)) return;
        if (number != 0) into.samples[copy_of(labels)] += number;
        if (are_codes) return;
        into.value = is_moment(of.tells) ? std::min(into.value.value_or(number), number)
                                         : into.value.value_or(0) + number;
      });
    }
  return all;
}

bool attention::is_alone() const {
  double replicas = 0;
  for (const auto& metric : metrics_.metrics())
    if (metric.text.name == "matchcloud_replicas")
      metric.read([&](auto, const base::metric_value& value) { replicas += value.number; });
  return replicas <= 1;
}

std::vector<attention::memory> attention::remember() const {
  const auto now = clock_.now();
  auto read_now = read();
  auto all = remembered_;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    auto& of = all[i];
    if (!of.changed || now - *of.changed >= span) of.before = of.last;
    const auto before = std::exchange(of.last, std::move(read_now[i])).value.value_or(0);
    const auto& value = of.last.value;
    const bool rose = value && *value > before;
    const bool fell = value && *value < before;
    const bool is_of_falls = causes[i].tells == sign::falls;
    if (is_of_falls ? fell : rose) of.changed = now;
    if (is_of_falls && rose) of.changed.reset();
  }
  return all;
}

void attention::sample(bool is_ready) {
  const std::lock_guard lock{mutex_};
  if (clock_.now() - read_at_ < interval) return;
  read_at_ = clock_.now();
  remembered_ = remember();
  std::map<attention_labels, std::int64_t> since_ms;
  for (const auto& each : find_all(is_ready, remembered_))
    since_ms[key_of(each)] = each.since_ms;
  since_ms_ = std::move(since_ms);
}

std::vector<std::string_view> attention::looked_for() const {
  std::vector<std::string_view> names{"not_ready", "slow_operation", "loop_busy",
                                      "bound_nearly_reached"};
  const auto now = read();
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].tells == sign::stops ? now[i].value && is_alone()
                                       : now[i].value || causes[i].tells == sign::absent)
      names.push_back(causes[i].name);
  return names;
}

std::vector<attention_finding> attention::find(bool is_ready) const {
  const std::lock_guard lock{mutex_};
  return find_all(is_ready, remember());
}

std::vector<attention_finding> attention::find_all(bool is_ready,
                                                   const std::vector<memory>& all) const {
  std::vector<attention_finding> found;
  if (!is_ready)
    found.push_back({severity::critical, "not_ready",
                     "The service is not ready, so balancers send it no requests.", "/readyz"});
  const auto past = history_.past(slow_span);
  find_slow(past, found);
  find_busy(past, found);
  find_full(found);
  find_causes(past, all, found);
  const auto now_ms = clock_.unix_ms();
  for (auto& each : found) {
    const auto since = since_ms_.find(key_of(each));
    each.since_ms = since == since_ms_.end() ? now_ms : since->second;
  }
  return found;
}

void attention::find_busy(const history_interval& past, std::vector<attention_finding>& to) {
  for (std::size_t i = 0; i < past.busy_us.size(); ++i)
    if (const auto share = past.share_of(past.busy_us[i]); share >= busy_from)
      to.push_back({severity::warning,
                    "loop_busy",
                    "Event loop " + std::to_string(i) + " worked " +
                        std::to_string(percent(share)) +
                        " % of the last minute. Give the service more cores, or add a replica.",
                    "/v1/history",
                    percent(share),
                    percent(busy_from),
                    {{{{"loop", std::to_string(i)}}}}});
}

void attention::find_slow(const history_interval& past, std::vector<attention_finding>& to) {
  for (const auto& [called, requests] : past.operations)
    if (const auto id = called.id; is_served_quickly(id))
      if (const auto p99 = requests.latency.percentile_ns(0.99); p99 >= slow_from_ns) {
        const std::string name{row_of(id).name};
        to.push_back({severity::warning,
                      "slow_operation",
                      "One in a hundred requests of " + name + " took " +
                          std::to_string(p99 / 1'000'000) + " ms or more in the last minute.",
                      "/v1/traces?operation=" + name,
                      static_cast<double>(p99) / 1e6,
                      static_cast<double>(slow_from_ns) / 1e6,
                      {{{{"operation", name}}}}});
      }
}

void attention::find_full(std::vector<attention_finding>& to) const {
  for (const auto& [of, share] : bounds_.read()) {
    if (of->then != when_full::refuse || share < of->nearly_full) continue;
    const auto limit = of->limit();
    const auto used = limit * share;
    const auto count = [](double value) { return std::to_string(std::llround(value)); };
    const bool is_disk = of->name == "data_directory";
    const auto full = std::to_string(percent(share)) + " %";
    constexpr double mebibyte = 1'048'576;
    const auto what =
        is_disk ? "The disk of the data directory is " + full +
                      " full: " + count(std::floor(std::max(0.0, limit - used) / mebibyte)) +
                      " MiB are left. Make room, or the service stores nothing more."
                : "The bound " + of->name + " is " + full + " used (" + count(used) + " of " +
                      count(limit) + "). When it is full, further use is refused.";
    to.push_back({is_disk ? severity::critical : severity::warning,
                  is_disk ? "disk_full" : "bound_nearly_reached",
                  what,
                  "/metrics",
                  used,
                  limit,
                  {{{{"bound", of->name}}}}});
  }
}

bool attention::find_refused(const history_interval& past, attention_finding& in) const {
  std::uint64_t refused = 0;
  std::uint64_t all = 0;
  for (const auto& [what, each] : past.operations) {
    refused += each.answers[4];
    all += each.requests();
  }
  if (refused < refused_least) return false;
  const auto share = static_cast<double>(refused) / static_cast<double>(all);
  if (share * 100 <= in.limit) return false;
  in.value = percent(share);
  std::map<std::string, std::uint64_t> networks;
  const auto& from = history_.sources();
  for (const auto* each : from.transports)
    each->refused.add_to(networks, clock_.now());
  if (from.ops != nullptr) from.ops->refused.add_to(networks, clock_.now());
  for (const auto& [network, count] : networks)
    in.about.push_back({{{"network", network}}, static_cast<double>(count)});
  keep_greatest(in.about);
  in.what += " These are " + std::to_string(percent(share)) + " % of " + std::to_string(all) + ".";
  if (!in.about.empty()) in.what += " Busiest networks: " + listed(in.about) + ".";
  return true;
}

void attention::find_causes(const history_interval& past, const std::vector<memory>& all,
                            std::vector<attention_finding>& to) const {
  const auto now = clock_.now();
  const auto now_s = static_cast<double>(clock_.unix_ms()) / 1e3;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const auto& of = causes[i];
    const auto& value = all[i].last.value;
    const auto& changed = all[i].changed;
    attention_finding finding{of.how_bad, std::string{of.name}, std::string{of.what},
                              std::string{of.look_at}};
    const auto is_beyond = [&](double sample) {
      switch (of.tells) {
      case sign::above: return sample > of.bound;
      case sign::due_within: return sample - now_s < of.bound;
      case sign::older_than: return now_s - sample > of.bound;
      default: return false;
      }
    };
    const auto holds = [&] {
      if (!value) return of.tells == sign::absent;
      switch (of.tells) {
      case sign::rises:
      case sign::falls: return changed && now - *changed < span;
      case sign::stops:
        return is_alone() && changed && now - *changed >= still_from &&
               now - *changed < still_from + still_told;
      case sign::above:
      case sign::due_within:
      case sign::older_than: return is_beyond(*value);
      case sign::absent: return false;
      case sign::share: finding.limit = of.bound * 100; return find_refused(past, finding);
      case sign::waits: finding.limit = of.bound * 100; return find_waiting(past, finding);
      }
      return false;
    };
    // A disk that is full is found already, with what is left of it.
    const auto is_same = [&of](const auto& each) { return each.cause == of.name; };
    if (!holds() || std::ranges::any_of(to, is_same)) continue;
    if (of.tells == sign::rises) {
      finding.value = *value - all[i].before.value.value_or(0);
      finding.about = risen(all[i].before.samples, all[i].last.samples);
      finding.what += " So far: " +
                      (finding.about.empty() ? std::to_string(std::llround(*finding.value))
                                             : listed(finding.about)) +
                      ".";
      if (const auto operation = operation_of(finding);
          !operation.empty() && finding.look_at == "/v1/traces")
        finding.look_at += "?operation=" + operation;
    } else if (of.tells != sign::stops && !finding.value) {
      finding.value = value;
      if (of.tells == sign::above) finding.limit = of.bound;
      for (const auto& [labels, sample] : all[i].last.samples)
        if (is_beyond(sample) && !labels.empty()) finding.about.push_back({labels, sample});
      keep_greatest(finding.about);
      if (!finding.about.empty())
        finding.what += " These: " + listed(finding.about, is_moment(of.tells)) + ".";
    }
    to.push_back(std::move(finding));
  }
}

std::string render_attention(std::vector<attention_finding> found,
                             const std::vector<std::string_view>& looked_for) {
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.severity; });
  json_writer json;
  model::write(json.object().name("looked_for"), looked_for);
  model::write(json.name("findings"), found);
  return json.end_object().take();
}

bound_use::bound_use(const base::metric_set& of, std::vector<bound> bounds)
    : metrics_{of}, bounds_{std::move(bounds)} {}

std::vector<bound_use::use> bound_use::read() const {
  std::vector<std::optional<double>> used(bounds_.size());
  for (const auto& metric : metrics_.metrics())
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      const auto& of = bounds_[i];
      if (metric.text.name != of.metric) continue;
      std::optional<double> here; // in one loop's part of the metric
      metric.read([&](auto labels, const base::metric_value& value) {
        const auto is_its = [&](const base::metric_label& each) { return each.value == of.label; };
        if (of.label.empty() || std::ranges::any_of(labels, is_its))
          here = here.value_or(0) + value.number;
      });
      if (!here) continue;
      used[i] = of.is_per_loop ? std::max(used[i].value_or(0), *here) : used[i].value_or(0) + *here;
    }
  std::vector<use> made;
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    if (used[i]) made.push_back({&bounds_[i], *used[i] / bounds_[i].limit()});
  return made;
}

void bound_use::show(base::metric_set& in) const {
  in.add(base::metric_type::gauge,
         {"matchcloud_bound_used_ratio",
          "The share of a bound that is used, 0 to 1, and what happens when it is full."},
         [this](const base::metric_set::sink& to) {
           for (const auto& [of, share] : read())
             to({{"bound", of->name},
                 {"when_full", when_full_names[static_cast<std::size_t>(of->then)]}},
                {share});
         });
}

} // namespace matchcloud::http
