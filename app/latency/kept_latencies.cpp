#include "app/latency/kept_latencies.hpp"

#include "base/files/working_identity.hpp"
#include "store/geoip/geoip_files.hpp"

namespace matchcloud::app {

base::expected<void> read_all(store::latency_store& in, const take_latencies& take) {
  store::latency_position read;
  while (true) {
    const auto page = in.read_latencies(read, store::latency_batch_limit);
    if (!page) return tl::unexpected(page.error());
    if (auto taken = take(page->entries); !taken) return taken;
    // A service may add entries as fast as they are read; a short page means that only newer ones
    // are left.
    if (page->entries.size() < store::latency_batch_limit) return {};
    read = page->last;
  }
}

base::expected<std::shared_ptr<const store::geoip>> open_geoip(const serve_config& config) {
  if (config.geoip_files.empty() && config.geoip_asn_file.empty()) return nullptr;
  const base::as_invoker self;
  return store::geoip_files::open(config.geoip_files, config.geoip_asn_file)
      .map([](const auto& files) { return files->in_force(); });
}

} // namespace matchcloud::app
