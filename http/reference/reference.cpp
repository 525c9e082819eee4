#include "http/reference/reference.hpp"

#include "base/check.hpp"
#include "http/operations/code.hpp"
#include "http/operations/list.hpp"
#include "model/json/members.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::array path_parameters{
    path_parameter_reference{"game_id", uuid, "A game.", "00000000-0000-4000-8000-000000000001"},
    path_parameter_reference{"namespace_id", uuid, "A namespace of a game.",
                             "00000000-0000-4000-8000-000000000011"},
    path_parameter_reference{"region_id",
                             {R"("type":"string","pattern":"^[a-z0-9-]{1,32}$")"},
                             "A datacenter region.",
                             "lon"},
    path_parameter_reference{"tier", some_text, "A size of game servers.", "basic-1d1"},
    path_parameter_reference{"upload_id", uuid, "The upload of an avatar.",
                             "00000000-0000-4000-8000-000000000104"},
    path_parameter_reference{"file_name",
                             {R"("type":"string","pattern":"^[0-9a-f]{32}\\.(png|jpg)$")"},
                             "The image's name: a digest of its bytes.",
                             "cdfa358e19689248cc4b27590f27f5d0.png"},
    path_parameter_reference{"export_id", uuid, "An export.",
                             "6a0f7c52-91d4-4c7e-8a35-000000000001"},
    path_parameter_reference{"lobby_id", uuid, "A lobby.", "98413323-2b6b-4bef-a11a-2dca887531df"},
    path_parameter_reference{"asset", some_text, "A file's name, as in the pages.", "icon.svg"},
    path_parameter_reference{"token_id", uuid, "A token.", "6a0f7c52-91d4-4c7e-8a35-000000000002"},
    path_parameter_reference{"point",
                             {R"("type":"string","pattern":"^[a-z_.]{1,64}$")"},
                             "A fault point, as `GET /faults` names it.",
                             "avatar.receive"},
};

constexpr std::array headers{
    header_reference{"X-Request-Id", "The request's own id if it is valid, else one that the "
                                     "service made. Problems and the service's log have it too."},
    header_reference{"Connection", "`close` if the connection closes."},
    header_reference{"Cache-Control", "How long the answer may be kept, and by whom."},
    header_reference{"X-Accel-Buffering", "`no`: proxies forward each event at once."},
    header_reference{"ETag", "Identifies the content and its coding."},
    header_reference{"Vary", "The headers of the request that the answer depends on."},
    header_reference{"Content-Encoding", "`gzip` if the answer is compressed."},
    header_reference{"Content-Security-Policy", "What the page may load, and from where."},
    header_reference{"Referrer-Policy", "`no-referrer`."},
    header_reference{"Content-Range", "Which bytes of how many these are."},
    header_reference{"Accept-Ranges", "`bytes`: ranges may be requested."},
    header_reference{"Content-Disposition", "The name under which a browser saves the file."},
    header_reference{"Cross-Origin-Resource-Policy",
                     "Which pages may load the content: `same-origin` or `cross-origin`."},
    header_reference{"X-Content-Type-Options", "`nosniff`: the media type is right as stated."},
    header_reference{"Access-Control-Allow-Origin", "The pages that may read the answer."},
    header_reference{"Access-Control-Expose-Headers", "The headers that those pages may read."},
    header_reference{"Timing-Allow-Origin", "The pages that may read exact times."},
    header_reference{"Location", "The file's URL, valid for a minute."},
    header_reference{"WWW-Authenticate", "The scheme, and why a token was refused."},
    header_reference{"Retry-After", "Seconds to wait before retrying.", count},
    header_reference{"RateLimit-Policy", "The limit that the request exceeds."},
    header_reference{"RateLimit", "What is left of that limit, and for how long."},
    header_reference{"Accept-Encoding", "`identity`: bodies must not be compressed."},
};

constexpr std::array data_tags{
    tag_reference{"avatars", "Custom avatars and their images."},
    tag_reference{"exports", "Lobby history as a file."},
    tag_reference{"reference", "This document."},
    tag_reference{"regions", "Where a player plays best."},
    tag_reference{"validation", "Whether a payload may be created."},
};

constexpr std::array ops_tags{
    tag_reference{"access", "Tokens, and who changed what."},
    tag_reference{"catalog", "Games, namespaces, regions and tiers."},
    tag_reference{"faults", "Making the service fail on purpose."},
    tag_reference{"lobbies", "The history of lobbies."},
    tag_reference{"players", "Where players are, which regions they get, and their avatars."},
    tag_reference{"reference", "This document, the data plane's, and the pages."},
    tag_reference{"reports", "The state of the service."},
    tag_reference{"validation", "Whether a payload may be created."},
};

operation_references make_references(plane of) {
  operation_references all;
  for (const auto& row : operations) {
    if (row.plane != of || row.id == operation::unmatched) continue;
    const auto& code = code_of(row.id);
    for (auto& each : code.reference ? operation_references{code.reference()} : code.references()) {
      each.id = row.id;
      all.push_back(std::move(each));
    }
  }
  return all;
}

using base::errc;

void add(std::vector<errc>& to, std::initializer_list<errc> more) {
  to.insert(to.end(), more);
}

/// Errors of the transport, the gate and supervision, which every request may get.
constexpr auto of_all = {errc::request_malformed,
                         errc::target_too_long,
                         errc::head_too_large,
                         errc::body_too_large,
                         errc::version_unsupported,
                         errc::transfer_coding_unsupported,
                         errc::expectation_failed,
                         errc::head_timeout,
                         errc::body_timeout,
                         errc::rate_limited,
                         errc::content_coding_unsupported,
                         errc::overloaded,
                         errc::budget_exhausted,
                         errc::unavailable,
                         errc::draining,
                         errc::deadline_exceeded,
                         errc::internal};

bool is_uuid(std::string_view parameter) {
  return parameter == "game_id" || parameter == "upload_id" || parameter == "export_id" ||
         parameter == "token_id" || parameter == "namespace_id";
}

bool has_uuid(std::string_view path) {
  for (auto begin = path.find('{'); begin != path.npos; begin = path.find('{', begin + 1))
    if (is_uuid(path.substr(begin + 1, path.find('}', begin) - begin - 1))) return true;
  return false;
}

std::vector<errc> each_once(std::vector<errc> all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

using value = rapidjson::Value;
using pool = rapidjson::Document::AllocatorType;

value copy_of(std::string_view from, pool& in) {
  return value{from.data(), static_cast<rapidjson::SizeType>(from.size()), in};
}

bool is_integer(const value& schema) {
  const auto type = schema.FindMember("type");
  if (type == schema.MemberEnd()) return false;
  if (!type->value.IsArray()) return type->value == "integer";
  for (const auto& each : type->value.GetArray())
    if (each == "integer") return true;
  return false;
}

const value* find(const value& schema, const char* name) {
  const auto found = schema.FindMember(name);
  return found == schema.MemberEnd() ? nullptr : &found->value;
}

/// The smallest format that holds all integers of a schema.
std::string_view format_of(const value& schema) {
  const auto* least = find(schema, "minimum");
  const auto* most = find(schema, "maximum");
  if (most != nullptr && !most->IsInt64()) return "uint64";
  return least != nullptr && most != nullptr && least->IsInt() && most->IsInt() ? "int32" : "int64";
}

/// Recurses as deep as the schemas of this program are nested.
void add_formats(value& in, bool is_condition, pool& memory) {
  if (in.IsArray())
    for (auto& each : in.GetArray())
      add_formats(each, is_condition, memory);
  if (!in.IsObject()) return;
  for (auto member = in.MemberBegin(); member < in.MemberEnd(); ++member)
    add_formats(member->value,
                is_condition || member->name == "allOf" || member->name == "anyOf" ||
                    member->name == "not",
                memory);
  const bool is_declared = !is_condition || find(in, "description") != nullptr;
  if (is_declared && is_integer(in) && !in.HasMember("format"))
    in.AddMember("format", copy_of(format_of(in), memory), memory);
}

} // namespace

const operation_references& references_of(plane of) {
  static const std::array all{make_references(plane::data), make_references(plane::ops)};
  return all[static_cast<std::size_t>(of)];
}

std::span<const tag_reference> tags_of(plane of) noexcept {
  return of == plane::data ? std::span<const tag_reference>{data_tags} : ops_tags;
}

const named_schema* find_schema(std::string_view name) {
  for (const auto of : {plane::data, plane::ops})
    for (const auto& operation : references_of(of))
      for (const auto& each : operation.schemas)
        if (each.name == name) return &each;
  return nullptr;
}

const path_parameter_reference& path_parameter(std::string_view name) noexcept {
  const auto* found = std::ranges::find(path_parameters, name, &path_parameter_reference::name);
  return found == path_parameters.end() ? path_parameters.front() : *found;
}

std::span<const header_reference> answer_headers() noexcept {
  return headers;
}

std::vector<errc> errors_of(const operation_reference& what) {
  const auto& row = row_of(what.id);
  const auto path = what.path.empty() ? row.path : what.path;
  std::vector<errc> all{of_all};
  if (path.find('{') != path.npos) add(all, {errc::target_malformed});
  if (has_uuid(path)) add(all, {errc::id_malformed});
  if (row.body != body_kind::none && !row.takes_any_type) add(all, {errc::media_type_unsupported});
  if (row.body == body_kind::json && what.body.is_required && !what.body.has_own_errors)
    add(all, {errc::body_malformed, errc::body_too_deep, errc::body_not_object});
  if (row.plane == plane::ops || row.is_about_game) add(all, {errc::host_not_allowed});
  // On the data plane, too, if a page sends a body without its type.
  if (row.plane == plane::ops || row.is_about_game || row.body != body_kind::none)
    add(all, {errc::origin_not_allowed});
  if (!row.allowed.is_empty())
    add(all, {errc::token_missing, errc::token_malformed, errc::token_unknown, errc::token_expired,
              errc::token_revoked, errc::store_failed});
  if (!row.allowed.is_empty() && !has_all(row.allowed)) add(all, {errc::not_permitted});
  if (row.needs_fault_injection) add(all, {errc::route_not_found});
  if (!row.is_repeatable) add(all, {errc::outcome_unknown});
  all.insert(all.end(), what.errors.begin(), what.errors.end());
  return each_once(std::move(all));
}

std::vector<errc> errors_without_operation() {
  return {errc::method_not_implemented, errc::target_malformed, errc::route_not_found,
          errc::method_not_allowed};
}

std::vector<errc> errors_of(plane of) {
  auto all = errors_without_operation();
  for (const auto& each : references_of(of)) {
    const auto more = errors_of(each);
    all.insert(all.end(), more.begin(), more.end());
  }
  return each_once(std::move(all));
}

void show_failures(base::metric_set& in, const base::metric_text& text) {
  std::set<std::pair<std::string_view, std::string>> samples;
  const auto show = [&samples](operation which, errc code) {
    if (const int status = base::describe(code).status;
        status >= 500 && status != 501 && status != 505)
      samples.emplace(row_of(which).name, base::label_value(status));
  };
  for (const auto of : {plane::data, plane::ops})
    for (const auto& each : references_of(of))
      for (const auto code : errors_of(each))
        show(each.id, code);
  // A request that is refused before its path is read, such as one more than max-in-flight.
  for (const auto code : of_all)
    show(operation::unmatched, code);
  in.add(base::metric_type::counter, {text.name, text.help},
         [samples = std::move(samples)](const base::metric_set::sink& to) {
           for (const auto& [operation, status] : samples)
             to({{"operation", operation}, {"status", status}}, {});
         });
}

std::string_view refusal_headers(int status) noexcept {
  switch (status) {
  case 401:
  case 403: return "WWW-Authenticate";
  case 412: return "Vary ETag Accept-Ranges Cache-Control";
  case 415: return "Accept-Encoding";
  case 416: return "Content-Range Vary Accept-Ranges Cache-Control";
  case 429: return "Retry-After RateLimit-Policy RateLimit";
  case 503: return "Retry-After";
  default: return {};
  }
}

std::string document_schema(std::string_view schema) {
  auto document = model::parse_members(schema);
  base::check(!document.IsNull(), "a schema of the tables is JSON");
  auto& memory = document.GetAllocator();
  add_formats(document, false, memory);
  return model::as_json(document);
}

} // namespace matchcloud::http
