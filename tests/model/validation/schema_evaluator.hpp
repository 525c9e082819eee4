#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>

namespace matchcloud::model {

/// The text as JSON, with integers for what is written like `1.0` or `1e3` (to JSON Schema these
/// are integers). Null where it is none, or holds a number beyond a double.
rapidjson::Document parse_instance(std::string_view text);

/// Decides with a printed schema, as JSON Schema 2020-12 says, what RapidJSON's validator (draft 4)
/// leaves out: `propertyNames`, all of ECMA-262's patterns. Knows only the keywords that
/// `json_schema` prints and throws on any other, so that none is printed without a test of it.
class schema_evaluator {
public:
  explicit schema_evaluator(std::string_view schema);

  bool accepts(std::string_view body) const;
  bool accepts(const rapidjson::Value& schema, const rapidjson::Value& instance) const;

  const rapidjson::Value& root() const noexcept { return document_; }
  /// What `schema` refers to, or itself.
  const rapidjson::Value& resolved(const rapidjson::Value& schema) const;

private:
  bool check(const rapidjson::Value& schema, std::string_view keyword,
             const rapidjson::Value& operand, const rapidjson::Value& instance) const;
  bool check_string(std::string_view keyword, const rapidjson::Value& operand,
                    const rapidjson::Value& instance) const;
  bool check_object(const rapidjson::Value& schema, std::string_view keyword,
                    const rapidjson::Value& operand, const rapidjson::Value& instance) const;
  bool accepts_additional(const rapidjson::Value& schema, const rapidjson::Value& operand,
                          const rapidjson::Value& instance) const;
  std::size_t count_accepting(const rapidjson::Value& schemas,
                              const rapidjson::Value& instance) const;

  rapidjson::Document document_;
};

/// Whether the ECMA-262 `pattern` matches somewhere in `text`, code point by code point.
bool matches(const std::string& pattern, std::string_view text);

} // namespace matchcloud::model
