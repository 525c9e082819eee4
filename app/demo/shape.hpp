#pragma once

#include <functional>
#include <vector>

namespace matchcloud::app {

/// A place in a picture, which goes from -1 to 1 to the right and down.
struct point {
  double x = 0;
  double y = 0;
};

struct box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// The distance of the point at `x` of a row from a shape's edge; below 0 inside.
using row_distance = std::function<double(double x)>;

/// A shape with a smooth edge at any size. Its distances use nothing but basic operations and
/// square roots, so that a picture is the same wherever it is drawn.
struct shape {
  box bounds;
  /// The distances along the row at `y`. Those beyond `reach` need only have the right sign and be
  /// at least `reach`.
  std::function<row_distance(double y, double reach)> row;
};

/// An ellipse with the half axis `axis` and, at a right angle to it, one of the length `other`.
shape tilted_oval(const point& middle, const point& axis, double other);
shape oval(const point& middle, double half_width, double half_height);
shape disc(const point& middle, double radius);
/// A polygon whose corners are rounded, and that is larger by the radius of this rounding.
shape polygon(const std::vector<point>& corners, double rounding = 0);
/// A closed curve (a quadratic B-spline) that follows `corners` without touching them.
shape smooth(const std::vector<point>& corners);
/// A line from `from` to `to` that bends towards `bend`, with round ends.
shape line(const point& from, const point& bend, const point& to, double half_width);
/// The shape on the other side of the vertical middle.
shape mirrored(const shape& of);

} // namespace matchcloud::app
