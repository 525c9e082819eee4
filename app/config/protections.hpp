#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"

#include <map>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What a configuration gives of the keys that protect a service: tokens, limits of clients,
/// trusted proxies.
struct given_protections {
  /// By key; lists are joined by commas.
  std::map<std::string, std::string> values;
  /// Whether a file gives any key at all.
  bool has_file_keys = false;

  friend bool operator==(const given_protections&, const given_protections&) = default;
};

given_protections protections_of(const std::vector<given_value>& given);

/// Refuses a configuration that ends a protection of `before`, because `wanted` no longer has its
/// key, or that has no value from a file any more, although `before` had some. A weaker value that
/// is written out is accepted. Fails with `config_invalid`, naming each key and the line that
/// confirms its default.
base::expected<void> check_protections(const given_protections& before,
                                       const given_protections& wanted);

/// Each protection that is weaker in `now`, such as `auth is open, and was required`.
std::vector<std::string> weaker_protections(const given_protections& before,
                                            const given_protections& now);

/// As a JSON object of texts, for the audit log.
std::string to_json(const given_protections& given);
/// Reads what `to_json` wrote. Throws a `base::failure` like `model::json_document::parse_object`.
given_protections read_protections(const std::string& json);

} // namespace matchcloud::app
