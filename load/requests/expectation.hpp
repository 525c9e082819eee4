#pragma once

#include "model/json/rapidjson.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// One place of a JSON body: the reference tokens of its JSON pointer (RFC 6901).
using json_place = std::vector<std::string>;

/// Reads a JSON pointer; nothing if the text is not one.
std::optional<json_place> parse_json_pointer(std::string_view text);
/// The value at the place, or null.
const rapidjson::Value* find_json(const rapidjson::Value& in, const json_place& place);
/// The value as text: a string as it is, anything else as JSON.
std::string json_text(const rapidjson::Value& of);

/// The value of the first header with this name in a reply's head; nothing if there is none.
/// Ignores the case of names.
std::optional<std::string_view> find_header(std::string_view head, std::string_view name);

/// What a reply must have besides its status. Immutable; any thread.
struct expectation {
  struct json_condition {
    /// The pointer as it was written.
    std::string pointer;
    json_place place;
    /// The value that must be there; null for any value.
    std::shared_ptr<const rapidjson::Document> value;
  };
  struct header_condition {
    std::string name;
    /// The value that it must have; empty for any value.
    std::optional<std::string> value;
  };

  std::vector<json_condition> json;
  std::vector<header_condition> headers;

  /// What is wrong with the head of a reply, or nothing (empty).
  std::string judge_head(std::string_view head) const;
  /// What is wrong with the body, without its encoding, or nothing (empty). Bodies are read only if
  /// something is expected of them.
  std::string judge_body(std::string_view body) const;
};

} // namespace matchcloud::load
