#include "app/node/tls_renewal.hpp"

#include "base/check.hpp"
#include "base/events/log.hpp"
#include "http/tls/tls_files.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

static_assert(std::chrono::seconds{http::tls_context::ticket_lifetime_s} ==
              store::ticket_lifetime_limit);

base::expected<std::unique_ptr<tls_renewal>>
tls_renewal::open(http::tls_files files, std::shared_ptr<store::secret_store> secrets,
                  const base::clock& clock) {
  std::unique_ptr<tls_renewal> made{new tls_renewal{std::move(files), std::move(secrets), clock}};
  made->seen_ = states_of(made->files_);
  auto material = http::read_tls_files(made->files_);
  if (!material) return tl::unexpected(std::move(material).error());
  made->in_force_ = *std::move(material);
  auto roots = store::secret_ring::open(made->secrets_, store::secret_name::ticket_roots);
  if (!roots) return tl::unexpected(std::move(roots).error());
  made->roots_ = *std::move(roots);
  made->reload_roots();
  made->warn();
  return made;
}

tls_renewal::tls_renewal(http::tls_files files, std::shared_ptr<store::secret_store> secrets,
                         const base::clock& clock)
    : files_{std::move(files)}, secrets_{std::move(secrets)}, clock_{&clock} {}

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
  const bool has_roots = reload_roots();
  if (has_files) {
    metrics_.taken.add();
    base::log(base::log_event::tls_renewed, "tls: replaced certificates are in force");
  }
  const std::chrono::milliseconds unwarned{clock_->unix_ms() - warned_ts_};
  if (has_files || unwarned > warn_interval) warn();
  if (has_files || has_roots) tell();
}

void tls_renewal::tell() const {
  for (const auto& [purpose, takes] : receivers_)
    takes(make(purpose));
}

base::expected<void> tls_renewal::use(http::tls_files files) {
  const std::lock_guard lock{looking_};
  if (files == files_) return {};
  auto states = states_of(files);
  auto material = http::read_tls_files(files);
  if (!material) return tl::unexpected(std::move(material).error());
  files_ = std::move(files);
  seen_ = std::move(states);
  material->ticket_roots = in_force_.ticket_roots;
  in_force_ = *std::move(material);
  warn();
  tell();
  return {};
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
  material->ticket_roots = in_force_.ticket_roots;
  if (*material == in_force_) return false;
  in_force_ = *std::move(material);
  return true;
}

bool tls_renewal::reload_roots() {
  const auto now_ts = clock_->unix_ms();
  const auto due_ts = now_ts - std::chrono::milliseconds{root_age_limit}.count();
  roots_->refresh();
  const auto known = roots_->current();
  if (store::is_due(*known, due_ts) || store::pruned(*known, now_ts).size() < known->size()) {
    const auto name = store::secret_name::ticket_roots;
    const auto kept = secrets_->rotate_if_due(name, now_ts, due_ts).and_then([&](bool) {
      return secrets_->prune(name, now_ts);
    });
    if (!kept && !secrets_failing_)
      base::log(base::log_event::tls_kept, "tls: ticket roots cannot be rotated: {}",
                base::to_string(kept.error()));
    secrets_failing_ = !kept;
    roots_->refresh();
  }
  std::vector<http::ticket_root> accepted;
  for (const auto& each : *roots_->current())
    if (each.is_accepted(now_ts)) accepted.push_back(each.secret);
  if (accepted == in_force_.ticket_roots) return false;
  in_force_.ticket_roots = std::move(accepted);
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
