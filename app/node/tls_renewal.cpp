#include "app/node/tls_renewal.hpp"

#include "base/check.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/randomness.hpp"
#include "http/tls/tls_files.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

// A key that was replaced opens the tickets that it made until they expire.
static_assert(std::chrono::seconds{http::tls_context::ticket_lifetime_s} <=
              tls_renewal::key_age_limit);

tls_renewal::tls_renewal(http::tls_files files, const base::clock& clock)
    : files_{std::move(files)},
      clock_{&clock},
      seen_{states_of(files_)},
      in_force_{base::value_of(http::read_tls_files(files_))} {
  renew_key();
  warn();
}

std::shared_ptr<http::tls_context> tls_renewal::make(http::tls_purpose purpose) const {
  auto made = http::tls_context::for_server(in_force_, purpose);
  base::check(made.has_value(), "contexts can be made from checked certificates");
  return *std::move(made);
}

void tls_renewal::follow(http::tls_purpose purpose, receiver takes) {
  receivers_.emplace_back(purpose, std::move(takes));
}

std::vector<store::file_state> tls_renewal::states_of(const http::tls_files& files) {
  std::vector<store::file_state> all;
  for (const auto& pair : files.pairs) {
    all.push_back(store::file_state::of(pair.certificate));
    all.push_back(store::file_state::of(pair.key));
  }
  if (!files.client_ca.empty()) all.push_back(store::file_state::of(files.client_ca));
  return all;
}

void tls_renewal::reload() {
  const std::lock_guard lock{looking_};
  const bool has_files = reload_files();
  const bool has_key = renew_key();
  if (has_files) {
    metrics_.taken.add();
    base::log(base::log_event::tls_renewed, "tls: replaced certificates are in force");
  }
  const std::chrono::milliseconds unwarned{clock_->unix_ms() - warned_ts_};
  if (has_files || unwarned > warn_interval) warn();
  if (has_files || has_key) tell();
}

void tls_renewal::tell() const {
  for (const auto& [purpose, takes] : receivers_)
    takes(make(purpose));
}

void tls_renewal::use(http::tls_files files) {
  const std::lock_guard lock{looking_};
  if (files == files_) return;
  auto states = states_of(files);
  auto material = base::value_of(http::read_tls_files(files));
  files_ = std::move(files);
  seen_ = std::move(states);
  material.ticket_keys = in_force_.ticket_keys;
  in_force_ = std::move(material);
  warn();
  tell();
}

bool tls_renewal::reload_files() {
  auto now = states_of(files_);
  // A file that was written just now may still be written to.
  if (now == seen_ || std::ranges::any_of(now, &store::file_state::is_fresh)) return false;
  seen_ = std::move(now);
  auto material = http::read_tls_files(files_);
  if (!material) {
    metrics_.refused.add();
    base::log(base::log_event::tls_kept, "tls: {}; the previous certificates stay in force",
              base::to_string(material.error()));
    return false;
  }
  material->ticket_keys = in_force_.ticket_keys;
  if (*material == in_force_) return false;
  in_force_ = *std::move(material);
  return true;
}

bool tls_renewal::renew_key() {
  auto& keys = in_force_.ticket_keys;
  if (!keys.empty() && clock_->now() - key_made_ <= key_age_limit) return false;
  http::ticket_key made;
  base::fill_random(made.name);
  base::fill_random(made.encryption);
  base::fill_random(made.authentication);
  keys.insert(keys.begin(), made);
  keys.resize(std::min<std::size_t>(keys.size(), 2));
  key_made_ = clock_->now();
  return true;
}

void tls_renewal::warn() {
  warned_ts_ = clock_->unix_ms();
  metrics_.first_expiry_s.set(http::first_expiry_s(in_force_));
  for (const auto& warning : http::warnings_of(in_force_, clock_->unix_ms()))
    base::log(base::log_event::tls_hazard, "tls: {}", warning.text);
  for (const auto& line : http::exposed_keys(files_))
    base::log(base::log_event::tls_hazard, "tls: {}", line);
}

} // namespace matchcloud::app
