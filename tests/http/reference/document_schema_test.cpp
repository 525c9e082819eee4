#include "http/reference/reference.hpp"

#include "tests/catch.hpp"

#include <string_view>

namespace matchcloud::http {
namespace {

TEST_CASE("a schema is written without white space, and texts keep theirs") {
  CHECK(document_schema("{ \"type\": \"string\",\n  \"description\": \"two  words\" }") ==
        R"({"type":"string","description":"two  words"})");
}

TEST_CASE("an integer gets the smallest format that holds it") {
  const auto format = [](std::string_view bounds) {
    const auto made = document_schema(R"({"type":"integer")" + std::string{bounds} + "}");
    const std::string_view mark = R"("format":")";
    const auto begin = made.find(mark) + mark.size();
    return made.substr(begin, made.find('"', begin) - begin);
  };
  CHECK(format("") == "int64");
  CHECK(format(R"(,"minimum":0)") == "int64");
  CHECK(format(R"(,"maximum":5)") == "int64");
  CHECK(format(R"(,"minimum":-2147483648,"maximum":2147483647)") == "int32");
  CHECK(format(R"(,"minimum":-2147483649,"maximum":2147483647)") == "int64");
  CHECK(format(R"(,"minimum":0,"maximum":2147483648)") == "int64");
  CHECK(format(R"(,"minimum":0,"maximum":9223372036854775807)") == "int64");
  CHECK(format(R"(,"minimum":0,"maximum":9223372036854775808)") == "uint64");
  CHECK(format(R"(,"minimum":0,"maximum":18446744073709551615)") == "uint64");
  CHECK(format(R"(,"format":"of-its-own")") == "of-its-own");
}

TEST_CASE("integers get formats wherever they are declared, and conditions none") {
  CHECK(document_schema(R"({"properties":{"a":{"type":["integer","null"]}}})") ==
        R"({"properties":{"a":{"type":["integer","null"],"format":"int64"}}})");
  CHECK(document_schema(R"({"type":"array","items":{"type":"integer"}})") ==
        R"({"type":"array","items":{"type":"integer","format":"int64"}})");
  // A property that happens to be called `type`.
  CHECK(document_schema(R"({"properties":{"type":{"type":"integer"}}})") ==
        R"({"properties":{"type":{"type":"integer","format":"int64"}}})");
  constexpr std::string_view condition = R"({"anyOf":[{"properties":{"a":{"type":"integer"}}}]})";
  CHECK(document_schema(condition) == condition);
  CHECK(document_schema(R"({"allOf":[{"properties":{"a":{"type":"integer","description":"A."}}}]})")
            .find(R"("format":"int64")") != std::string::npos);
}

} // namespace
} // namespace matchcloud::http
