#include "app/reports/findings_report.hpp"

namespace matchcloud::app {

namespace {

/// Escapes a workflow command, which ends at a line end; its properties also end at colons and
/// commas.
std::string escaped(std::string_view text, bool in_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (c == ':' && in_property)
      out += "%3A";
    else if (c == ',' && in_property)
      out += "%2C";
    else
      out += c;
  }
  return out;
}

class github_report final : public findings_report {
public:
  std::string add(const validated_file& file) override {
    std::string text;
    const auto name = printable_name(file.name);
    if (file.error)
      append(text, name, file.error->offset ? &file.error->at : nullptr,
             base::describe(file.error->code).code, file.error->message);
    for (const auto& each : file.findings)
      append(text, name, &each.at, each.found.code, each.found.message);
    return text;
  }

private:
  static void append(std::string& text, std::string_view file, const model::text_position* at,
                     std::string_view code, std::string_view message) {
    text += "::error file=" + escaped(file, true);
    if (at != nullptr)
      text += ",line=" + std::to_string(at->line) + ",col=" + std::to_string(at->column);
    text += ",title=" + escaped(code, true) + "::" + escaped(message, false) + "\n";
  }
};

} // namespace

std::unique_ptr<findings_report> make_github_report() {
  return std::make_unique<github_report>();
}

} // namespace matchcloud::app
