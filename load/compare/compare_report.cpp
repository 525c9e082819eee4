#include "load/compare/comparison.hpp"
#include "load/duration.hpp"
#include "load/text/table.hpp"
#include "model/json/json_writer.hpp"

namespace matchcloud::load {

namespace {

bool is_duration(compared_measure of) {
  return of != compared_measure::throughput;
}

std::string value_text(compared_measure of, double value) {
  if (is_duration(of)) return duration_text(value);
  return rate_text(value) + "/s";
}

std::size_t count_of(const comparison& of, compared_verdict which) {
  std::size_t count = 0;
  for (const auto& each : of.rows)
    count += each.verdict == which ? 1 : 0;
  return count;
}

} // namespace

std::string compare_text(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance) {
  std::vector<std::vector<std::string>> rows{
      {"operation", "measure", "A", "B", "B/A", "from", "to", "B is"}};
  for (const auto& each : of.rows)
    rows.push_back({each.operation, std::string{name_of(each.measure)},
                    value_text(each.measure, each.a), value_text(each.measure, each.b),
                    fixed(each.ratio.ratio, 3), fixed(each.ratio.low, 3), fixed(each.ratio.high, 3),
                    std::string{name_of(each.verdict)}});
  std::string text = "A  " + a.file + ", " + grouped(a.intervals.size()) + " intervals\nB  " +
                     b.file + ", " + grouped(b.intervals.size()) + " intervals\n\n" +
                     columns(rows) + "\n";
  for (const auto& each : of.notes)
    text += "note  " + each + "\n";
  text += std::to_string(count_of(of, compared_verdict::slower)) + " slower, " +
          std::to_string(count_of(of, compared_verdict::faster)) + " faster, by more than " +
          fixed(100 * tolerance, 1) +
          " %. With 95 % confidence, all true ratios lie in their intervals from .. to.\n";
  return text;
}

std::string compare_json(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  json.object().name("a").text(a.file).name("b").text(b.file);
  json.name("tolerance").raw(fixed(tolerance, 4));
  json.name("slower").boolean(of.has(compared_verdict::slower));
  json.name("rows").array();
  for (const auto& each : of.rows) {
    const double unit = is_duration(each.measure) ? 1e3 : 1;
    json.object().name("operation").text(each.operation);
    json.name("measure").text(name_of(each.measure));
    json.name("unit").text(is_duration(each.measure) ? "us" : "per_second");
    json.name("a").raw(fixed(each.a / unit, 3)).name("b").raw(fixed(each.b / unit, 3));
    json.name("ratio").raw(fixed(each.ratio.ratio, 5));
    json.name("low").raw(fixed(each.ratio.low, 5)).name("high").raw(fixed(each.ratio.high, 5));
    json.name("verdict").text(name_of(each.verdict)).end_object();
  }
  json.end_array().name("notes").array();
  for (const auto& each : of.notes)
    json.text(each);
  json.end_array().end_object();
  return json.take() + "\n";
}

} // namespace matchcloud::load
