#include "app/reports/health_report.hpp"

#include "app/reports/findings_report.hpp"
#include "cli/print.hpp"
#include "cli/terminal_text.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/counts.hpp"

#include <algorithm>
#include <string_view>

namespace matchcloud::app {

namespace {

std::string_view colour_of(finding_level level) {
  switch (level) {
  case finding_level::ok: return cli::sgr_green;
  case finding_level::warning: return cli::sgr_bold_yellow;
  case finding_level::error: break;
  }
  return cli::sgr_bold_red;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string made{text};
  made.resize(std::max(width, text.size()), ' ');
  return made;
}

/// The names of levels have 7 characters at most.
constexpr std::size_t level_width = 7;

std::size_t check_width(const health_findings& findings) {
  std::size_t width = 0;
  for (const auto& each : findings)
    width = std::max(width, each.check.size());
  return width;
}

std::string full_text(const health_finding& of) {
  auto text = well_formed(of.message);
  if (!of.advice.empty()) text += "; " + well_formed(of.advice);
  return text;
}

void write(model::json_writer& out, const health_finding& of) {
  out.object().name("check").text(of.check).name("level").text(name_of(of.level));
  out.name("message").text(well_formed(of.message)).name("advice");
  of.advice.empty() ? out.null() : out.text(well_formed(of.advice));
  out.end_object();
}

} // namespace

std::size_t count_of(const health_findings& findings, finding_level level) {
  return static_cast<std::size_t>(std::ranges::count(findings, level, &health_finding::level));
}

std::string health_text(const health_findings& findings, bool colours) {
  const auto width = check_width(findings);
  const auto indent = level_width + 2 + width + 2;
  std::string text;
  for (const auto& each : findings) {
    const auto level = padded(name_of(each.level), level_width);
    text +=
        colours ? std::string{colour_of(each.level)} + level + std::string{cli::sgr_plain} : level;
    text += "  " + padded(each.check, width) + "  " + cli::indented(full_text(each), indent) + "\n";
  }
  return text + model::counted(count_of(findings, finding_level::error), "error") + ", " +
         model::counted(count_of(findings, finding_level::warning), "warning") + ", " +
         std::to_string(count_of(findings, finding_level::ok)) + " ok\n";
}

std::string health_json(const health_findings& findings) {
  model::json_writer out{model::json_escapes::beyond_ascii};
  out.object().name("findings").array();
  for (const auto& each : findings)
    write(out, each);
  out.end_array();
  out.name("errors").number(count_of(findings, finding_level::error));
  out.name("warnings").number(count_of(findings, finding_level::warning));
  out.name("ok").number(count_of(findings, finding_level::ok)).end_object();
  return out.take() + "\n";
}

} // namespace matchcloud::app
