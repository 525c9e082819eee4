#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Numbers for operators. A metric is declared where it is counted, as a member of a struct that
/// derives from `metric_set` or has one:
///
///     struct ranking_metrics : base::metric_set {
///       base::counter hits{*this, {"matchcloud_ranking_cache_hits_total", "Listings of .."}};
///     };
///
/// The set knows its metrics and how to read them. The counters know nothing about the set, so
/// counting costs one addition.
namespace matchcloud::base {

enum class metric_type : std::uint8_t { counter, gauge, histogram };

/// The name and the help of a metric, both literals.
struct metric_text {
  /// Includes the unit; a counter's name ends in `_total`. If empty, the metric is not shown.
  std::string_view name;
  /// One sentence.
  std::string_view help;
  /// Whether samples that are 0 are shown.
  bool shows_zero = true;
};

/// Without a name: no label.
struct metric_label {
  std::string_view name;
  std::string_view value;
};

/// The durations of a histogram, by bucket.
struct duration_buckets {
  /// Upper bounds in nanoseconds, inclusive. One more bucket holds everything beyond the last
  /// bound.
  static constexpr std::array<std::uint64_t, 20> bounds_ns{
      50'000,      100'000,       250'000,       500'000,       1'000'000,
      2'500'000,   5'000'000,     10'000'000,    25'000'000,    50'000'000,
      100'000'000, 150'000'000,   200'000'000,   250'000'000,   350'000'000,
      500'000'000, 1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};

  std::array<std::uint64_t, bounds_ns.size() + 1> counts{};
  std::uint64_t sum_ns = 0;
};

/// The value of a sample.
struct metric_value {
  double number = 0;
  /// Set for a histogram; `number` is then ignored.
  std::optional<duration_buckets> durations = {};
};

/// The metrics of one component and how to read them, in the order of declaration. Metrics must be
/// added before other threads read the set, and whatever they read must outlive it.
class metric_set {
public:
  using sink = std::function<void(std::initializer_list<metric_label>, const metric_value&)>;
  /// Sends every sample to the sink. Any thread.
  using reader = std::function<void(const sink&)>;
  struct metric {
    metric_type type;
    metric_text text;
    reader read;
  };

  metric_set() = default;
  metric_set(const metric_set&) = delete;
  metric_set& operator=(const metric_set&) = delete;

  void add(metric_type type, const metric_text& text, reader read);
  /// Adds a number that has a `type` and a `value`.
  template <class Number>
  void add(const metric_text& text, const Number& number, const metric_label& label = {}) {
    add(Number::type, text, [&number, label](const sink& to) { to({label}, number.value()); });
  }
  /// Adds a number that is computed when it is read.
  void add_counter(const metric_text& text, std::function<double()> number,
                   const metric_label& label = {});
  void add_gauge(const metric_text& text, std::function<double()> number);
  /// Adds all metrics of another set. Metrics of the same name merge into one, and their samples
  /// with the same labels add up.
  void add(const metric_set& other);

  const std::vector<metric>& metrics() const noexcept { return metrics_; }

private:
  std::vector<metric> metrics_;
};

/// A number that only grows. Any thread. Accesses are relaxed, so a reader may see several counters
/// at slightly different times.
class counter {
public:
  static constexpr auto type = metric_type::counter;

  counter() = default;
  counter(metric_set& in, const metric_text& text, const metric_label& label = {}) {
    in.add(text, *this, label);
  }

  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  metric_value value() const noexcept { return {static_cast<double>(get())}; }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// A number that goes up and down. Any thread.
class gauge {
public:
  static constexpr auto type = metric_type::gauge;

  gauge() = default;
  gauge(metric_set& in, const metric_text& text) { in.add(text, *this); }

  void add(std::int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  void set(std::int64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  std::int64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  metric_value value() const noexcept { return {static_cast<double>(get())}; }

private:
  std::atomic<std::int64_t> value_{0};
};

/// A gauge that counts live permits (`base::permit`). Any thread.
class taken_places : public std::atomic<std::size_t> {
public:
  static constexpr auto type = metric_type::gauge;

  taken_places() = default;
  taken_places(metric_set& in, const metric_text& text) { in.add(text, *this); }
  using std::atomic<std::size_t>::operator=;

  metric_value value() const noexcept {
    return {static_cast<double>(load(std::memory_order_relaxed))};
  }
};

/// The value of a label: a name, the name of a row, or an HTTP status (0 means any other).
inline std::string label_value(std::string_view name) {
  return std::string{name};
}
inline std::string label_value(int status) {
  return status == 0 ? "other" : std::to_string(status);
}
template <class Row>
auto label_value(const Row& row) -> decltype(std::string{row.name}) {
  return std::string{row.name};
}

/// The numbers of one metric, one for each of `Names`. Numbers with an empty name are not shown.
template <class Number, const auto& Names>
struct by_label : std::array<Number, std::size(Names)> {
  by_label(metric_set& in, const metric_text& text, std::string_view label) {
    in.add(Number::type, text, [this, label](const metric_set::sink& to) {
      for (std::size_t i = 0; i < this->size(); ++i)
        if (const auto value = label_value(Names[i]); !value.empty())
          to({{label, value}}, (*this)[i].value());
    });
  }
};

/// The numbers of one metric by two labels.
template <class Number, const auto& Rows, const auto& Columns>
struct by_labels : std::array<std::array<Number, std::size(Columns)>, std::size(Rows)> {
  by_labels(metric_set& in, const metric_text& text, std::string_view row,
            std::string_view column) {
    in.add(Number::type, text, [this, row, column](const metric_set::sink& to) {
      for (std::size_t i = 0; i < this->size(); ++i)
        for (std::size_t j = 0; j < (*this)[i].size(); ++j)
          to({{row, label_value(Rows[i])}, {column, label_value(Columns[j])}},
             (*this)[i][j].value());
    });
  }
};

} // namespace matchcloud::base
