#pragma once

#include <cstddef>
#include <optional>

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
  std::optional<double> next() const;
  /// Records whether the promise was kept at the rate of `next`.
  void note(bool kept);

  /// The highest rate that kept the promise; 0 if there is none.
  double kept() const noexcept { return kept_; }
  /// The lowest rate above it that broke the promise; 0 if there is none.
  double broken() const noexcept { return broken_; }
  /// Whether the search ended because the interval is narrow enough.
  bool is_narrow() const noexcept { return is_narrow_; }

private:
  void decide(bool kept);
  void choose();
  void try_next(double rate);

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

} // namespace matchcloud::load
