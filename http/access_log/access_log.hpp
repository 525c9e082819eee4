#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/log/line_writer.hpp"
#include "base/metrics.hpp"
#include "http/access_log/access_log_settings.hpp"

#include <atomic>
#include <memory>

namespace matchcloud::http {

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
