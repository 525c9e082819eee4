#include "app/demo/shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace matchcloud::app {

namespace {

/// Straight pieces of a curve between two corners, and of a line: no corner shows at 512 pixels.
constexpr std::size_t curve_pieces = 6;
constexpr std::size_t line_pieces = 10;
/// A distance beyond any reach.
constexpr double far_away = 1e6;

struct edge {
  point from;
  point to;
};

double squared_distance(const point& at, const edge& of) {
  const point along{of.to.x - of.from.x, of.to.y - of.from.y};
  const point offset{at.x - of.from.x, at.y - of.from.y};
  const auto length = along.x * along.x + along.y * along.y;
  const auto share =
      length > 0 ? std::clamp((offset.x * along.x + offset.y * along.y) / length, 0.0, 1.0) : 0.0;
  const point gap{offset.x - share * along.x, offset.y - share * along.y};
  return gap.x * gap.x + gap.y * gap.y;
}

/// Whether an edge crosses the row of `at` to the right of it.
bool crosses(const point& at, const edge& of) {
  if ((of.from.y > at.y) == (of.to.y > at.y)) return false;
  const auto share = (at.y - of.from.y) / (of.to.y - of.from.y);
  return at.x < of.from.x + share * (of.to.x - of.from.x);
}

/// The distance from the nearest edge; below 0 where an odd number of them is to the right.
double signed_distance(const point& at, const std::vector<edge>& edges, bool is_closed) {
  auto nearest = far_away;
  bool is_inside = false;
  for (const auto& each : edges) {
    nearest = std::min(nearest, squared_distance(at, each));
    if (is_closed && crosses(at, each)) is_inside = !is_inside;
  }
  return is_inside ? -std::sqrt(nearest) : std::sqrt(nearest);
}

box bounds_of(const std::vector<edge>& edges, double margin) {
  const auto& first = edges.front().from;
  box around{first.x, first.y, first.x, first.y};
  for (const auto& each : edges)
    for (const auto& [x, y] : {each.from, each.to})
      around = {std::min(around.left, x), std::min(around.top, y), std::max(around.right, x),
                std::max(around.bottom, y)};
  return {around.left - margin, around.top - margin, around.right + margin, around.bottom + margin};
}

/// The shape of all points that are at most `margin` away from the edges, or inside of them.
shape outline(std::vector<edge> edges, double margin, bool is_closed) {
  const auto bounds = bounds_of(edges, margin);
  return {bounds, [edges = std::move(edges), margin, is_closed](double y, double reach) {
            // Other edges are too far away to matter, and do not cross this row.
            std::vector<edge> close;
            const auto gap = reach + margin;
            std::ranges::copy_if(edges, std::back_inserter(close), [&](const edge& each) {
              return std::min(each.from.y, each.to.y) <= y + gap &&
                     std::max(each.from.y, each.to.y) >= y - gap;
            });
            return row_distance{[close = std::move(close), y, margin, is_closed](double x) {
              return signed_distance({x, y}, close, is_closed) - margin;
            }};
          }};
}

/// Appends points of the quadratic Bezier curve from `from` to before `to`.
void append_curve(std::vector<point>& points, const point& from, const point& bend, const point& to,
                  std::size_t pieces) {
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto share = static_cast<double>(i) / static_cast<double>(pieces);
    const auto rest = 1 - share;
    const auto mix = [&](double a, double b, double c) {
      return rest * rest * a + 2 * share * rest * b + share * share * c;
    };
    points.push_back({mix(from.x, bend.x, to.x), mix(from.y, bend.y, to.y)});
  }
}

point between(const point& a, const point& b) {
  return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

} // namespace

shape tilted_oval(const point& middle, const point& axis, double other) {
  const auto length = std::sqrt(axis.x * axis.x + axis.y * axis.y);
  const auto most = std::max(length, other);
  const box bounds{middle.x - most, middle.y - most, middle.x + most, middle.y + most};
  return {bounds, [middle, axis, length, other](double y, double) {
            return row_distance{[=](double x) {
              const point offset{x - middle.x, y - middle.y};
              const auto u = (offset.x * axis.x + offset.y * axis.y) / (length * length);
              const auto v = (offset.y * axis.x - offset.x * axis.y) / (length * other);
              // The first-order distance: the value of the implicit function by its slope.
              const auto value = std::sqrt(u * u + v * v);
              const auto slope = std::sqrt(u * u / (length * length) + v * v / (other * other));
              return slope > 0 ? value * (value - 1) / slope : -std::min(length, other);
            }};
          }};
}

shape oval(const point& middle, double half_width, double half_height) {
  return tilted_oval(middle, {half_width, 0}, half_height);
}

shape disc(const point& middle, double radius) {
  return oval(middle, radius, radius);
}

shape polygon(const std::vector<point>& corners, double rounding) {
  std::vector<edge> edges;
  for (std::size_t i = 0; i < corners.size(); ++i)
    edges.push_back({corners[i], corners[(i + 1) % corners.size()]});
  return outline(std::move(edges), rounding, true);
}

shape smooth(const std::vector<point>& corners) {
  std::vector<point> points;
  const auto count = corners.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& bend = corners[i];
    append_curve(points, between(corners[(i + count - 1) % count], bend), bend,
                 between(bend, corners[(i + 1) % count]), curve_pieces);
  }
  return polygon(points);
}

shape line(const point& from, const point& bend, const point& to, double half_width) {
  std::vector<point> points;
  append_curve(points, from, bend, to, line_pieces);
  points.push_back(to);
  std::vector<edge> edges;
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    edges.push_back({points[i], points[i + 1]});
  return outline(std::move(edges), half_width, false);
}

shape mirrored(const shape& of) {
  const auto& [left, top, right, bottom] = of.bounds;
  return {{-right, top, -left, bottom}, [row = of.row](double y, double reach) {
            return row_distance{[there = row(y, reach)](double x) { return there(-x); }};
          }};
}

} // namespace matchcloud::app
