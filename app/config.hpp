#pragma once

#include "base/expected.hpp"
#include "base/limits.hpp"
#include "http/front.hpp"
#include "http/listener.hpp"
#include "model/catalog.hpp"
#include "model/validation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

enum class transport_kind : std::uint8_t { loops, httplib };

/// Everything `serve` can be told.
struct serve_config {
  std::vector<http::endpoint> listen;
  http::endpoint ops_listen;
  std::string data_dir;
  std::vector<std::string> geoip_files;
  /// 0: one per core.
  std::size_t loops = 0;
  transport_kind transport = transport_kind::loops;
  /// Empty: the first data listener.
  std::string public_url;
  http::front_settings front;
  model::validation_rules rules;
  std::optional<model::uuid> default_namespace;
  std::optional<model::coordinates> fallback_location;
  bool insecure_open = false;
  base::limits limits;
};

/// One thing that can be configured. Flags (`--NAME`), environment (`MATCHCLOUD_NAME`), the TOML
/// file and the help text all come from the table of these.
struct config_key {
  enum class kind : std::uint8_t { text, list, number, flag };

  /// With dashes: `head-limit-bytes`.
  std::string_view name;
  kind what;
  /// In the syntax of a value; empty: none.
  std::string_view default_value;
  /// What is allowed, with the unit.
  std::string_view allowed;
  /// What it is for, and why one would change it.
  std::string_view purpose;
  /// Takes a value (of a list: its elements). The error says what is allowed.
  std::function<base::expected<void>(serve_config&, const std::vector<std::string>&)> apply;
};

/// The table, in the order of the help text.
std::span<const config_key> config_keys();
/// Null where there is no such key.
const config_key* find_config_key(std::string_view name);

/// A value for a key and where it was given (`--listen`, `MATCHCLOUD_LISTEN`, `FILE: listen`).
struct given_value {
  std::string key;
  std::string source;
  std::vector<std::string> values;
};

/// The defaults, then `given` in order: a later value of a key replaces an earlier one. Every error
/// at once, as `config_invalid` with a line each: source, value, what is allowed.
base::expected<serve_config> make_config(const std::vector<given_value>& given);

/// The values of a TOML file. Unknown keys fail with `config_invalid`.
base::expected<std::vector<given_value>> read_config_file(const std::string& file);

/// The values of `MATCHCLOUD_*` in the environment. Unknown ones are left to others (orchestrators
/// inject such names) and returned in `unknown`.
std::vector<given_value> read_environment(std::vector<std::string>& unknown);

/// A Markdown table of all keys, for the README.
std::string config_table();

} // namespace matchcloud::app
