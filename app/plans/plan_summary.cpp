#include "app/plans/plan_summary.hpp"

#include "model/json/json_writer.hpp"

#include <array>
#include <cstdio>

namespace matchcloud::app {

namespace {

std::string load_line(const load_report& load) {
  auto line = "load    " + std::to_string(load.sent) + " sent, " + std::to_string(load.answered) +
              " answered, " + std::to_string(load.error("total")) + " errors";
  const char* before = " (";
  for (const auto& [kind, count] : load.errors) {
    if (kind == "total" || count == 0) continue;
    line.append(before).append(std::to_string(count)).append(" ").append(kind);
    before = ", ";
  }
  return line + (*before == ',' ? ")\n" : "\n");
}

void write_load(model::json_writer& json, const load_report& load) {
  json.name("load").object().name("sent").number(load.sent).name("answered").number(load.answered);
  json.name("errors").object();
  for (const auto& [kind, count] : load.errors)
    json.name(kind).number(count);
  json.end_object().name("first_errors").array();
  for (const auto& each : load.examples)
    json.text(each);
  json.end_array().end_object();
}

} // namespace

std::string line_of(const step_report& step) {
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%6.1f s  ",
                static_cast<double>(step.at.count()) / 1'000);
  return time.data() + step.text + "\n";
}

std::string summary_of(const plan_report& report) {
  std::string text = "\n";
  const auto& load = report.findings.load;
  if (load.sent > 0) text += load_line(load);
  for (const auto& each : load.examples)
    text.append("        ").append(each).append("\n");
  for (const auto& each : report.checks) {
    text.append(each.result.holds ? "holds   " : "FAILS   ").append(each.text);
    if (!each.result.seen.empty()) text.append("; seen: ").append(each.result.seen);
    text += "\n";
  }
  return text;
}

std::string json_of(const plan& what, const plan_report& report) {
  model::json_writer json;
  json.object().name("plan").text(what.file).name("about").text(what.about);
  json.name("seed").number(what.seed).name("holds").boolean(report.holds());
  json.name("failure").text(report.failure).name("steps").array();
  for (const auto& each : report.steps)
    json.object()
        .name("at_ms")
        .number(static_cast<std::int64_t>(each.at.count()))
        .name("step")
        .text(each.text)
        .end_object();
  json.end_array().name("hits").number(report.findings.hits);
  json.name("restarts").number(report.findings.restarts);
  write_load(json, report.findings.load);
  json.name("checks").array();
  for (const auto& each : report.checks)
    json.object()
        .name("check")
        .text(each.text)
        .name("holds")
        .boolean(each.result.holds)
        .name("seen")
        .text(each.result.seen)
        .end_object();
  return json.end_array().end_object().take() + "\n";
}

} // namespace matchcloud::app
