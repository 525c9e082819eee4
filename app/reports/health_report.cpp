#include "app/reports/health_report.hpp"

#include "app/reports/findings_report.hpp"
#include "app/reports/records.hpp"
#include "cli/print.hpp"
#include "cli/terminal_text.hpp"
#include "model/text/counts.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

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

constexpr std::tuple finding_members_of_health{
    record_member{"check", "CHECK", &health_finding::check},
    record_member{"level", "LEVEL", [](const health_finding& of) { return name_of(of.level); }},
    record_member{"message", "MESSAGE",
                  [](const health_finding& of) { return well_formed(of.message); }},
    record_member{"advice", "ADVICE", [](const health_finding& of) -> std::optional<std::string> {
                    return of.advice.empty() ? std::nullopt : std::optional{well_formed(of.advice)};
                  }}};

} // namespace

std::size_t count_of(const health_findings& findings, finding_level level) {
  return static_cast<std::size_t>(std::ranges::count(findings, level, &health_finding::level));
}

std::string health_text(const health_findings& findings, bool colours) {
  const auto width = check_width(findings);
  const auto indent = level_width + 2 + width + 2;
  std::string text;
  for (const auto& each : findings) {
    text += fmt::format("{}{:{}}{}  {:{}}  {}\n", colours ? colour_of(each.level) : "",
                        name_of(each.level), level_width, colours ? cli::sgr_plain : "", each.check,
                        width, cli::indented(full_text(each), indent));
  }
  return text + fmt::format("{}, {}, {} ok\n",
                            model::counted(count_of(findings, finding_level::error), "error"),
                            model::counted(count_of(findings, finding_level::warning), "warning"),
                            count_of(findings, finding_level::ok));
}

std::string health_json(const health_findings& findings) {
  model::json_writer out{model::json_escapes::beyond_ascii};
  out.object().name("findings");
  write_records(out, findings, finding_members_of_health);
  out.name("errors").number(count_of(findings, finding_level::error));
  out.name("warnings").number(count_of(findings, finding_level::warning));
  out.name("ok").number(count_of(findings, finding_level::ok)).end_object();
  return out.take() + "\n";
}

} // namespace matchcloud::app
