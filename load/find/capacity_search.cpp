#include "load/find/capacity_search.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::load {

namespace {

constexpr std::size_t majority = 2;

/// Three digits are more precise than the search and still easy to read.
double rounded(double rate) {
  const double unit = std::pow(10, std::floor(std::log10(rate)) - 2);
  return std::round(rate / unit) * unit;
}

} // namespace

std::optional<double> capacity_search::next() const {
  return ended_ ? std::nullopt : std::optional{rate_};
}

void capacity_search::note(bool kept) {
  ++steps_;
  ++(kept ? votes_kept_ : votes_broken_);
  // While the rate doubles, one measurement that keeps the promise is enough to continue.
  if (kept && broken_ == 0 && votes_broken_ == 0 && rate_ < limits_.most && votes_kept_ == 1)
    decide(true);
  else if (votes_kept_ == majority || votes_broken_ == majority)
    decide(votes_kept_ == majority);
  if (steps_ >= limits_.steps) ended_ = true;
}

void capacity_search::decide(bool kept) {
  if (kept) {
    is_confirmed_ = votes_kept_ == majority;
    kept_ = rate_;
  } else {
    broken_ = rate_;
    if (kept_ >= broken_) kept_ = 0;
  }
  choose();
}

void capacity_search::choose() {
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

void capacity_search::try_next(double rate) {
  rate_ = rate;
  votes_kept_ = votes_broken_ = 0;
}

} // namespace matchcloud::load
