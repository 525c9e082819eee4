#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// `text` with the special characters of HTML and XML escaped.
std::string escaped(std::string_view text);

/// A drawing as SVG text. Lengths are in the drawing's own units, from the upper left corner.
/// Colours come from the classes in the page's style sheet. One thread.
class svg {
public:
  /// `label` describes the drawing for readers who cannot see it.
  svg(double width, double height, std::string_view label);

  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  /// `anchor`: `start`, `middle` or `end`.
  void text(double x, double y, std::string_view text, std::string_view classes,
            std::string_view anchor);
  /// Text that runs upwards, centred at the point.
  void upward_text(double x, double y, std::string_view text, std::string_view classes);
  void path(const std::vector<std::pair<double, double>>& points, std::string_view classes);
  /// `tip` is shown under the pointer; empty for no tip.
  void rect(double x, double y, double width, double height, std::string_view classes,
            std::string_view tip = {});
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view tip = {});

  std::string take() &&;

private:
  void end_with_tip(std::string_view name, std::string_view tip);

  std::string out_;
};

} // namespace matchcloud::load
