#include "load/charts/chart.hpp"

#include "load/charts/svg.hpp"

#include <algorithm>
#include <cmath>

namespace matchcloud::load {

namespace {

constexpr double width = 760;
constexpr double left = 76;
constexpr double right = 16;
constexpr double top = 14;
constexpr double bottom = 50;
constexpr double plot_width = width - left - right;
/// The shades of a heat map.
constexpr std::size_t shades = 9;
/// The space for a mark's name; names that would touch are left out.
constexpr double mark_room = 60;

/// Maps a chart's values to its drawing.
class plot {
public:
  explicit plot(const chart_frame& of)
      : frame_{of}, drawing_{width, of.height, of.title}, plot_height_{of.height - top - bottom} {
    draw_grid();
  }

  double x(double value) const { return left + plot_width * frame_.x.part(value); }
  double y(double value) const { return top + plot_height_ * (1 - frame_.y.part(value)); }
  svg& drawing() noexcept { return drawing_; }

  std::string complete(const std::string& legend) {
    const double end = top + plot_height_;
    drawing_.line(left, end, width - right, end, "axis");
    drawing_.line(left, top, left, end, "axis");
    return "<figure><figcaption>" + escaped(frame_.title) + "</figcaption>\n" +
           std::move(drawing_).take() + legend + "</figure>\n";
  }

private:
  void draw_grid() {
    const double end = top + plot_height_;
    if (frame_.shaded.second > frame_.shaded.first) {
      const double from = x(frame_.shaded.first);
      drawing_.rect(from, top, x(frame_.shaded.second) - from, plot_height_, "shaded");
      drawing_.text(from + 4, top + 12, frame_.shaded_name, "mark", "start");
    }
    for (std::size_t i = 0; i < frame_.y.ticks.size(); ++i) {
      const double at = y(frame_.y.ticks[i]);
      drawing_.line(left, at, width - right, at, "grid");
      drawing_.text(left - 8, at + 4, frame_.y.labels[i], "tick", "end");
    }
    for (std::size_t i = 0; i < frame_.x.ticks.size(); ++i) {
      const double at = x(frame_.x.ticks[i]);
      drawing_.line(at, end, at, end + 5, "axis");
      drawing_.text(at, end + 19, frame_.x.labels[i], "tick", "middle");
    }
    drawing_.text(left + plot_width / 2, end + 41, frame_.x.title, "title", "middle");
    drawing_.upward_text(16, top + plot_height_ / 2, frame_.y.title, "title");
    double free_from = left;
    for (const auto& [value, name] : frame_.marks) {
      const double at = x(value);
      drawing_.line(at, top, at, end, "mark");
      if (at < free_from || at + mark_room > width) continue;
      drawing_.text(at + 4, top + 12, name, "mark", "start");
      free_from = at + std::max(mark_room, 6.5 * static_cast<double>(name.size()));
    }
  }

  const chart_frame& frame_;
  svg drawing_;
  double plot_height_;
};

std::string class_of(std::size_t colour) {
  return "c" + std::to_string(colour % 8);
}

/// Bars show errors, so their colours start with red.
std::string bar_class(std::size_t kind) {
  return class_of(kind + 3);
}

std::string legend_of(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::string made = "<p class=\"legend\">";
  for (const auto& [classes, name] : keys)
    made += "<span><i class=\"" + classes + "\"></i>" + escaped(name) + "</span> ";
  return made + "</p>\n";
}

} // namespace

std::string line_chart(const chart_frame& frame, const std::vector<chart_series>& series) {
  plot on{frame};
  std::vector<std::pair<std::string, std::string>> keys;
  for (const auto& each : series) {
    if (each.points.empty()) continue;
    std::vector<std::pair<double, double>> points;
    for (const auto& [x, y] : each.points)
      points.emplace_back(on.x(x), on.y(y));
    const auto classes = class_of(each.colour) + (each.is_dashed ? " dashed" : "");
    on.drawing().path(points, "line " + classes);
    // A single point makes no line.
    const auto& dots = each.points.size() == 1 ? each.points : each.dots;
    for (std::size_t i = 0; i < dots.size(); ++i) {
      const bool is_hollow = i < each.hollow.size() && each.hollow[i];
      on.drawing().circle(on.x(dots[i].first), on.y(dots[i].second), 3.6,
                          (is_hollow ? "hollow " : "dot ") + class_of(each.colour));
    }
    keys.emplace_back("line " + classes, each.name);
  }
  return on.complete(legend_of(keys));
}

std::string bar_chart(const chart_frame& frame, const chart_bars& bars) {
  plot on{frame};
  for (const auto& bar : bars.bars) {
    double below = 0;
    const double from = on.x(bar.from);
    const double wide = std::max(1.0, on.x(bar.to) - from - 1);
    for (std::size_t i = 0; i < bar.values.size(); ++i) {
      if (bar.values[i] <= 0) continue;
      const double foot = on.y(below);
      below += bar.values[i];
      const double head = on.y(below);
      on.drawing().rect(from, head, wide, std::max(0.5, foot - head), "bar " + bar_class(i),
                        bars.kinds[i] + ": " + short_number(bar.values[i]));
    }
  }
  std::vector<std::pair<std::string, std::string>> keys;
  for (std::size_t i = 0; i < bars.kinds.size(); ++i)
    keys.emplace_back("bar " + bar_class(i), bars.kinds[i]);
  return on.complete(legend_of(keys));
}

std::string heat_map(const chart_frame& frame, const chart_cells& cells) {
  plot on{frame};
  double most = 1;
  for (const auto& each : cells.cells)
    most = std::max(most, each.count);
  // Logarithmic, because one slow reply among thousands of fast ones must be seen.
  const auto shade_of = [most](double count) {
    const double part = std::log1p(count) / std::log1p(most);
    return std::min<std::size_t>(shades, 1 + static_cast<std::size_t>(part * shades * 0.9999));
  };
  for (const auto& each : cells.cells) {
    const double x = on.x(each.x_from);
    const double y = on.y(each.y_to);
    // Slightly larger, so that no gap shows between cells.
    on.drawing().rect(x, y, on.x(each.x_to) - x + 0.3, on.y(each.y_from) - y + 0.3,
                      "h" + std::to_string(shade_of(each.count)), each.tip);
  }
  std::string legend = "<p class=\"legend scale\"><span>1</span>";
  for (std::size_t i = 1; i <= shades; ++i)
    legend += "<i class=\"h" + std::to_string(i) + "\"></i>";
  legend += "<span>" + short_number(most) + " " + escaped(cells.counted) + "</span></p>\n";
  return on.complete(legend);
}

} // namespace matchcloud::load
