#include "http/reference/openapi.hpp"

#include "base/characters.hpp"
#include "http/reference/reference.hpp"
#include "http/wire/response.hpp"
#include "model/json/json_writer.hpp"
#include "model/validation/json_schema.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

namespace {

using base::errc;
using model::json_writer;

constexpr std::string_view common_headers = "X-Request-Id Connection";
/// Headers of answers with content.
std::string_view content_headers(plane of) {
  return of == plane::ops ? "X-Content-Type-Options Cross-Origin-Resource-Policy"
                          : "X-Content-Type-Options";
}

/// The words of a text that separates them by spaces.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The name of the method in a path item: `get`.
std::string method_of(const operation_row& row) {
  std::string name{name_of(row.method)};
  for (char& c : name)
    c = base::to_lower(c);
  return name;
}

std::string reference_to(std::string_view section, std::string_view name) {
  return "#/components/" + std::string{section} + "/" + std::string{name};
}

void write_reference(json_writer& json, std::string_view section, std::string_view name) {
  json.object().name("$ref").text(reference_to(section, name)).end_object();
}

void write_schema(json_writer& json, const schema_type& of) {
  json.name("schema").raw(document_schema(schema_of(of)));
}

void write_codes(json_writer& json, const std::vector<errc>& codes) {
  json.array();
  for (const auto code : codes)
    json.text(base::describe(code).code);
  json.end_array();
}

/// The names in `section` of the components that JSON refers to.
std::vector<std::string> references_in(std::string_view json, std::string_view section) {
  const auto mark = '"' + reference_to(section, "");
  std::vector<std::string> names;
  for (auto at = json.find(mark); at != json.npos; at = json.find(mark, at)) {
    at += mark.size();
    names.emplace_back(json.substr(at, json.find('"', at) - at));
  }
  return names;
}

named_schema problem() {
  return object(
      "Problem",
      {{"type", text, "`urn:matchcloud:problem:` and the code."},
       {"title", text, "The problem in a few words."},
       {"status", {R"("type":"integer","minimum":400,"maximum":599)"}, "The status of the answer."},
       {"detail", text, "What to change."},
       {"code", a("ProblemCode"), "A stable name."},
       {"message", text, "The same as `detail`."},
       {"request_id", text, "The `X-Request-Id` of the answer."},
       {"trace_id", maybe({R"("type":"string","pattern":"^[0-9a-f]{32}$")"}),
        "The trace id in the request's `traceparent`, if any."},
       {"violated-policies", maybe(list_of(text)), "The rate limit that was exceeded, on 429."}},
      "Why a request was refused (RFC 9457).", true);
}

/// The responses for all errors of one status.
class refusals {
public:
  explicit refusals(plane of) : plane_{of} {}

  /// The name of the component for these codes, which are of the same status. Operations with the
  /// same codes share one.
  std::string name_of(int status, const std::vector<errc>& codes) {
    auto& of_status = known_[status];
    auto found = std::ranges::find(of_status, codes);
    if (found == of_status.end()) {
      of_status.push_back(codes);
      found = of_status.end() - 1;
    }
    return name_of(status, static_cast<std::size_t>(found - of_status.begin()));
  }

  /// All components that were named, as an object.
  std::string render() const {
    json_writer json;
    json.object();
    for (const auto& [status, variants] : known_)
      for (std::size_t i = 0; i < variants.size(); ++i) {
        json.name(name_of(status, i));
        write_one(json, status, variants[i]);
      }
    return json.end_object().take();
  }

  /// Writes a response with these codes, in addition to `also_description` and `also_schema`.
  void write_one(json_writer& json, int status, const std::vector<errc>& codes,
                 std::string_view also_description = {},
                 const schema_type& also_schema = {}) const {
    json.object().name("description");
    std::string text{also_description};
    for (const auto code : codes) {
      const auto about = base::describe(code);
      text.append(text.empty() ? "" : " ").append("`").append(about.code).append("`: ");
      text.append(about.title).append(".");
    }
    json.text(text).name("headers").object();
    write_headers(json, std::string{common_headers} + " " + std::string{content_headers(plane_)} +
                            " " + std::string{refusal_headers(status)} +
                            (plane_ == plane::data
                                 ? " Access-Control-Allow-Origin Access-Control-Expose-Headers"
                                 : "") +
                            // Once: the refusals of ranges and conditions name it themselves.
                            (status != 412 && status != 416 ? " Cache-Control" : ""));
    json.end_object().name("content").object();
    if (!also_schema.empty()) {
      write_schema(json.name(json_type).object(), also_schema);
      json.end_object();
    }
    json.name(problem_type).object().name("schema");
    json.object().name("allOf").array();
    write_reference(json, "schemas", "Problem");
    json.object().name("properties").object().name("code").object().name("enum");
    write_codes(json, codes);
    json.end_object().end_object().end_object();             // code, properties, the second part
    json.end_array().end_object().end_object().end_object(); // allOf, schema, type, content
    json.name("x-codes");
    write_codes(json, codes);
    json.end_object();
  }

  static void write_headers(json_writer& json, std::string_view names) {
    for (const auto name : words_of(names)) {
      json.name(name);
      write_reference(json, "headers", name);
    }
  }

private:
  static std::string name_of(int status, std::size_t variant) {
    return "refused_" + std::to_string(status) + "_" + std::to_string(variant + 1);
  }

  plane plane_;
  std::map<int, std::vector<std::vector<errc>>> known_;
};

class document_writer {
public:
  document_writer(plane of, const openapi_settings& settings)
      : plane_{of}, settings_{settings}, refusals_{of} {}

  std::string write() {
    json_.object().name("openapi").text("3.1.0");
    write_info();
    json_.name("servers").array().object().name("url");
    const bool has_base = plane_ == plane::data && !settings_.base_path.empty();
    json_.text(has_base ? settings_.base_path : "/").end_object().end_array();
    json_.name("tags").array();
    for (const auto& tag : tags_of(plane_)) {
      json_.object().name("name").text(tag.name);
      json_.name("description").text(tag.description).end_object();
    }
    json_.end_array();
    auto whole = json_.take();
    write_paths();
    const auto paths = json_.take();
    whole += paths;
    write_components(paths);
    json_.name("x-codes");
    write_codes(json_, errors_without_operation());
    return whole + json_.end_object().take();
  }

private:
  void write_info() {
    json_.name("info").object().name("title");
    json_.text(plane_ == plane::data ? "matchcloud" : "matchcloud, ops plane");
    json_.name("version").text("1").name("summary");
    json_.text(plane_ == plane::data ? "The cloud side of a multiplayer matchmaker."
                                     : "Health, reports and administration of matchcloud.");
    json_.name("description")
        .text("HEAD works wherever GET does. OPTIONS works everywhere and returns the path's "
              "methods in `Allow`. A refused request gets a problem (RFC 9457) whose `code` is "
              "stable. `x-codes` of a response lists the codes that the operation may return. "
              "`x-codes` of the document lists the codes for requests that reach no operation; "
              "such requests may also get the errors of all operations. Where tokens are required, "
              "a request sends one in `Authorization`; on an open loopback it needs none.");
    json_.raw(R"("contact":{"name":"The operator of this service"},)"
              R"("license":{"name":"As agreed with the operator",)"
              R"("identifier":"LicenseRef-matchcloud"})");
    json_.end_object();
  }

  // -- paths ------------------------------------------------------------------

  static std::string_view path_of(const operation_reference& what) {
    return what.path.empty() ? row_of(what.id).path : what.path;
  }

  void write_paths() {
    const auto& all = references_of(plane_);
    std::vector<std::string_view> paths;
    for (const auto& each : all)
      if (std::ranges::find(paths, path_of(each)) == paths.end()) paths.push_back(path_of(each));
    json_.name("paths").object();
    for (const auto path : paths) {
      json_.name(path).object();
      for (const auto& each : all)
        if (path_of(each) == path) write_operation(each);
      json_.end_object();
    }
    json_.end_object();
  }

  void write_operation(const operation_reference& what) {
    const auto& row = row_of(what.id);
    json_.name(method_of(row)).object();
    json_.name("operationId").text(what.name.empty() ? row.name : what.name);
    json_.name("tags").array().text(what.tag).end_array();
    json_.name("summary").text(what.summary).name("description").text(what.description);
    write_security(row);
    write_parameters(what);
    if (row.body != body_kind::none) write_body(what.body);
    write_answers(what);
    json_.end_object();
  }

  void write_security(const operation_row& row) {
    json_.name("security").array();
    if (row.anonymous == anonymous_access::yes) {
      json_.end_array();
      return;
    }
    json_.object().name("token").array().end_array().end_object();
    json_.object().end_object().end_array();
    json_.name("x-token-kinds").array();
    for (std::size_t i = 0; i < model::token_kind_names.size(); ++i)
      if (row.allowed.has(static_cast<model::token_kind>(i)))
        json_.text(model::token_kind_names[i]);
    json_.end_array();
  }

  void write_parameters(const operation_reference& what) {
    const auto path = path_of(what);
    if (what.parameters.empty() && path.find('{') == path.npos) return;
    json_.name("parameters").array();
    for (auto begin = path.find('{'); begin != path.npos; begin = path.find('{', begin + 1)) {
      const auto& of = path_parameter(path.substr(begin + 1, path.find('}', begin) - begin - 1));
      json_.object().name("name").text(of.name).name("in").text("path").name("required");
      write_schema(json_.boolean(true).name("description").text(of.description), of.schema);
      json_.name("example").text(of.example).end_object();
    }
    for (const auto& of : what.parameters) {
      json_.object().name("name").text(of.name).name("in").text(of.in);
      if (of.is_required) json_.name("required").boolean(true);
      write_schema(json_.name("description").text(of.description), of.schema);
      if (!of.example.empty()) json_.name("example").raw(of.example);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_body(const body_reference& of) {
    json_.name("requestBody").object().name("description").text(of.description);
    json_.name("required").boolean(of.is_required).name("content").object();
    for (const auto type : words_of(of.media_types))
      write_content(type, of.schema, of.example);
    json_.end_object().end_object();
  }

  void write_content(std::string_view media_type, const schema_type& schema,
                     std::string_view example) {
    write_schema(json_.name(media_type).object(), schema);
    if (!example.empty()) json_.name("example").raw(example);
    json_.end_object();
  }

  void write_answers(const operation_reference& what) {
    std::map<int, std::vector<errc>> by_status;
    for (const auto code : errors_of(what))
      by_status[base::describe(code).status].push_back(code);
    json_.name("responses").object();
    for (const auto& answer : what.answers) {
      json_.name(std::to_string(answer.status));
      const auto refused = by_status.extract(answer.status);
      if (refused)
        refusals_.write_one(json_, answer.status, refused.mapped(), answer.description,
                            answer.schema);
      else
        write_answer(answer);
    }
    for (const auto& [status, codes] : by_status) {
      json_.name(std::to_string(status));
      write_reference(json_, "responses", refusals_.name_of(status, codes));
    }
    json_.end_object();
  }

  void write_answer(const answer_reference& answer) {
    json_.object().name("description").text(answer.description).name("headers").object();
    refusals::write_headers(json_, common_headers);
    if (!answer.media_types.empty()) refusals::write_headers(json_, content_headers(plane_));
    refusals::write_headers(json_, answer.headers);
    if (answer.is_part) refusals::write_headers(json_, "Content-Range");
    json_.end_object();
    if (!answer.media_types.empty()) {
      json_.name("content").object();
      for (const auto type : words_of(answer.media_types))
        write_content(type, answer.schema, answer.example);
      json_.end_object();
    }
    json_.end_object();
  }

  // -- components -------------------------------------------------------------

  void write_components(std::string_view paths) {
    json_.name("components").object();
    json_.name("securitySchemes").object().name("token").object().name("type").text("http");
    json_.name("scheme").text("bearer").name("description");
    json_.text("`Authorization: Bearer mc_..`; `x-token-kinds` of an operation names the kinds of "
               "tokens that may call it.");
    json_.end_object().end_object();
    write_schemas(paths);
    const auto responses = refusals_.render();
    write_headers(std::string{paths} + responses);
    json_.name("responses").raw(responses).end_object();
  }

  /// Writes the headers that `json` refers to.
  void write_headers(std::string_view json) {
    const auto used = references_in(json, "headers");
    json_.name("headers").object();
    for (const auto& of : answer_headers()) {
      if (std::ranges::find(used, of.name) == used.end()) continue;
      write_schema(json_.name(of.name).object().name("description").text(of.description),
                   of.schema);
      json_.end_object();
    }
    json_.end_object();
  }

  /// Writes the schemas that the document refers to, and those that they refer to.
  void write_schemas(std::string_view paths) {
    std::map<std::string, std::string, std::less<>> payloads;
    for (const auto kind :
         {model::payload_kind::version, model::payload_kind::game, model::payload_kind::group})
      for (auto& part : model::json_schema_parts(kind, settings_.rules))
        payloads.emplace(std::move(part.name), std::move(part.schema));
    json_.name("schemas").object();
    std::vector<std::string_view> codes;
    for (const auto code : errors_of(plane_))
      codes.push_back(base::describe(code).code);
    json_.name("ProblemCode")
        .raw(one_of("ProblemCode", codes, "Why a request was refused.").schema);
    std::vector<std::string> wanted = references_in(paths, "schemas");
    wanted.emplace_back("Problem");
    std::set<std::string, std::less<>> written{"ProblemCode"};
    while (!wanted.empty()) {
      const auto name = std::move(wanted.back());
      wanted.pop_back();
      if (!written.insert(name).second) continue;
      const auto payload = payloads.find(name);
      const auto schema =
          payload != payloads.end() ? document_schema(payload->second) : schema_named(name);
      json_.name(name).raw(schema);
      for (auto& more : references_in(schema, "schemas"))
        wanted.push_back(std::move(more));
    }
    json_.end_object();
  }

  /// A schema of the tables with the rules in force. The rules change only the export's body.
  std::string schema_named(std::string_view name) const {
    if (name == "Problem") return document_schema(problem().schema);
    const auto* found = find_schema(name);
    if (found == nullptr) return "{}";
    constexpr std::string_view closed = R"("additionalProperties":false,)";
    auto made = document_schema(found->schema);
    if (name == "ExportSpan" && settings_.rules.unknown_members == model::unknown_members::ignore)
      made.erase(made.find(closed), closed.size());
    return made;
  }

  plane plane_;
  const openapi_settings& settings_;
  refusals refusals_;
  json_writer json_;
};

} // namespace

std::string openapi(plane of, const openapi_settings& settings) {
  return document_writer{of, settings}.write();
}

} // namespace matchcloud::http
