#include "app/config/protections.hpp"

#include "app/config/reload.hpp"
#include "base/decimal.hpp"
#include "model/access/access_token.hpp"
#include "model/text/joined.hpp"

#include <algorithm>
#include <array>
#include <string>
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

} // namespace

base::expected<void> check_protections(const std::vector<given_value>& before,
                                       const std::vector<given_value>& wanted) {
  std::string ended;
  for (const auto& each : protections) {
    const auto& key = *find_config_key(each.key);
    if (last_given(before, key) == nullptr || last_given(wanted, key) != nullptr) continue;
    const auto was = model::joined(values_of(before, key), ",");
    if (!is_weaker(each, was, model::joined(values_of(wanted, key), ","))) continue;
    ended += (ended.empty() ? "" : "\n") + key.name + " = " + was +
             " is no longer given, which ends a protection; put it back, or write " + line_of(key) +
             " to confirm";
  }
  if (!ended.empty()) return base::fail(base::errc::config_invalid, std::move(ended));
  if (std::ranges::any_of(before, is_of_file) && std::ranges::none_of(wanted, is_of_file))
    return base::fail(base::errc::config_invalid,
                      "the file has no keys any more; put them back, or write at least one, such "
                      "as " +
                          line_of(*find_config_key("auth")));
  return {};
}

} // namespace matchcloud::app
