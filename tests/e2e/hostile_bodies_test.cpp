// Edge cases of JSON, named as in JSON test suites: n_ must be refused, y_ must be accepted, i_ may
// be either. None may be an internal error of the service.
#include "tests/catch.hpp"
#include "tests/service/shared_servers.hpp"

#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using namespace std::string_literals;

struct text_case {
  std::string name;
  std::string text;
};

/// A body in which `value` is the value of an unknown member: it only has to be JSON.
std::string with(const std::string& value) {
  return R"({"display_name":"Team","x":)" + value + "}";
}

std::vector<text_case> malformed_values() {
  return {
      {"n_array_trailing_comma", "[1,]"},
      {"n_array_leading_comma", "[,1]"},
      {"n_array_two_commas", "[1,,2]"},
      {"n_array_only_comma", "[,]"},
      {"n_array_no_comma", "[1 2]"},
      {"n_array_colon", "[1:2]"},
      {"n_array_unclosed", "[1"},
      {"n_array_closed_by_brace", "[1}"},
      {"n_object_trailing_comma", R"({"a":1,})"},
      {"n_object_only_comma", "{,}"},
      {"n_object_no_colon", R"({"a" 1})"},
      {"n_object_no_value", R"({"a":})"},
      {"n_object_two_colons", R"({"a"::1})"},
      {"n_object_no_comma", R"({"a":1 "b":2})"},
      {"n_object_bare_key", "{a:1}"},
      {"n_object_single_quoted_key", "{'a':1}"},
      {"n_object_number_key", "{1:1}"},
      {"n_object_null_key", "{null:1}"},
      {"n_object_key_alone", R"({"a"})"},
      {"n_object_closed_by_bracket", R"({"a":1])"},
      {"n_number_leading_zero", "01"},
      {"n_number_minus_leading_zero", "-01"},
      {"n_number_plus", "+1"},
      {"n_number_minus_alone", "-"},
      {"n_number_two_minus", "--1"},
      {"n_number_minus_space", "- 1"},
      {"n_number_no_integer", ".5"},
      {"n_number_no_fraction", "1."},
      {"n_number_no_fraction_exponent", "1.e1"},
      {"n_number_exponent_alone", "1e"},
      {"n_number_exponent_sign_alone", "1e+"},
      {"n_number_exponent_fraction", "1e1.5"},
      {"n_number_hexadecimal", "0x1F"},
      {"n_number_octal", "0o17"},
      {"n_number_underscore", "1_000"},
      {"n_number_thousands", "1,000"},
      {"n_number_nan", "NaN"},
      {"n_number_infinity", "Infinity"},
      {"n_number_minus_infinity", "-Infinity"},
      {"n_number_fullwidth_digit", "\xef\xbc\x91"},
      {"n_literal_upper", "True"},
      {"n_literal_cut", "tru"},
      {"n_literal_longer", "nulll"},
      {"n_literal_undefined", "undefined"},
      {"n_string_single_quotes", "'a'"},
      {"n_string_unclosed", "\"a"},
      {"n_string_backslash_end", R"("a\")"},
      {"n_string_bad_escape", R"("\x41")"},
      {"n_string_escaped_quote_single", R"("\'")"},
      {"n_string_escaped_digit", R"("\0")"},
      {"n_string_unicode_cut", R"("\u12")"},
      {"n_string_unicode_letter", R"("\u12G4")"},
      {"n_string_unicode_upper_u", R"("\U0041")"},
      {"n_string_raw_newline", "\"a\nb\""},
      {"n_string_raw_tab", "\"a\tb\""},
      {"n_string_raw_nul", "\"a\0b\""s},
      {"n_string_raw_escape", "\"\x1b\""},
      {"n_string_continuation_alone", "\"\x80\""},
      {"n_string_cut_sequence", "\"\xe2\x82\""},
      {"n_string_overlong", "\"\xc0\xaf\""},
      {"n_string_overlong_nul", "\"\xc0\x80\""},
      {"n_string_surrogate_bytes", "\"\xed\xa0\x80\""},
      {"n_string_beyond_unicode", "\"\xf4\x90\x80\x80\""},
      {"n_string_byte_ff", "\"\xff\""},
      {"n_space_form_feed", "\f1"},
      {"n_space_vertical_tab", "\v1"},
      {"n_space_no_break", "\xc2\xa0"
                           "1"},
      {"n_space_line_separator", "\xe2\x80\xa8"
                                 "1"},
      {"n_comment_block", "/* a */ 1"},
      {"n_comment_line", "1 // a\n"},
      {"n_comment_hash", "1 # a\n"},
      {"n_value_missing", ""},
      {"n_value_nul", "\0"s},
      {"n_value_backtick", "`a`"},
  };
}

std::vector<text_case> malformed_documents() {
  return {
      {"n_document_empty", ""},
      {"n_document_space", " \t\r\n"},
      {"n_document_two", "{}{}"},
      {"n_document_two_lines", "{}\n{}"},
      {"n_document_trailing_comma", "{},"},
      {"n_document_trailing_brace", "{}}"},
      {"n_document_trailing_nul", "{}\0"s},
      {"n_document_unclosed", "{"},
      {"n_document_open_string", "{\""},
      {"n_document_comma", ","},
      {"n_document_colon", ":"},
      {"n_document_html", "<html></html>"},
      {"n_document_form", "display_name=Team"},
      {"n_document_utf16_le", "{\0}\0"s},
      {"n_document_utf16_be", "\0{\0}"s},
      {"n_document_utf16_mark", "\xff\xfe{\0}\0"s},
      {"n_document_gzip", "\x1f\x8b\x08\0\0\0\0\0"s},
  };
}

std::vector<text_case> sound_values() {
  return {
      {"y_null", "null"},
      {"y_true", "true"},
      {"y_false", "false"},
      {"y_number_zero", "0"},
      {"y_number_minus_zero", "-0"},
      {"y_number_integer", "-17"},
      {"y_number_fraction", "0.125"},
      {"y_number_exponent", "1e3"},
      {"y_number_exponent_upper", "1E+2"},
      {"y_number_exponent_minus", "-1.5e-3"},
      {"y_number_exponent_zeros", "1e0003"},
      {"y_number_thirty_digits", "123456789012345678901234567890"},
      {"y_number_2_64", "18446744073709551616"},
      {"y_number_long_fraction", "0." + std::string(400, '3')},
      {"y_number_underflow", "1e-400"},
      {"y_string_empty", R"("")"},
      {"y_string_escapes", R"("\" \\ \/ \b \f \n \r \t")"},
      {"y_string_unicode_escape", R"("\u0041\u00e9")"},
      {"y_string_escaped_nul", R"("\u0000")"},
      {"y_string_pair", R"("\ud83d\ude00")"},
      {"y_string_utf8", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
      {"y_string_delete", "\"\x7f\""},
      {"y_string_line_separators", "\"\xe2\x80\xa8\xe2\x80\xa9\""},
      {"y_string_noncharacter", "\"\xef\xbf\xbf\""},
      {"y_string_last_character", "\"\xf4\x8f\xbf\xbf\""},
      {"y_string_comment", R"("/* a */ // b")"},
      {"y_string_long", '"' + std::string(100'000, 'a') + '"'},
      {"y_array_empty", "[]"},
      {"y_array_nested", "[[[]],[]]"},
      {"y_array_mixed", R"([null,true,1,"a",{}])"},
      {"y_array_long", "[0" + std::string(50'000, ' ') + ",1]"},
      {"y_object_empty", "{}"},
      {"y_object_empty_key", R"({"":0})"},
      {"y_object_escaped_key", R"({"\u0061":1})"},
      {"y_object_nested", R"({"a":{"b":[{"c":{}}]}})"},
      {"y_space", " \t\r\n 1 \t\r\n "},
  };
}

std::vector<text_case> undecided_values() {
  return {
      {"i_number_overflow", "1e400"},
      {"i_number_minus_overflow", "-1e400"},
      {"i_number_huge_exponent", "1e99999999999999999999"},
      {"i_number_long", std::string(20'000, '9')},
      {"i_string_high_surrogate_alone", R"("\ud800")"},
      {"i_string_low_surrogate_alone", R"("\udc00")"},
      {"i_string_surrogates_swapped", R"("\udc00\ud800")"},
      {"i_object_key_twice", R"({"a":1,"a":2})"},
      {"i_array_deep", std::string(500, '[') + std::string(500, ']')},
      {"i_array_deep_unclosed", std::string(100'000, '[')},
      {"i_object_deep_unclosed",
       [] {
         std::string text;
         for (int i = 0; i < 20'000; ++i)
           text += R"({"a":)";
         return text;
       }()},
  };
}

class validating_client {
public:
  answer post(const std::string& target, const std::string& body) {
    return client_.ask(request("POST", target, body));
  }

private:
  raw_connection client_{plain_server().data()};
};

TEST_CASE("bodies that are no JSON are refused, wherever they break", "[operations][hostile]") {
  validating_client client;
  const auto check = [&](const std::string& text) {
    const auto got = client.post(groups_target, text);
    INFO(got.body);
    CHECK(got.status == 400);
    CHECK(got.problem_code() == "body_malformed");
  };
  for (const auto& each : malformed_values()) {
    INFO(each.name);
    check(each.text);
    check(with(each.text));
    check(with("[1," + each.text + "]"));
  }
  for (const auto& each : malformed_documents()) {
    INFO(each.name);
    check(each.text);
  }
}

TEST_CASE("bodies that are JSON are read, whatever they hold", "[operations][hostile]") {
  validating_client client;
  for (const auto& each : sound_values()) {
    INFO(each.name);
    for (const auto& target : {groups_target, games_target}) {
      const auto got = client.post(target, with(each.text));
      CHECK(got.status == 200);
      CHECK(got.body == R"({"errors":[]})");
    }
    // As a whole document, the text is no object, or an object without a name.
    const auto alone = client.post(groups_target, each.text);
    const bool object = each.text.starts_with('{');
    CHECK(alone.status == (object ? 200 : 400));
    if (!object) CHECK(alone.problem_code() == "body_not_object");
  }
}

TEST_CASE("bodies on which JSON leaves a choice never make the service fail",
          "[operations][hostile]") {
  validating_client client;
  for (const auto& each : undecided_values())
    for (const auto& text : {each.text, with(each.text)}) {
      INFO(each.name);
      const auto status = client.post(groups_target, text).status;
      CHECK((status == 200 || status == 400));
    }
  check_serves(plain_server().data());
}

} // namespace
