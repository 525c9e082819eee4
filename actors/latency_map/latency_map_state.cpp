#include "actors/latency_map/latency_map_state.hpp"

#include "base/events/log.hpp"
#include "base/siphash.hpp"
#include "store/geoip/geoip.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// The bits of an IPv6 address that identify a reporter; clients change the others at will.
constexpr std::size_t ipv6_reporter_bits = 64;

/// A number for the reporter that is the same in all processes on the store, so that they count a
/// client only once.
std::uint64_t reporter_of(const base::siphash_key& key, const model::ip_address& client) noexcept {
  return base::siphash(key, model::prefix_of(client, ipv6_reporter_bits).bytes);
}

std::vector<model::latency_region> regions_in(const model::catalog& catalog) {
  std::vector<model::latency_region> all;
  all.reserve(catalog.regions.size());
  for (const auto& each : catalog.regions)
    all.push_back({each.region_id, each.datacenter_coord});
  return all;
}

} // namespace

latency_map_state::latency_map_state(const latency_config& config, latency_metrics& metrics,
                                     bool keeps)
    : config_{config}, metrics_{&metrics}, keeps_{keeps} {}

model::latency_learner& latency_map_state::learner() {
  if (!learner_) {
    model::learner_settings settings;
    settings.entry_limit = config_.entry_limit;
    settings.unkept_limit = keeps_ ? unkept_limit : 0;
    learner_.emplace(settings);
    learner_->set_key(key_);
    if (catalog_) set_regions();
  }
  return *learner_;
}

void latency_map_state::set_regions() {
  const auto refused = learner_->set_regions(regions_in(*catalog_));
  if (refused > 0)
    base::log(
        base::log_event::latencies_failed,
        "latencies: nothing is learned about {} regions, because the catalog has more than {}",
        refused, model::latency_region_limit);
}

const model::region* latency_map_state::find_open(std::string_view region_id,
                                                  const model::game_namespace* where) const {
  const auto* found = catalog_->find_region(region_id);
  const bool has_own = found != nullptr && where != nullptr && where->regions;
  if (has_own && std::ranges::find(*where->regions, region_id) == where->regions->end())
    return nullptr;
  return found;
}

bool latency_map_state::knows_any(std::span<const model::measured_latency> measured,
                                  const model::game_namespace* where) const {
  return std::ranges::any_of(measured, [&](const model::measured_latency& each) {
    return find_open(each.region_id, where) != nullptr;
  });
}

void latency_map_state::set_catalog(model::catalog_snapshot catalog) {
  if (catalog == catalog_) return;
  const bool same_regions = catalog_ && catalog && regions_in(*catalog) == regions_in(*catalog_);
  catalog_ = std::move(catalog);
  if (same_regions) return;
  if (learner_) set_regions();
  read_ = {}; // to read entries of regions that were unknown until now
}

latency_map_state::answer
latency_map_state::report(const model::ip_address& client,
                          std::span<const model::measured_latency> measured, std::int64_t time_ms,
                          bool drops_impossible, const model::game_namespace* where) {
  answer made;
  const auto cells = store::client_cells_of(geoip_.get(), client);
  std::vector<model::region_latency> known;
  bool is_over_limit = false;
  for (const auto& each : measured) {
    const auto* found = find_open(each.region_id, where);
    if (found == nullptr) {
      made.unknown.push_back(each.region_id);
      continue;
    }
    if (drops_impossible &&
        !model::can_be_measured(each.milliseconds, cells.where, found->datacenter_coord))
      continue;
    const auto number = learner().number_of({found->region_id, found->datacenter_coord});
    is_over_limit = is_over_limit || !number;
    if (number) known.push_back({*number, each.milliseconds});
  }
  if (known.empty())
    made.outcome = is_over_limit          ? latency_outcome::too_many_regions
                   : made.unknown.empty() ? latency_outcome::implausible
                                          : latency_outcome::unknown_regions;
  else if (!learner().add({cells, known, time_ms, reporter_of(key_, client)}))
    made.outcome = latency_outcome::implausible;
  learned_since_fit_ |= made.outcome == latency_outcome::learned;
  count(made.outcome);
  return made;
}

latency_map_state::snapshot_ptr latency_map_state::publish(std::int64_t time_ms) {
  if (!learner_) return published_;
  if (learned_since_fit_ && time_ms - fitted_ms_ >= refit_interval_ms) {
    learner_->refit();
    fitted_ms_ = time_ms;
    learned_since_fit_ = false;
  }
  published_ = learner_->publish();
  show();
  return published_;
}

void latency_map_state::show() noexcept {
  metrics_->entries.set(static_cast<std::int64_t>(learner_->entries()));
  metrics_->evicted.add(learner_->evicted() - metrics_->evicted.get());
  metrics_->bytes.set(static_cast<std::int64_t>(learner_->bytes()));
  metrics_->unkept.set(static_cast<std::int64_t>(learner_->unkept()));
  metrics_->unkept_left_out.add(learner_->unkept_left_out() - metrics_->unkept_left_out.get());
}

std::vector<model::learned_entry> latency_map_state::take_unkept() {
  if (!learner_) return {};
  return learner_->take_unkept();
}

void latency_map_state::give_back(std::span<const model::learned_entry> unkept) {
  if (!unkept.empty()) learner().give_back(unkept);
}

void latency_map_state::apply(const latencies_kept& found) {
  if (found.key) {
    key_ = *found.key;
    if (learner_) learner_->set_key(key_);
  }
  give_back(found.unkept);
  for (const auto& each : found.changed)
    learner().put(each);
  learned_since_fit_ |= !found.changed.empty();
  // If the catalog's regions changed in the meantime, everything is read again.
  if (found.after == read_) read_ = found.read;
  if (found.failure) metrics_->keep_failures.add();
}

} // namespace matchcloud::actors
