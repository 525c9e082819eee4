#include "app/config/protections.hpp"

#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "model/access/access_token.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/joined.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace matchcloud::app {

namespace {

/// How the values of a protection compare.
enum class measure : std::uint8_t {
  /// Only this word protects.
  word,
  /// Fewer per second protect better; `off` not at all.
  rate,
  /// A lower number protects better.
  number,
  /// Any value protects.
  list,
};

struct protection {
  std::string_view key;
  measure by;
  std::string_view word = {};
};

constexpr std::array protections{
    protection{"auth", measure::word, "required"},
    protection{"ops-auth", measure::word, "required"},
    protection{"anonymous-regions", measure::word, "false"},
    protection{"rate-limit-loopback", measure::word, "true"},
    protection{"rate-limit-address-cheap", measure::rate},
    protection{"rate-limit-address-expensive", measure::rate},
    protection{"rate-limit-token-cheap", measure::rate},
    protection{"rate-limit-token-expensive", measure::rate},
    protection{"max-connections-per-address", measure::number},
    protection{"connection-share-percent", measure::number},
    protection{"trusted-proxies", measure::list},
};

/// Whether `now` protects less than `before`, which are valid values.
bool is_weaker(const protection& of, const std::string& before, const std::string& now) {
  switch (of.by) {
  case measure::word: return before == of.word && now != of.word;
  case measure::list: return !before.empty() && now.empty();
  case measure::rate:
    // No limit has an interval of 0.
    return model::parse_rate_policy(now).value_or(base::rate_policy{}).interval() <
           model::parse_rate_policy(before).value_or(base::rate_policy{}).interval();
  case measure::number: break;
  }
  return base::parse_decimal<std::uint64_t>(now) > base::parse_decimal<std::uint64_t>(before);
}

bool is_of_file(const given_value& each) {
  return source_of(&each) == base::config_source::file;
}

/// `auth = "open"`, as a line of the file.
std::string line_of(const config_key& key) {
  using kind = base::config_text::kind;
  const auto& preset = key.default_value;
  if (key.what == kind::list) return key.name + " = []";
  const bool is_plain = key.what == kind::number || key.what == kind::flag;
  return key.name + " = " + (is_plain ? preset : '"' + preset + '"');
}

/// The value in force: the given one or the default.
std::string value_of(const given_protections& in, const config_key& key) {
  const auto given = in.values.find(key.name);
  return given != in.values.end() ? given->second : model::joined(values_of({}, key), ",");
}

constexpr std::string_view file_member = "has_file_keys";

} // namespace

given_protections protections_of(const std::vector<given_value>& given) {
  given_protections found;
  for (const auto& each : protections) {
    const auto& key = *find_config_key(each.key);
    if (last_given(given, key) != nullptr)
      found.values[key.name] = model::joined(values_of(given, key), ",");
  }
  found.has_file_keys = std::ranges::any_of(given, is_of_file);
  return found;
}

base::expected<void> check_protections(const given_protections& before,
                                       const given_protections& wanted) {
  std::string ended;
  for (const auto& each : protections) {
    const auto& key = *find_config_key(each.key);
    if (!before.values.contains(key.name) || wanted.values.contains(key.name)) continue;
    const auto was = value_of(before, key);
    if (!is_weaker(each, was, value_of(wanted, key))) continue;
    ended += (ended.empty() ? "" : "\n") + key.name + " = " + was +
             " is no longer given, which ends a protection; put it back, or write " + line_of(key) +
             " to confirm";
  }
  if (!ended.empty()) return base::fail(base::errc::config_invalid, std::move(ended));
  if (before.has_file_keys && !wanted.has_file_keys)
    return base::fail(base::errc::config_invalid,
                      "the file has no keys any more; put them back, or write at least one, such "
                      "as " +
                          line_of(*find_config_key("auth")));
  return {};
}

std::vector<std::string> weaker_protections(const given_protections& before,
                                            const given_protections& now) {
  std::vector<std::string> lines;
  for (const auto& each : protections) {
    const auto& key = *find_config_key(each.key);
    const auto was = value_of(before, key);
    const auto is = value_of(now, key);
    if (is_weaker(each, was, is))
      lines.push_back(key.name + " is " + (is.empty() ? "empty" : is) + ", and was " + was);
  }
  return lines;
}

std::string to_json(const given_protections& given) {
  model::json_writer json;
  json.object();
  for (const auto& [key, value] : given.values)
    json.name(key).text(value);
  if (given.has_file_keys) json.name(file_member).text("yes");
  return json.end_object().take();
}

given_protections read_protections(const std::string& json) {
  const auto document = base::value_of(model::json_document::parse_object(json, 1));
  given_protections found;
  found.has_file_keys = !document.member_text(file_member).empty();
  for (const auto& each : protections)
    if (const auto* value = document.find_member(each.key, model::json_kind::string))
      found.values.emplace(each.key, document.text(*value));
  return found;
}

} // namespace matchcloud::app
