#include "store/geoip/geoip_files.hpp"

#include "base/faults.hpp"
#include "store/geoip/geoip.hpp"
#include "store/geoip/source_files.hpp"

#include <utility>

namespace matchcloud::store {

base::expected<std::shared_ptr<geoip_files>>
geoip_files::open(const std::vector<std::string>& paths, const std::string& asn_path) {
  return base::attempt([&] {
    auto made = std::make_shared<geoip_files>();
    for (const auto& path : paths)
      made->files_.push_back({path});
    if (!asn_path.empty()) made->files_.push_back({asn_path, true});
    for (auto& file : made->files_) {
      const auto state = file_state::of(file.path);
      file.opened = open_one(file);
      // The state of a file that was just written does not identify its content reliably, so the
      // file will be read again.
      if (!state.is_fresh()) file.taken = state;
    }
    made->in_force_ = made->join();
    return made;
  });
}

geoip_files::findings geoip_files::reload() {
  const std::lock_guard lock{mutex_};
  std::erase_if(retired_, [](const auto& old) { return old.use_count() == 1; });
  findings found;
  for (auto& file : files_)
    reload_if_replaced(file, found);
  if (!found.taken.empty()) retired_.push_back(std::exchange(in_force_, join()));
  found.in_force = in_force_;
  return found;
}

std::shared_ptr<const geoip> geoip_files::in_force() const {
  const std::lock_guard lock{mutex_};
  return in_force_;
}

void geoip_files::reload_if_replaced(watched_file& file, findings& found) const {
  const auto state = file_state::of(file.path);
  const bool settled = std::exchange(file.seen, state) == state && !state.is_fresh();
  if (state == file.taken) {
    file.refused.reset();
    return;
  }
  if (!settled) return;
  // One file at a time, so that at most one is in memory twice.
  if (!found.taken.empty()) return;
  const bool known_bad = file.refused && file.refused->state == state;
  if (known_bad && ++file.refused->looks < looks_until_retry) return;

  auto opened = base::attempt([&] { return open_again(file); });
  const auto after = file_state::of(file.path);
  if (after != state) { // replaced again: what was read is not what is there now
    file.seen = after;
    return;
  }
  if (opened) {
    file.opened = *std::move(opened);
    file.taken = state;
    file.refused.reset();
    found.taken.push_back({file.path, state.size_bytes});
    return;
  }
  auto reason = base::to_string(opened.error());
  if (!known_bad || file.refused->reason != reason) found.refused.push_back(opened.error());
  file.refused = refusal{state, std::move(reason)};
}

geoip_files::opened_file geoip_files::open_again(const watched_file& file) const {
  if (retired_.size() >= retired_limit)
    throw base::failure{base::errc::internal,
                        "{}: not opened, because {} replaced databases are still in use", file.path,
                        retired_.size()};
  constexpr auto reload = base::fault_point::geoip_reload;
  const auto hit = base::faults::strike_blocking(reload);
  if (hit.kind == base::fault_kind::error)
    refuse_geoip("{}: {}", file.path, base::faults::reason_at(reload));
  if (hit.kind == base::fault_kind::corrupt) return open_one(file, hit.random);
  return open_one(file);
}

geoip_files::opened_file geoip_files::open_one(const watched_file& file,
                                               std::optional<std::uint64_t> corrupted_by) {
  if (file.is_of_asns) return {nullptr, base::value_of(asn_file::open(file.path, corrupted_by))};
  return {base::value_of(mmdb_file::open(file.path, corrupted_by)), nullptr};
}

void geoip_files::show(base::metric_set& in) const {
  in.add(base::metric_type::gauge,
         {"matchcloud_geoip_built_timestamp_seconds",
          "When the database in a GeoIP file in use was built, in seconds since 1970."},
         [this](const base::metric_set::sink& to) {
           const std::lock_guard lock{facts_mutex_};
           for (const auto& each : facts_)
             to({{"file", each.path}}, {static_cast<double>(each.built_s)});
         });
}

std::shared_ptr<const geoip> geoip_files::join() {
  std::vector<std::shared_ptr<const mmdb_file>> places;
  std::shared_ptr<const asn_file> asns;
  std::vector<file_facts> facts;
  for (const auto& file : files_) {
    if (file.is_of_asns) {
      asns = file.opened.asns;
      continue;
    }
    places.push_back(file.opened.places);
    facts.push_back({file.path, file.opened.places->describe().build_epoch});
  }
  const std::lock_guard lock{facts_mutex_};
  facts_ = std::move(facts);
  return geoip::of(std::move(places), std::move(asns));
}

} // namespace matchcloud::store
