#pragma once

#include "actors/reports/report_queries.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "http/ops/history_interval.hpp"
#include "http/ops/service_history.hpp"
#include "model/json/record.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// What happens to a newcomer at a full bound.
enum class when_full : std::uint8_t {
  /// It is refused.
  refuse,
  /// It waits.
  wait,
  /// It replaces the oldest or the least used.
  evict,
  /// It shares a place with others.
  share,
};
inline constexpr std::array<std::string_view, 4> when_full_names{"refuse", "wait", "evict",
                                                                 "share"};

/// A bound of the service.
struct bound {
  std::string name;
  /// The metric that counts its use.
  std::string_view metric;
  /// Not 0.
  std::function<double()> limit;
  when_full then = when_full::refuse;
  /// The label of the metric's sample; without one, the sum of all samples.
  std::string_view label = {};
  /// The share from which on it needs attention, if it refuses.
  double nearly_full = 0.9;
  /// Whether each event loop has the limit for itself: then the loop that uses the most counts.
  bool is_per_loop = false;
};

/// How much of each bound is used, read from the metrics. Any thread.
class bound_use {
public:
  struct use {
    const bound* of = nullptr;
    /// 0 to 1, or more after a limit was lowered.
    double share = 0;
  };

  /// `of` outlives this, and has all that the bounds name once this is read.
  bound_use(const base::metric_set& of, std::vector<bound> bounds);

  /// The use of those bounds whose metric exists.
  std::vector<use> read() const;
  /// Adds the shares as one metric.
  void show(base::metric_set& in) const;

private:
  const base::metric_set& metrics_;
  std::vector<bound> bounds_;
};

/// What tells the samples of a metric, or the subjects of findings, apart: names and values.
using attention_labels = std::vector<std::pair<std::string, std::string>>;

/// A thing that a finding is about.
struct attention_subject {
  attention_labels labels;
  /// Its part of the finding's value, or a time in seconds since 1970. Nothing: the finding is
  /// about this alone.
  std::optional<double> value = {};
};

constexpr std::optional<std::int64_t> whole(const std::optional<double>& amount) {
  if (!amount) return {};
  return static_cast<std::int64_t>(*amount);
}

constexpr auto describe(const attention_subject*) {
  using of = attention_subject;
  using model::field;
  return model::record{
      "AttentionSubject",
      field{"of",
            {R"("type":"object","additionalProperties":{"type":"string"})"},
            "By kind, such as `operation`, `status`, `code`, `place` or `network`.",
            &of::labels},
      field{"value", model::types::integer_or_null,
            "Its part of the amount, or a time in seconds since 1970.",
            [](const of& one) { return whole(one.value); }}};
}

/// Something that needs attention.
struct attention_finding {
  actors::attention_severity severity = {};
  std::string cause;
  std::string what;
  /// A path of the ops plane.
  std::string look_at;
  std::optional<double> value = {};
  /// From which value on it is a finding, or the size of a bound.
  std::optional<double> limit = {};
  /// The greatest first.
  std::vector<attention_subject> about = {};
  std::int64_t since_ms = 0;
};

constexpr auto describe(const attention_finding*) {
  using of = attention_finding;
  using namespace model::types;
  return record{
      "AttentionFinding",
      field{"cause", text, "A stable name.", &of::cause},
      field{"severity", a("AttentionSeverity"), "How bad it is.",
            [](const of& one) {
              return actors::attention_severity_names[static_cast<std::size_t>(one.severity)];
            }},
      field{"what", text, "A sentence.", &of::what},
      field{"value", integer_or_null,
            "The amount that the cause is about, or how often it happened.",
            [](const of& one) { return whole(one.value); }},
      field{"limit", integer_or_null,
            "The amount from which on it is a finding, or the size of a bound.",
            [](const of& one) { return whole(one.limit); }},
      field{"since_ms", count, "Since when it has been found, in milliseconds since 1970.",
            &of::since_ms},
      field{"about", list_of(a("AttentionSubject")),
            "What it is about, at most five, those with the greatest values first.", &of::about},
      field{"look_at", text, "The path on this plane to look at next.", &of::look_at}};
}

/// Finds what needs attention, worst first: causes, each read from the metrics or the history, with
/// the path to look at. Any thread.
class attention {
public:
  /// A count that rose is a cause for this long.
  static constexpr std::chrono::minutes span{5};
  static constexpr std::chrono::seconds interval{10};

  /// All outlive this. `metrics` is complete.
  attention(const base::metric_set& metrics, const service_history& history,
            const bound_use& bounds, const base::clock& clock = base::machine_clock());

  /// Notes the current counts and findings, unless that was done less than `interval` ago.
  void sample(bool is_ready);
  std::vector<attention_finding> find(bool is_ready) const;
  /// The names of all causes that are checked here.
  std::vector<std::string_view> looked_for() const;

private:
  /// Of a cause's metric.
  struct reading {
    /// Nothing: the metric does not exist.
    std::optional<double> value;
    /// Those that are not 0.
    std::map<attention_labels, double> samples;
  };
  /// Of a cause.
  struct memory {
    reading last;
    /// Before the value first rose, while the cause holds.
    reading before;
    /// When the value last changed as the sign says.
    std::optional<base::steady_time> changed;
  };

  /// Of each cause's metric, in their order.
  std::vector<reading> read() const;
  /// What is remembered, with what has changed until now.
  std::vector<memory> remember() const;
  /// Whether no other process serves from the same store: what this one no longer does, another
  /// one may do.
  bool is_alone() const;
  /// What `find` finds with `all` remembered, while `mutex_` is held.
  std::vector<attention_finding> find_all(bool is_ready, const std::vector<memory>& all) const;
  static void find_slow(const history_interval& past, std::vector<attention_finding>& to);
  static void find_busy(const history_interval& past, std::vector<attention_finding>& to);
  void find_full(std::vector<attention_finding>& to) const;
  void find_causes(const history_interval& past, const std::vector<memory>& all,
                   std::vector<attention_finding>& to) const;
  /// Adds to a finding what the requests of `past` show, if its cause holds.
  bool find_refused(const history_interval& past, attention_finding& in) const;

  const base::metric_set& metrics_;
  const service_history& history_;
  const bound_use& bounds_;
  const base::clock& clock_;
  mutable std::mutex mutex_;
  base::steady_time read_at_;
  std::vector<memory> remembered_;
  /// Since when there are the findings of the last sample, in milliseconds since 1970.
  std::map<attention_labels, std::int64_t> since_ms_;
};

/// Whether the time of a request shows how quick the service is: an operation of the data plane
/// whose time does not depend on the size of what it writes or sends.
bool is_served_quickly(operation which) noexcept;

/// As JSON: the findings, worst first, and the names of the causes that were checked.
std::string render_attention(std::vector<attention_finding> found,
                             const std::vector<std::string_view>& looked_for);

} // namespace matchcloud::http
