#include "app/reports/findings_report.hpp"

#include "base/build_info.hpp"
#include "base/characters.hpp"
#include "cli/terminal_text.hpp"
#include "model/json/record.hpp"
#include "model/text/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <vector>

namespace matchcloud::app {

namespace {

class text_report final : public findings_report {
public:
  explicit text_report(bool colours) : colours_{colours} {}

  std::string add(const validated_file& file) override {
    std::string text;
    if (file.error) append_error(text, file, *file.error);
    for (const auto& each : file.findings) {
      append_line(text, placed(file, each.at), each.found.code, each.found.message);
      append_excerpt(text, file.text, each.found.offset);
    }
    return text;
  }

private:
  static std::string placed(const validated_file& file, const model::text_position& at) {
    return printable_name(file.name) + ":" + std::to_string(at.line) + ":" +
           std::to_string(at.column);
  }

  std::string painted(std::string_view colour, std::string_view text) const {
    std::string out;
    if (colours_) out += colour;
    out += text;
    if (colours_) out += cli::sgr_plain;
    return out;
  }

  void append_error(std::string& text, const validated_file& file,
                    const unusable_file& error) const {
    const auto code = base::describe(error.code).code;
    append_line(text, error.offset ? placed(file, error.at) : printable_name(file.name), code,
                error.message);
    if (error.offset) append_excerpt(text, file.text, *error.offset);
  }

  void append_line(std::string& text, const std::string& place, std::string_view code,
                   std::string_view message) const {
    text += painted(cli::sgr_bold, place + ":") + " " +
            painted(cli::sgr_bold_red, std::string{code} + ":") + " ";
    text.append(message).append("\n");
  }

  /// The line around the place, with a caret below it. A file may be one long line.
  void append_excerpt(std::string& text, std::string_view source, std::size_t offset) const {
    constexpr base::character_set continuation{
        [](unsigned char c) { return (c & 0xC0U) == 0x80; }}; // of a character in UTF-8
    constexpr std::size_t most_characters = 60;               // on either side
    constexpr std::size_t character_bytes = 4;
    const auto place = std::min(offset, source.size());
    const auto begin = place - std::min(place, most_characters);
    auto before = source.substr(begin, place - begin);
    before.remove_prefix(continuation.span(before));
    before.remove_prefix(before.rfind('\n') + 1);
    auto after = source.substr(place, most_characters * character_bytes);
    after = after.substr(0, after.find_first_of("\r\n"));
    const auto printable = [](std::string_view part) {
      auto shown = well_formed(part);
      std::ranges::replace(shown, '\t', ' ');
      return model::printable_excerpt(shown, most_characters);
    };
    const auto margin = printable(before);
    const auto line = margin + printable(after);
    // There is nothing to point at, for example at the end of a file after its last line.
    if (line.find_first_not_of(' ') == line.npos) return;
    text += line + "\n" + std::string(model::count_code_points(margin), ' ') +
            painted(cli::sgr_bold_green, "^") + "\n";
  }

  bool colours_;
};

} // namespace

std::string well_formed(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const auto bytes = model::decode_utf8(text).bytes;
    made += bytes == 0 ? std::string_view{"\uFFFD"} : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return made;
}

std::string printable_name(std::string_view file) {
  return model::printable_excerpt(well_formed(file), file.size());
}

std::unique_ptr<findings_report> make_text_report(bool colours) {
  return std::make_unique<text_report>(colours);
}

namespace {

class json_report final : public findings_report {
public:
  std::string begin() override {
    out_.object().name("files").array();
    return out_.take();
  }

  std::string add(const validated_file& file) override {
    out_.object().name("file").text(well_formed(file.name)).name("kind").text(name_of(file.kind));
    out_.name("errors").array();
    for (const auto& each : file.findings)
      write(each);
    out_.end_array();
    if (file.error) write(*file.error);
    out_.end_object();
    findings_ += file.findings.size();
    return out_.take();
  }

  std::string end() override {
    out_.end_array().name("findings").number(findings_).end_object();
    return out_.take() + "\n";
  }

private:
  void write(const placed_finding& each) {
    model::write(out_.object().name("path"), each.found.path);
    out_.name("code").text(each.found.code).name("message").text(each.found.message);
    write_place(each.at, each.found.offset);
    out_.end_object();
  }

  void write(const unusable_file& error) {
    out_.name("error").object().name("code").text(base::describe(error.code).code);
    out_.name("message").text(error.message);
    if (error.offset) write_place(error.at, *error.offset);
    out_.end_object();
  }

  void write_place(const model::text_position& at, std::size_t offset) {
    out_.name("line").number(at.line).name("column").number(at.column);
    out_.name("offset").number(offset);
  }

  model::json_writer out_{model::json_escapes::beyond_ascii};
  std::uint64_t findings_ = 0;
};

} // namespace

std::unique_ptr<findings_report> make_json_report() {
  return std::make_unique<json_report>();
}

namespace {

/// A file's name as a URI reference (RFC 3986); absolute names get the scheme `file:`.
std::string uri_of(std::string_view file) {
  constexpr std::string_view unreserved = "-._~/";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if (base::is_alphanumeric(byte) || unreserved.find(c) != unreserved.npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", byte);
  }
  return uri;
}

/// A path as a JSON pointer (RFC 6901).
std::string pointer_to(const std::vector<std::string>& path) {
  std::string pointer;
  for (const auto& step : path) {
    pointer += '/';
    for (const char c : step)
      pointer += c == '~' ? std::string{"~0"} : c == '/' ? std::string{"~1"} : std::string{c};
  }
  return pointer;
}

class sarif_report final : public findings_report {
public:
  std::string begin() override {
    out_.object().name("version").text("2.1.0");
    out_.name("$schema").text("https://json.schemastore.org/sarif-2.1.0.json");
    out_.name("runs").array().object().name("columnKind").text("unicodeCodePoints");
    out_.name("results").array();
    return out_.take();
  }

  std::string add(const validated_file& file) override {
    const auto uri = uri_of(file.name);
    if (file.error) {
      const auto code = base::describe(file.error->code).code;
      if (file.error->offset) write_result(code, file.error->message, uri, file.error->at, {});
      failures_.push_back({std::string{code}, file.error->message, uri});
    }
    for (const auto& each : file.findings)
      write_result(each.found.code, each.found.message, uri, each.at, pointer_to(each.found.path));
    return out_.take();
  }

  std::string end() override {
    out_.end_array().name("tool").object().name("driver").object();
    out_.name("name").text("matchcloud").name("version").text(base::built().version);
    out_.name("rules").array();
    for (const auto& code : codes_)
      out_.object().name("id").text(code).end_object();
    out_.end_array().end_object().end_object();
    write_invocation();
    out_.end_object().end_array().end_object();
    return out_.take() + "\n";
  }

private:
  /// A file that could not be validated.
  struct failure {
    std::string code;
    std::string message;
    std::string uri;
  };

  void write_result(std::string_view code, std::string_view message, std::string_view uri,
                    const model::text_position& at, const std::string& pointer) {
    if (std::ranges::find(codes_, code) == codes_.end()) codes_.emplace_back(code);
    out_.object().name("ruleId").text(code).name("level").text("error");
    write_message(message);
    out_.name("locations").array().object();
    out_.name("physicalLocation").object();
    write_artifact(uri);
    out_.name("region").object().name("startLine").number(at.line);
    out_.name("startColumn").number(at.column).end_object().end_object();
    if (!pointer.empty())
      out_.name("logicalLocations")
          .array()
          .object()
          .name("fullyQualifiedName")
          .text(pointer)
          .end_object()
          .end_array();
    out_.end_object().end_array().end_object();
  }

  void write_invocation() {
    out_.name("invocations").array().object();
    out_.name("executionSuccessful").boolean(failures_.empty());
    out_.name("toolExecutionNotifications").array();
    for (const auto& each : failures_) {
      out_.object().name("level").text("error");
      out_.name("descriptor").object().name("id").text(each.code).end_object();
      write_message(each.message);
      out_.name("locations").array().object().name("physicalLocation").object();
      write_artifact(each.uri);
      out_.end_object().end_object().end_array().end_object();
    }
    out_.end_array().end_object().end_array();
  }

  void write_message(std::string_view text) {
    out_.name("message").object().name("text").text(text).end_object();
  }

  void write_artifact(std::string_view uri) {
    out_.name("artifactLocation").object().name("uri").text(uri).end_object();
  }

  model::json_writer out_{model::json_escapes::beyond_ascii};
  /// The codes in the order of their first use; bounded by the number of codes that exist.
  std::vector<std::string> codes_;
  std::vector<failure> failures_;
};

} // namespace

std::unique_ptr<findings_report> make_sarif_report() {
  return std::make_unique<sarif_report>();
}

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
