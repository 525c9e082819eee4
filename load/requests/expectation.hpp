#pragma once

#include "model/json/rapidjson.hpp"

#include <rapidjson/pointer.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// One place of a JSON body (RFC 6901). In an expectation, `*` stands for each element of a list.
using json_place = rapidjson::Pointer;

/// Reads a JSON pointer; nothing if the text is not one.
std::optional<json_place> parse_json_pointer(std::string_view text);
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
    /// Any value, a certain one, a number of elements or members, or numbers that never fall.
    enum class check : std::uint8_t { any, equal, count, rises } by = check::any;
    /// The value or the number; null without one.
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
