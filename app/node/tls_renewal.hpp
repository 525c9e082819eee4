#pragma once

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "http/tls/tls_context.hpp"
#include "http/tls/tls_material.hpp"
#include "store/files/stable_file.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// Counts of the certificates of TLS listeners. Any thread.
struct tls_metrics : base::metric_set {
  base::counter taken{
      *this,
      {"matchcloud_tls_reloads_total", "Certificate replacements put in force while serving."}};
  base::counter refused{*this,
                        {"matchcloud_tls_refused_total",
                         "Certificate replacements that were refused; the log says why."}};
  base::gauge first_expiry_s{*this,
                             {"matchcloud_tls_certificate_expiry_timestamp_seconds",
                              "Time when the first certificate expires, in seconds since 1970."}};
};

/// The certificates and ticket keys in force at a node's TLS listeners. Follows replaced files and
/// renews the key once a day; the last one is still accepted. `reload` may run on any thread.
class tls_renewal {
public:
  /// The age at which the ticket key is replaced.
  static constexpr std::chrono::hours key_age_limit{24};
  /// How often certificates that expire soon are logged.
  static constexpr std::chrono::hours warn_interval{24};
  using receiver = std::function<void(std::shared_ptr<http::tls_context>)>;

  /// Reads the files. Throws `base::failure` with `config_invalid`, naming the file. `clock` must
  /// outlive this.
  explicit tls_renewal(http::tls_files files, const base::clock& clock = base::machine_clock());

  /// A context with the certificates in force, for one thread.
  std::shared_ptr<http::tls_context> make(http::tls_purpose purpose) const;
  /// From now on `takes` receives a new context after each change. Call before the first look.
  void follow(http::tls_purpose purpose, receiver takes);

  /// Uses other files from now on. Throws as the constructor does; then nothing has changed.
  /// Blocks.
  void use(http::tls_files files);

  /// Puts replaced files in force. If they cannot be read or used, that is logged once and the
  /// previous ones stay in force. Blocks.
  void reload();

  const tls_metrics& metrics() const noexcept { return metrics_; }

private:
  static std::vector<store::file_state> states_of(const http::tls_files& files);
  /// Hands out contexts of what is in force now.
  void tell() const;
  /// Reads replaced files. Returns whether that changed what is in force.
  bool reload_files();
  /// Makes a new ticket key if that is due. Returns whether it did.
  bool renew_key();
  /// Tells the operator, in the log and the metrics, how long the certificates are valid.
  void warn();

  http::tls_files files_;
  const base::clock* clock_;
  tls_metrics metrics_;
  /// Held during a look.
  std::mutex looking_;
  /// The states of the files when they were last read.
  std::vector<store::file_state> seen_;
  http::tls_material in_force_;
  std::vector<std::pair<http::tls_purpose, receiver>> receivers_;
  base::steady_time key_made_;
  /// When `warn` was last called, in milliseconds since 1970.
  std::int64_t warned_ts_ = 0;
};

} // namespace matchcloud::app
