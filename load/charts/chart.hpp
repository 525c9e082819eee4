#pragma once

#include "load/charts/axis.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// The parts of every chart: a title, axes and the marks along the lower axis.
struct chart_frame {
  std::string title;
  axis x;
  axis y;
  /// A shaded span of `x`, such as the ramp; empty if both ends are equal.
  std::pair<double, double> shaded{};
  std::string shaded_name;
  /// Lines across the chart at values of `x`, with their names.
  std::vector<std::pair<double, std::string>> marks;
  double height = 300;
};

/// A line through points, in ascending order of `x`. `colour` is 0 to 7.
struct chart_series {
  std::string name;
  std::size_t colour = 0;
  std::vector<std::pair<double, double>> points;
  bool is_dashed = false;
  /// The points drawn as dots; `hollow` says which of them are hollow.
  std::vector<std::pair<double, double>> dots{};
  std::vector<bool> hollow{};
};

/// Numbers of several kinds over spans of `x`, on top of each other.
struct chart_bars {
  std::vector<std::string> kinds;
  struct bar {
    double from = 0;
    double to = 0;
    std::vector<double> values;
  };
  std::vector<bar> bars;
};

/// Cells of a chart; a higher count is darker.
struct chart_cells {
  struct cell {
    double x_from = 0;
    double x_to = 0;
    double y_from = 0;
    double y_to = 0;
    double count = 0;
    std::string tip;
  };
  std::vector<cell> cells;
  /// What is counted: `replies`.
  std::string counted;
};

/// Each returns a `<figure>` with its title, the drawing and its legend, for `report_page`.
std::string line_chart(const chart_frame& frame, const std::vector<chart_series>& series);
std::string bar_chart(const chart_frame& frame, const chart_bars& bars);
std::string heat_map(const chart_frame& frame, const chart_cells& cells);

} // namespace matchcloud::load
