#pragma once

#include "load/options.hpp"
#include "load/results.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::load {

/// Searches for the highest rate at which a service keeps a promise: doubles the rate until the
/// promise breaks, then halves the interval between the highest rate that kept it and the lowest
/// that broke it. One measurement is not enough: a rate breaks the promise if two of at most three
/// measurements say so, and the same holds for the final rate to keep it. One thread.
class capacity_search {
public:
  struct limits {
    /// The first rate to try, in requests per second.
    double start = 1'000;
    /// The search tries no rate outside these bounds.
    double least = 1;
    double most = 10'000'000;
    /// The search ends when the interval is narrower than this fraction of its lower end.
    double precision = 0.03;
    /// The number of measurements after which the search ends.
    std::size_t steps = 60;
  };

  explicit capacity_search(const limits& of) : limits_{of}, rate_{of.start} {}

  /// The rate to measure next; nothing if the search has ended.
  std::optional<double> next() const { return ended_ ? std::nullopt : std::optional{rate_}; }

  /// Records whether the promise was kept at the rate of `next`.
  void note(bool kept) {
    ++steps_;
    ++(kept ? votes_kept_ : votes_broken_);
    // While the rate doubles, one measurement that keeps the promise is enough to continue.
    if (kept && broken_ == 0 && votes_broken_ == 0 && rate_ < limits_.most && votes_kept_ == 1)
      decide(true);
    else if (votes_kept_ == majority || votes_broken_ == majority)
      decide(votes_kept_ == majority);
    if (steps_ >= limits_.steps) ended_ = true;
  }

  /// The highest rate that kept the promise; 0 if there is none.
  double kept() const noexcept { return kept_; }
  /// The lowest rate above it that broke the promise; 0 if there is none.
  double broken() const noexcept { return broken_; }
  /// Whether the search ended because the interval is narrow enough.
  bool is_narrow() const noexcept { return is_narrow_; }

private:
  static constexpr std::size_t majority = 2;

  /// Three digits are more precise than the search and still easy to read.
  static double rounded(double rate) {
    const double unit = std::pow(10, std::floor(std::log10(rate)) - 2);
    return std::round(rate / unit) * unit;
  }
  void decide(bool kept) {
    if (kept) {
      is_confirmed_ = votes_kept_ == majority;
      kept_ = rate_;
    } else {
      broken_ = rate_;
      if (kept_ >= broken_) kept_ = 0;
    }
    choose();
  }

  void choose() {
    if (broken_ == 0) {
      if (kept_ >= limits_.most)
        ended_ = true;
      else
        try_next(std::min(kept_ * 2, limits_.most));
      return;
    }
    if (kept_ == 0) {
      if (broken_ <= limits_.least)
        ended_ = true;
      else
        try_next(std::max(broken_ / 2, limits_.least));
      return;
    }
    const double middle = rounded((kept_ + broken_) / 2);
    const bool is_narrow =
        broken_ - kept_ <= limits_.precision * kept_ || middle <= kept_ || middle >= broken_;
    if (!is_narrow) return try_next(middle);
    if (is_confirmed_) {
      ended_ = is_narrow_ = true;
      return;
    }
    // So far only one measurement, from when the rate doubled, supports this rate.
    try_next(kept_);
    votes_kept_ = 1;
  }

  void try_next(double rate) {
    rate_ = rate;
    votes_kept_ = votes_broken_ = 0;
  }

  limits limits_;
  double rate_;
  double kept_ = 0;
  double broken_ = 0;
  /// Whether two measurements say that `kept_` keeps the promise.
  bool is_confirmed_ = false;
  std::size_t votes_kept_ = 0;
  std::size_t votes_broken_ = 0;
  std::size_t steps_ = 0;
  bool ended_ = false;
  bool is_narrow_ = false;
};

/// One measurement of a search: a point of the curve of latency over throughput.
struct find_step : latency_summary {
  /// The requested and the answered rate, in requests per second.
  double rate = 0;
  double answered_per_second = 0;
  std::uint64_t errors = 0;
  bool kept = false;
  /// The assertions that did not hold, with their values; empty if all did.
  std::string broke{};
  /// If it broke the promise: what gave way, `server`, `network`, `generator` or `machine`, and the
  /// reason in words.
  std::string gave_way{};
  std::string gave_way_reason{};
};

/// What a search for the highest rate found.
struct found_capacity {
  /// In the order of the search.
  std::vector<find_step> steps;
  /// The highest rate that kept the promise and the lowest that broke it; 0 if there is none.
  double kept_rate = 0;
  double broken_rate = 0;
  /// Why the search ended before the interval was narrow; empty if it was.
  std::string cut_short;
  /// Why there is no answer, for example because the server is gone; empty if there is one.
  std::string problem;
  /// What gave way at `broken_rate`, and the reason in words.
  std::string gave_way;
  std::string gave_way_reason;
  /// Why the answer does not show what the server can do; empty if it does.
  std::string doubt;
  /// The options and results of the last run at `kept_rate`, or of the last run if there is none.
  options shown_options;
  results shown;
};

/// Searches for the highest rate at which all of `options::promised` hold. Each measurement is a
/// run with `options::duration`; the search ends after 60 measurements or after
/// `options::find_limit`. Reports each one on stderr if that is a terminal. A signal or a failed
/// measurement ends the search; the first one to fail is thrown. `measure`: makes a run with its
/// options, which may throw `base::failure`. Main thread.
found_capacity find_capacity(const options& options,
                             const std::function<results(const load::options&)>& measure);

/// The curve as a table, the found rate and what gave way.
std::string find_report(const options& options, const found_capacity& of);
/// Writes the member `find`.
void write_find(model::json_writer& json, const options& options, const found_capacity& of);

} // namespace matchcloud::load
