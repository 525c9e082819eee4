#include "app/node/tls_renewal.hpp"

#include "base/check.hpp"
#include "http/tls/tls_files.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace matchcloud::app {

static_assert(std::chrono::seconds{http::tls_context::ticket_lifetime_s} ==
              store::ticket_lifetime_limit);

base::expected<std::unique_ptr<tls_renewal>>
tls_renewal::open(http::tls_files files, std::shared_ptr<store::secret_store> secrets,
                  const base::clock& clock) {
  std::unique_ptr<tls_renewal> made{new tls_renewal{std::move(files), std::move(secrets), clock}};
  made->seen_ = made->states();
  auto material = http::read_tls_files(made->files_);
  if (!material) return tl::unexpected(std::move(material).error());
  made->in_force_ = *std::move(material);
  auto roots = store::secret_ring::open(made->secrets_, store::secret_name::ticket_roots);
  if (!roots) return tl::unexpected(std::move(roots).error());
  made->roots_ = *std::move(roots);
  made->refresh_roots();
  made->warn();
  return made;
}

tls_renewal::tls_renewal(http::tls_files files, std::shared_ptr<store::secret_store> secrets,
                         const base::clock& clock)
    : files_{std::move(files)}, secrets_{std::move(secrets)}, clock_{&clock} {}

std::shared_ptr<http::tls_context> tls_renewal::make(http::tls_purpose purpose) const {
  auto made = http::tls_context::for_server(in_force_, purpose);
  base::check(made.has_value(), "contexts can be made of certificates that were checked");
  return *std::move(made);
}

void tls_renewal::follow(http::tls_purpose purpose, receiver takes) {
  receivers_.emplace_back(purpose, std::move(takes));
}

std::vector<store::file_state> tls_renewal::states() const {
  std::vector<store::file_state> all;
  for (const auto& pair : files_.pairs) {
    all.push_back(store::file_state::of(pair.certificate));
    all.push_back(store::file_state::of(pair.key));
  }
  if (!files_.client_ca.empty()) all.push_back(store::file_state::of(files_.client_ca));
  return all;
}

void tls_renewal::look() {
  const std::lock_guard lock{looking_};
  const auto before = in_force_;
  auto now = states();
  // A file that was written just now may be written on.
  const bool rests = std::ranges::none_of(now, &store::file_state::is_fresh);
  if (now != seen_ && rests) {
    seen_ = std::move(now);
    auto material = http::read_tls_files(files_);
    if (material) {
      material->ticket_roots = in_force_.ticket_roots;
      in_force_ = *std::move(material);
    } else {
      metrics_.refused.add();
      spdlog::error("tls: {}; the certificates that were read before stay in force",
                    base::to_string(material.error()));
    }
  }
  refresh_roots();
  if (clock_->unix_ms() - warned_ts_ > std::chrono::milliseconds{warn_interval}.count()) warn();
  if (in_force_ == before) return;
  if (in_force_.pairs != before.pairs || in_force_.client_ca != before.client_ca) {
    metrics_.taken.add();
    spdlog::info("tls: replaced certificates are in force");
    warn();
  }
  for (const auto& [purpose, takes] : receivers_)
    takes(make(purpose));
}

void tls_renewal::refresh_roots() {
  const auto now_ts = clock_->unix_ms();
  const auto name = store::secret_name::ticket_roots;
  const std::chrono::milliseconds age = root_age_limit;
  auto kept = secrets_->rotate_if_due(name, now_ts, now_ts - age.count()).and_then([&](bool) {
    return secrets_->prune(name, now_ts);
  });
  if (!kept && !std::exchange(secrets_failing_, true))
    spdlog::error("tls: ticket roots cannot be rotated: {}", base::to_string(kept.error()));
  if (kept) secrets_failing_ = false;
  roots_->refresh();
  in_force_.ticket_roots.clear();
  for (const auto& each : *roots_->current())
    if (each.is_accepted(now_ts)) in_force_.ticket_roots.push_back(each.secret);
}

void tls_renewal::warn() {
  warned_ts_ = clock_->unix_ms();
  metrics_.first_expiry_s.set(http::first_expiry_s(in_force_));
  for (const auto& line : http::warnings_of(in_force_, clock_->unix_ms()))
    spdlog::warn("tls: {}", line);
}

} // namespace matchcloud::app
