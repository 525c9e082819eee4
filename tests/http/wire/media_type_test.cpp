#include "http/wire/message_lines.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::http {
namespace {

TEST_CASE("a media type is told in any case and with any parameters") {
  for (const std::string type : {"application/json", "Application/JSON", "application/json;a=b",
                                 "application/json ; charset=x", "application/json\t"})
    CHECK(is_json(type));
  for (const std::string type : {"", "application/jsonl", "text/json", "application/json,a/b"})
    CHECK_FALSE(is_json(type));
  for (const std::string type : {"application/x-ndjson", "application/ndjson; charset=utf-8",
                                 "application/JSONL", "application/x-jsonlines"})
    CHECK(is_json_lines(type));
  for (const std::string type : {"", "application/json", "application/x-ndjsonl", "ndjson"})
    CHECK_FALSE(is_json_lines(type));
}

TEST_CASE("a charset is Unicode where it is UTF-8, a part of it or not said") {
  for (const std::string parameters :
       {"", ";", "; ", ";;", ";charset=utf-8", "; charset=UTF-8 ", ";Charset=utf8",
        ";charset=\"Utf-8\"", ";charset=us-ascii", ";charset = utf-8", ";charset=", ";charset=\"\"",
        ";charset", ";charset=;charset=utf-8", ";a=charset=x", ";x-charset=latin1"}) {
    CAPTURE(parameters);
    CHECK(has_unicode_charset("application/json" + parameters));
  }
  for (const std::string parameters :
       {";charset=utf-16", ";charset=\"utf-16\"", "; CHARSET=ISO-8859-1", ";charset=utf-80",
        ";charset=utf", ";charset=\"utf-8", ";charset=\"", ";charset=utf-8;charset=latin1",
        ";a=b;charset=latin1;c=d"}) {
    CAPTURE(parameters);
    CHECK_FALSE(has_unicode_charset("application/json" + parameters));
  }
}

TEST_CASE("what a quoted string has is no parameter, and what follows it is one") {
  for (const std::string parameters :
       {R"(;profile="a;charset=x")", R"(;profile="\";charset=x")", R"(;profile="\\";charset=utf-8)",
        R"(;a=";";b=";charset=x;")", R"(;a="never ended;charset=x)", R"(;a="\)"}) {
    CAPTURE(parameters);
    CHECK(has_unicode_charset("application/json" + parameters));
  }
  for (const std::string parameters : {R"(;profile="a;b";charset=x)", R"(;profile="\\";charset=x)",
                                       R"(;a="";charset=x)", R"(;profile="\"";charset=x)"}) {
    CAPTURE(parameters);
    CHECK_FALSE(has_unicode_charset("application/json" + parameters));
  }
}

} // namespace
} // namespace matchcloud::http
