#include "app/reports/findings_report.hpp"
#include "base/build_info.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

/// A file's name as a URI reference (RFC 3986); absolute names get the scheme `file:`.
std::string uri_of(std::string_view file) {
  constexpr std::string_view unreserved = "-._~/";
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || unreserved.find(c) != unreserved.npos;
    if (is_plain) {
      uri += c;
      continue;
    }
    std::array<char, 4> escape{};
    std::snprintf(escape.data(), escape.size(), "%%%02X", static_cast<unsigned char>(c));
    uri += escape.data();
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

} // namespace matchcloud::app
