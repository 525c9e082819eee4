#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/metrics.hpp"
#include "http/tls/tls_context.hpp"
#include "http/tls/tls_material.hpp"
#include "store/files/file_state.hpp"
#include "store/secrets/secret_ring.hpp"
#include "store/secrets/secret_store.hpp"

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
      *this, {"matchcloud_tls_reloads_total", "Replaced certificates taken up while serving."}};
  base::counter refused{*this,
                        {"matchcloud_tls_refused_total",
                         "Replaced certificates that were not taken up; the log says why."}};
  base::gauge first_expiry_s{
      *this,
      {"matchcloud_tls_certificate_expiry_timestamp_seconds",
       "When the first of the certificates expires, in seconds since 1970."}};
};

/// The certificates and ticket roots that the TLS listeners of a node have in force: follows files
/// that are replaced, rotates the roots once a day and removes those that are over. `reload` may
/// run on any thread.
class tls_renewal {
public:
  /// The age at which the newest ticket root is replaced.
  static constexpr std::chrono::hours root_age_limit{24};
  /// How often certificates that end soon are logged.
  static constexpr std::chrono::hours warn_interval{24};
  using receiver = std::function<void(std::shared_ptr<http::tls_context>)>;

  /// Reads the files and roots. Fails with `config_invalid`, naming the file, or as
  /// `secret_store::load` does. `clock` must outlive this.
  static base::expected<std::unique_ptr<tls_renewal>>
  open(http::tls_files files, std::shared_ptr<store::secret_store> secrets,
       const base::clock& clock = base::machine_clock());

  /// A context of what is in force, for one thread.
  std::shared_ptr<http::tls_context> make(http::tls_purpose purpose) const;
  /// From now on `takes` gets a new context whenever something else is in force. Call before the
  /// first look.
  void follow(http::tls_purpose purpose, receiver takes);

  /// Goes by other files from now on. Fails as `open` does, and changes nothing then. Blocks.
  base::expected<void> use(http::tls_files files);

  /// Puts in force what was replaced. What cannot be read or used is logged once, and what was in
  /// force stays. Blocks.
  void reload();

  const tls_metrics& metrics() const noexcept { return metrics_; }

private:
  tls_renewal(http::tls_files files, std::shared_ptr<store::secret_store> secrets,
              const base::clock& clock);

  static std::vector<store::file_state> states_of(const http::tls_files& files);
  /// Hands out what is in force now.
  void tell() const;
  /// Takes files that were replaced. Returns whether others are in force than before.
  bool reload_files();
  /// Rotates and removes roots where that is due, and takes the accepted ones. Returns whether
  /// others are in force than before.
  bool reload_roots();
  /// Tells the operator, in the log and the metrics, how long the certificates are valid.
  void warn();

  http::tls_files files_;
  const std::shared_ptr<store::secret_store> secrets_;
  const base::clock* clock_;
  tls_metrics metrics_;
  /// Held during a look.
  std::mutex looking_;
  std::unique_ptr<store::secret_ring> roots_;
  /// The states of the files when they were last read.
  std::vector<store::file_state> seen_;
  http::tls_material in_force_;
  std::vector<std::pair<http::tls_purpose, receiver>> receivers_;
  bool secrets_failing_ = false;
  /// When `warn` was last called, in milliseconds since 1970.
  std::int64_t warned_ts_ = 0;
};

} // namespace matchcloud::app
