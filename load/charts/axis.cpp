#include "load/charts/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

namespace matchcloud::load {

namespace {

/// Three digits, without trailing zeros.
std::string digits(double value) {
  std::array<char, 32> text{};
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  std::string made{text.data()};
  if (made.find('.') == std::string::npos) return made;
  made.erase(made.find_last_not_of('0') + 1);
  if (made.ends_with('.')) made.pop_back();
  return made;
}

std::string clock_text(double seconds, bool in_minutes) {
  if (!in_minutes) return digits(seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%ld:%02ld", whole / 60, whole % 60);
  return text.data();
}

} // namespace

double axis::part(double value) const {
  const double at = std::clamp(value, low, high);
  if (is_logarithmic) return std::log(at / low) / std::log(high / low);
  return (at - low) / (high - low);
}

axis number_axis(std::string title, double most) {
  constexpr double wanted = 5;
  const double raw = std::max(most, 1e-9) / wanted;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * 10;
  for (const double each : {5.0, 2.5, 2.0, 1.0})
    if (power * each >= raw * 0.999) step = power * each;
  axis made;
  made.title = std::move(title);
  const auto count = std::max(1.0, std::ceil(most / step - 1e-9));
  made.high = step * count;
  for (double i = 0; i <= count; ++i) {
    made.ticks.push_back(step * i);
    made.labels.push_back(short_number(step * i));
  }
  return made;
}

axis time_axis(std::string title, double most) {
  constexpr double wanted = 10;
  constexpr double beyond_minutes = 120;
  double step = 86'400;
  for (const double each : {21'600.0, 10'800.0, 3'600.0, 1'800.0, 900.0, 600.0, 300.0, 120.0, 60.0,
                            30.0, 15.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1})
    if (each * wanted >= most) step = each;
  axis made;
  made.title = std::move(title);
  made.high = std::max(most, 1e-3);
  for (double i = 0; step * i <= most + 1e-9; ++i) {
    made.ticks.push_back(step * i);
    made.labels.push_back(clock_text(step * i, most > beyond_minutes));
  }
  return made;
}

axis latency_axis(std::string title, double least, double most) {
  axis made;
  made.title = std::move(title);
  made.is_logarithmic = true;
  constexpr std::array<double, 3> steps{1, 2, 5};
  const double from = std::max(least, 1.0);
  const double to = std::max(most, from * 1.001);
  std::vector<double> all;
  for (double power = std::pow(10, std::floor(std::log10(from) + 1e-9)); power < to * 10;
       power *= 10)
    for (const double each : steps)
      all.push_back(power * each);
  const auto first = std::prev(std::ranges::upper_bound(all, from));
  const auto last = std::ranges::lower_bound(all, to);
  made.low = *first;
  made.high = *last;
  // Over many powers of ten, marks in between would touch.
  const bool powers_only = made.high / made.low > 3e4;
  for (auto tick = first; tick <= last; ++tick) {
    const double power = std::pow(10, std::floor(std::log10(*tick) + 1e-9));
    if (powers_only && *tick > power * 1.5) continue;
    made.ticks.push_back(*tick);
    made.labels.push_back(short_duration(*tick));
  }
  return made;
}

std::string short_number(double value) {
  if (value >= 999.5e3) return digits(value / 1e6) + "M";
  if (value >= 1e4) return digits(value / 1e3) + "k";
  if (value >= 1e3) {
    const auto whole = std::to_string(std::lround(value));
    return whole.substr(0, whole.size() - 3) + "," + whole.substr(whole.size() - 3);
  }
  return digits(value);
}

std::string short_duration(double ns) {
  if (ns < 1e3) return digits(ns) + " ns";
  if (ns < 999.5e3) return digits(ns / 1e3) + " \u00b5s";
  if (ns < 999.5e6) return digits(ns / 1e6) + " ms";
  return digits(ns / 1e9) + " s";
}

} // namespace matchcloud::load
