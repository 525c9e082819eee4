#pragma once

#include "base/error.hpp"
#include "http/operations/operation.hpp"
#include "http/wire/response.hpp"
#include "model/json/record.hpp"

#include <string_view>
#include <vector>

/// The documentation of the operations: everything that is not in the tables of operations,
/// validation and errors. All texts have static storage duration. Examples are JSON. The documents
/// add the `format` of integers.
namespace matchcloud::http {

using model::named_schema;
using model::object;
using model::one_of;
using model::schema_of;
using model::schema_type;
using namespace model::types;

/// A parameter of the query or a header that an operation reads.
struct parameter_reference {
  /// `query` or `header`.
  std::string_view in;
  std::string_view name;
  schema_type schema;
  std::string_view description;
  std::string_view example = {};
  bool is_required = false;
};

/// A request body that an operation accepts.
struct body_reference {
  /// Separated by spaces.
  std::string_view media_types = "application/json";
  schema_type schema = {};
  std::string_view description = {};
  /// Whether a request without a body is refused.
  bool is_required = true;
  /// Whether the operation refuses invalid JSON with errors of its own.
  bool has_own_errors = false;
  /// A body for which the demo data returns the first of `answers`.
  std::string_view example = {};
};

/// An answer other than a problem.
struct answer_reference {
  int status = 200;
  std::string_view description;
  /// The names of headers, separated by spaces, in addition to those of every answer.
  std::string_view headers = {};
  /// Separated by spaces; empty: no body.
  std::string_view media_types = {};
  schema_type schema = {};
  std::string_view example = {};
  /// Whether it is a part of a file, with `Content-Range`.
  bool is_part = false;
};

/// An operation as it is documented. A row of the table may have several, for the kinds of elements
/// that its path stands for.
struct operation_reference {
  /// `references_of` sets it.
  http::operation id = operation::unmatched;
  /// Empty: the name of the row.
  std::string_view name = {};
  std::string_view path = {};
  std::string_view tag;
  std::string_view summary;
  std::string_view description;
  std::vector<parameter_reference> parameters = {};
  body_reference body = {};
  std::vector<answer_reference> answers = {};
  /// The errors of the operation itself, in addition to those that follow from its row.
  std::vector<base::errc> errors = {};
  /// Named schemas that are documented here, even if others refer to them.
  std::vector<named_schema> schemas = {};
};
/// How one operation is documented.
using operation_references = std::vector<operation_reference>;

struct tag_reference {
  std::string_view name;
  std::string_view description;
};

/// A parameter in a path, by its name.
struct path_parameter_reference {
  std::string_view name;
  schema_type schema;
  std::string_view description;
  /// One that the demo data has.
  std::string_view example;
};

/// A header of answers.
struct header_reference {
  std::string_view name;
  std::string_view description;
  schema_type schema = text;
};

// -- what several have --------------------------------------------------------

/// The header of answers that caches must not keep.
inline constexpr std::string_view cache_control = "Cache-Control";

/// An answer in JSON that caches must not keep.
constexpr answer_reference json_answer(int status, std::string_view description, schema_type schema,
                                       std::string_view example = {}) {
  return {status, description, cache_control, json_type, schema, example};
}
constexpr answer_reference json_answer(std::string_view description, schema_type schema,
                                       std::string_view example = {}) {
  return json_answer(200, description, schema, example);
}

// Members of regions.
inline constexpr model::property region_id_member{"region_id", text,
                                                  "The region's id, such as `lon`."};
inline constexpr model::property region_name_member{"region_display_name", text,
                                                    "The name that people see."};
inline constexpr model::property provider_name_member{
    "provider_display_name", text, "The name of the company that runs the datacenter."};
inline constexpr model::property datacenter_member{"datacenter_coord", a("Coordinates"),
                                                   "Where the datacenter is."};

inline constexpr parameter_reference if_none_match_reference{
    "header", "If-None-Match", text,
    "Entity tags that the client has. If one matches, the answer is 304.", R"("\"0\"")"};
inline constexpr parameter_reference if_match_reference{
    "header", "If-Match", text, "Entity tags, or `*`. If none matches strongly, the answer is 412.",
    R"("*")"};
inline constexpr parameter_reference accept_encoding_reference{
    "header", "Accept-Encoding", text, "If it has `gzip`, the answer may be compressed.",
    R"("identity")"};

} // namespace matchcloud::http
