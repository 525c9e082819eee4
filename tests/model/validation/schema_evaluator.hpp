#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>

namespace matchcloud::model {

/// Parses the text as JSON. Numbers such as `1.0` or `1e3` become integers, as JSON Schema defines
/// them. Null if the text is not JSON or holds a number beyond the range of a double.
rapidjson::Document parse_instance(std::string_view text);

/// Evaluates a printed schema by JSON Schema 2020-12, including what RapidJSON's validator (draft
/// 4) lacks: `propertyNames` and all of ECMA-262's patterns. Supports only the keywords that
/// `json_schema` prints and throws on any other, so that no keyword is printed without a test.
class schema_evaluator {
public:
  explicit schema_evaluator(std::string_view schema);

  bool accepts(std::string_view body) const;
  bool accepts(const rapidjson::Value& schema, const rapidjson::Value& instance) const;

  const rapidjson::Value& root() const noexcept { return document_; }
  /// The schema that `schema` refers to, or `schema` itself.
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

/// Whether the ECMA-262 `pattern` matches anywhere in `text`, by code points.
bool matches(const std::string& pattern, std::string_view text);

} // namespace matchcloud::model
