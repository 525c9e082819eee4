#include "http/ops/render_metrics.hpp"

#include <array>
#include <charconv>
#include <map>
#include <string_view>

namespace matchcloud::http {

namespace {

/// In the order of `base::metric_type`.
constexpr std::array<std::string_view, 3> type_names{"counter", "gauge", "histogram"};

/// The samples of a metric by their labels, as these are written.
using samples = std::map<std::string, base::metric_value>;

std::string text_of(double number) {
  constexpr int digits_limit = 16; // enough for milliseconds since 1970
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 std::chars_format::general, digits_limit);
  return {text.data(), end.ptr};
}

std::string text_of(std::initializer_list<base::metric_label> labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    if (name.empty()) continue;
    text.append(text.empty() ? "" : ",").append(name).append("=\"");
    for (const char c : value) {
      if (c == '"' || c == '\\' || c == '\n') text += '\\';
      text += c == '\n' ? 'n' : c;
    }
    text += '"';
  }
  return text;
}

void add(base::metric_value& to, const base::metric_value& value) {
  to.number += value.number;
  if (!value.durations) return;
  if (!to.durations) to.durations.emplace();
  for (std::size_t i = 0; i < to.durations->counts.size(); ++i)
    to.durations->counts[i] += value.durations->counts[i];
  to.durations->sum_ns += value.durations->sum_ns;
}

void add_line(std::string& out, const std::string& name, const std::string& labels, double number) {
  out += name;
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(text_of(number)).append("\n");
}

/// Adds a histogram of Prometheus: in seconds, with buckets that count those below them, too.
void add_histogram(std::string& out, const std::string& name, const std::string& labels,
                   const base::duration_buckets& durations) {
  constexpr double seconds_per_ns = 1e-9;
  const auto& bounds = base::duration_buckets::bounds_ns;
  std::string buckets;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < durations.counts.size(); ++i) {
    count += durations.counts[i];
    const auto bound = i < bounds.size() ? text_of(static_cast<double>(bounds[i]) * seconds_per_ns)
                                         : std::string{"+Inf"};
    add_line(buckets, name + "_bucket",
             labels + (labels.empty() ? "" : ",") + "le=\"" + bound + '"',
             static_cast<double>(count));
  }
  add_line(out, name + "_count", labels, static_cast<double>(count));
  add_line(out, name + "_sum", labels, static_cast<double>(durations.sum_ns) * seconds_per_ns);
  out += buckets;
}

} // namespace

std::string render_metrics(const base::metric_set& of) {
  std::map<std::string_view, samples> families;
  for (const auto& [type, text, read] : of.metrics())
    read(
        [&into = families[text.name], &shows_zero = text.shows_zero](auto with, const auto& value) {
          if (shows_zero || value.number != 0) add(into[text_of(with)], value);
        });
  std::string out;
  for (const auto& [type, text, read] : of.metrics()) {
    // Empty for a name that was written before.
    const auto family = families.extract(text.name);
    if (family.empty()) continue;
    const std::string name{text.name};
    out.append("# HELP ").append(name).append(" ").append(text.help).append("\n# TYPE ");
    out.append(name).append(" ").append(type_names[static_cast<std::size_t>(type)]).append("\n");
    for (const auto& [labels, value] : family.mapped()) {
      if (value.durations)
        add_histogram(out, name, labels, *value.durations);
      else
        add_line(out, name, labels, value.number);
    }
  }
  return out;
}

} // namespace matchcloud::http
