#include "load/charts/svg.hpp"

#include <array>
#include <cstdio>

namespace matchcloud::load {

namespace {

/// A coordinate; a tenth of a unit is finer than the eye can see.
std::string at(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  std::string made{text.data()};
  if (made.ends_with(".0")) made.resize(made.size() - 2);
  return made;
}

std::string attribute(std::string_view name, const std::string& value) {
  return " " + std::string{name} + "=\"" + value + "\"";
}

} // namespace

std::string escaped(std::string_view text) {
  std::string made;
  for (const char each : text) {
    switch (each) {
    case '&': made += "&amp;"; break;
    case '<': made += "&lt;"; break;
    case '>': made += "&gt;"; break;
    case '"': made += "&quot;"; break;
    case '\'': made += "&#39;"; break;
    default: made += each;
    }
  }
  return made;
}

svg::svg(double width, double height, std::string_view label)
    : out_{"<svg viewBox=\"0 0 " + at(width) + " " + at(height) + "\" role=\"img\" aria-label=\"" +
           escaped(label) + "\">\n"} {}

void svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  out_ += "<line" + attribute("x1", at(x1)) + attribute("y1", at(y1)) + attribute("x2", at(x2)) +
          attribute("y2", at(y2)) + attribute("class", escaped(classes)) + "/>\n";
}

void svg::text(double x, double y, std::string_view text, std::string_view classes,
               std::string_view anchor) {
  out_ += "<text" + attribute("x", at(x)) + attribute("y", at(y)) +
          attribute("class", escaped(classes)) + attribute("text-anchor", std::string{anchor}) +
          ">" + escaped(text) + "</text>\n";
}

void svg::upward_text(double x, double y, std::string_view text, std::string_view classes) {
  out_ += "<text" + attribute("transform", "translate(" + at(x) + " " + at(y) + ") rotate(-90)") +
          attribute("class", escaped(classes)) + " text-anchor=\"middle\">" + escaped(text) +
          "</text>\n";
}

void svg::path(const std::vector<std::pair<double, double>>& points, std::string_view classes) {
  out_ += "<polyline points=\"";
  for (const auto& [x, y] : points)
    out_ += at(x) + "," + at(y) + " ";
  if (!points.empty()) out_.pop_back();
  out_ += "\"" + attribute("class", escaped(classes)) + "/>\n";
}

void svg::end_with_tip(std::string_view name, std::string_view tip) {
  if (tip.empty())
    out_ += "/>\n";
  else
    out_ += "><title>" + escaped(tip) + "</title></" + std::string{name} + ">\n";
}

void svg::rect(double x, double y, double width, double height, std::string_view classes,
               std::string_view tip) {
  out_ += "<rect" + attribute("x", at(x)) + attribute("y", at(y)) + attribute("width", at(width)) +
          attribute("height", at(height)) + attribute("class", escaped(classes));
  end_with_tip("rect", tip);
}

void svg::circle(double x, double y, double radius, std::string_view classes,
                 std::string_view tip) {
  out_ += "<circle" + attribute("cx", at(x)) + attribute("cy", at(y)) + attribute("r", at(radius)) +
          attribute("class", escaped(classes));
  end_with_tip("circle", tip);
}

std::string svg::take() && {
  return std::move(out_) + "</svg>\n";
}

} // namespace matchcloud::load
