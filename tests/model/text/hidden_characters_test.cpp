// Which words are accepted and refused is listed in validation/display_names.json. Here: the words
// of Debian's locales, and properties of all texts.
#include "model/text/hidden_characters.hpp"

#include "model/text/catalog_names.hpp"
#include "model/text/unicode.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace matchcloud::model;

std::string utf8(char32_t c) {
  const auto part = [c](unsigned shift, unsigned mask, unsigned lead) {
    return static_cast<char>(lead | ((static_cast<unsigned>(c) >> shift) & mask));
  };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {part(6, 0x1F, 0xC0), part(0, 0x3F, 0x80)};
  if (c < 0x10000) return {part(12, 0xF, 0xE0), part(6, 0x3F, 0x80), part(0, 0x3F, 0x80)};
  return {part(18, 7, 0xF0), part(12, 0x3F, 0x80), part(6, 0x3F, 0x80), part(0, 0x3F, 0x80)};
}

/// Replaces `<U0645>`, as locales may write any character.
std::string without_escapes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = text.find('>');
    if (text.starts_with("<U") && end != text.npos) {
      out += utf8(static_cast<char32_t>(std::stoul(std::string{text.substr(2, end - 2)}, {}, 16)));
      text.remove_prefix(end + 1);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

/// The names in a locale's source (locale(5)): of days, months, its language and its country.
std::vector<std::string> names_of(const std::filesystem::path& locale) {
  static const std::set<std::string> keywords{"abday",   "day",        "abmon",     "mon",
                                              "alt_mon", "ab_alt_mon", "lang_name", "country_name"};
  std::vector<std::string> names;
  std::ifstream in{locale};
  bool goes_on = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string keyword;
    words >> keyword;
    if (!goes_on && !keywords.contains(keyword)) continue;
    goes_on = line.ends_with('/') || line.ends_with('\\');
    for (auto begin = line.find('"'); begin != line.npos; begin = line.find('"', begin)) {
      const auto end = line.find('"', begin + 1);
      if (end == line.npos) break;
      names.push_back(without_escapes(std::string_view{line}.substr(begin + 1, end - begin - 1)));
      begin = end + 1;
    }
  }
  return names;
}

std::string shown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [c, bytes] = decode_utf8(text);
    out += code_point_name(c) + " ";
    text.remove_prefix(bytes == 0 ? text.size() : bytes);
  }
  return out;
}

/// Debian's package `locales`.
const std::filesystem::path locales = "/usr/share/i18n/locales";

TEST_CASE("names of days, months, languages and countries in Debian's locales are accepted") {
  REQUIRE(std::filesystem::exists(locales / "ml_IN")); // installed by script/setup
  std::size_t count = 0;
  std::size_t with_joiners = 0;
  for (const auto& each : std::filesystem::directory_iterator{locales}) {
    if (!each.is_regular_file()) continue;
    for (const auto& name : names_of(each.path())) {
      INFO(each.path() << ": " << shown(name));
      CHECK_FALSE(find_hidden(name));
      ++count;
      with_joiners += name.find("\u200C") != name.npos || name.find("\u200D") != name.npos ? 1 : 0;
    }
  }
  // The files were read as they are written.
  CHECK(count > 5'000);
  CHECK(with_joiners > 10);
}

/// Letters, marks, viramas and hidden characters, also of the scripts where joiners are written.
constexpr std::array<char32_t, 33> alphabet{
    U'a',   U' ',   0x301,  0x627,  0x631,  0x633,  0x647,  0x64E,  0x712,   0x7D2,   0x915,
    0x93F,  0x94D,  0x995,  0x9CD,  0xD28,  0xD4D,  0xDCA,  0x1780, 0x17B6,  0x17D2,  0x1820,
    0x182C, 0x180B, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x2060, 0x1F469, 0x1F680, 0xFE0F};

bool is_hidden(char32_t c) {
  return is_invisible(c) && !is_variation_selector(c);
}

/// Whether a hidden character may follow what stands before it in an accepted text.
bool may_follow(char32_t hidden, std::u32string_view before) {
  if (before.empty()) return false;
  const auto last = before.back();
  if (hidden == 0x180E && is_variation_selector(last)) before.remove_suffix(1);
  if (before.empty()) return false;
  if (hidden == 0x200B) return last >= 0x1780 && last < 0x1800;
  if (hidden == 0x180E) return before.back() >= 0x1820 && before.back() < 0x18B0;
  if (hidden != 0x200C && hidden != 0x200D) return false;
  // Two in a row only after a virama.
  if (is_hidden(last)) return before.size() > 1 && is_virama(before[before.size() - 2]);
  return last != U'a' && last != U' ';
}

TEST_CASE("hidden characters are accepted only after what they are written with") {
  std::size_t accepted = 0;
  std::size_t wrong = 0;
  std::string example;
  for (const auto a : alphabet)
    for (const auto b : alphabet)
      for (const auto c : alphabet)
        for (const auto d : alphabet) {
          const std::array<char32_t, 4> all{a, b, c, d};
          if (std::ranges::none_of(all, is_hidden)) continue;
          const auto text = utf8(a) + utf8(b) + utf8(c) + utf8(d);
          if (find_hidden(text)) continue;
          ++accepted;
          for (std::size_t i = 0; i < all.size(); ++i) {
            if (!is_hidden(all[i]) || may_follow(all[i], {all.data(), i})) continue;
            ++wrong;
            example = shown(text);
          }
        }
  INFO(example);
  CHECK(wrong == 0);
  CHECK(accepted > 10'000);
}

} // namespace

namespace matchcloud::model {
namespace {

TEST_CASE("names are of visible characters in any script, up to their limit") {
  for (const std::string name :
       {"Frankfurt", " a ", "M\xC3\xBCnchen", "\xE6\x9D\xB1\xE4\xBA\xAC"}) {
    CAPTURE(name);
    CHECK(is_name(name));
  }
  CHECK(is_name(std::string(128, 'a')));
  for (const std::string name : {"", "  ", "\xC3", "a\xED\xA0\x80"}) {
    CAPTURE(name);
    CHECK_FALSE(is_name(name));
  }
  CHECK_FALSE(is_name(std::string(129, 'a')));
}

TEST_CASE("names have nothing that breaks or reorders the line that shows them") {
  for (const std::string hostile :
       {"\n", "\x7F", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAE", "\xE2\x81\xA6",
        "\xE2\x80\x8B", "\xEF\xBF\xBE"}) {
    CAPTURE(hostile);
    CHECK_FALSE(is_name("Frank" + hostile + "furt"));
    CHECK_FALSE(is_name("M\xC3\xBC" + hostile));
  }
}

} // namespace
} // namespace matchcloud::model
