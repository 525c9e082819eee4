#pragma once

#include "base/config_row.hpp"
#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/log/line_writer.hpp"
#include "base/metrics.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
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

/// Bytes of lines of the access log that wait to be written. Lines beyond it are dropped.
inline constexpr std::size_t access_log_waiting_limit_bytes = 1024 * 1024;

/// The access log of a process: lines of all event loops, written by a thread that
/// begins with the first use.
class access_log {
public:
  access_log() = default;
  access_log(const access_log&) = delete;
  access_log& operator=(const access_log&) = delete;
  /// Waits until everything is written, or for `log_end_limit`.
  ~access_log();

  /// Opens what the settings name; nothing if they say `off`. Fails with `config_invalid`.
  static base::expected<base::file_descriptor> open(const access_log_settings& settings);
  /// From now on lines go to `opened`; an empty one changes nothing. One thread at a time.
  void use(base::file_descriptor opened);
  /// Writes what waits, for at most `log_end_limit`, and closes the file. Call when no loop has
  /// lines any more. One thread at a time, the same as for `use`.
  void leave();

  /// Takes `lines` whole lines. Has an effect after the first `use`; any thread.
  void write(std::string_view text, std::uint64_t lines);
  /// Adds a metric for the lines that were dropped.
  void show(base::metric_set& in) const;

private:
  /// Null before the first use, then never changed.
  std::atomic<base::line_writer*> writer_{nullptr};
  std::unique_ptr<base::line_writer> owned_;
  /// Never closed, because the writer's thread may be in a write forever.
  int fd_ = -1;
};

} // namespace matchcloud::http
