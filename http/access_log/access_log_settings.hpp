#pragma once

#include "base/config_row.hpp"

#include <cstdint>
#include <string>

namespace matchcloud::http {

/// Which requests have a line in the access log.
enum class access_log_mode : std::uint8_t {
  off,
  /// Requests that are answered with 400 or more.
  errors,
  /// The same, and one in `one_in` of the others.
  sampled,
  all,
};

/// How a line of the access log looks.
enum class access_log_format : std::uint8_t {
  /// A JSON object.
  json,
  /// The combined log format of Apache's httpd.
  combined,
};

struct access_log_settings {
  access_log_mode mode = access_log_mode::off;
  access_log_format format = access_log_format::json;
  /// Empty: stdout.
  std::string file;
  /// One in this many requests without an error is sampled.
  std::uint64_t one_in = 100;
};

base::config_rows<access_log_settings> access_log_keys();

} // namespace matchcloud::http
