#pragma once

#include <string>
#include <vector>

namespace matchcloud::load {

/// The values along one side of a chart, from `low` to `high`, with their tick marks.
struct axis {
  double low = 0;
  double high = 1;
  bool is_logarithmic = false;
  std::vector<double> ticks;
  /// The label of each tick.
  std::vector<std::string> labels;
  /// The name of the values, with their unit.
  std::string title;

  /// The position of a value: 0 at `low`, 1 at `high`; values outside move to the nearer end.
  double part(double value) const;
};

/// From 0 to a round number that is at least `most`.
axis number_axis(std::string title, double most);
/// Seconds from 0 to exactly `most`, marked as `5` or, beyond two minutes, as `1:30`.
axis time_axis(std::string title, double most);
/// Nanoseconds on a logarithmic scale, from a power of ten that is at most `least` to one that is
/// at least `most`, or to 2 or 5 times such a power.
axis latency_axis(std::string title, double least, double most);

/// A number for people, in at most four digits: `950`, `1.5k`, `20k`, `3.2M`.
std::string short_number(double value);
/// A duration for people: `50 µs`, `1.5 ms`, `2 s`.
std::string short_duration(double ns);

} // namespace matchcloud::load
