#include "app/commands/commands.hpp"
#include "app/commands/configuration_options.hpp"
#include "app/latency/kept_latencies.hpp"
#include "app/latency/latency_commands.hpp"
#include "app/latency/latency_view.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "cli/print.hpp"
#include "model/catalog/named_game.hpp"
#include "model/latency/learner.hpp"
#include "model/text/unicode.hpp"
#include "store/engines/store_place.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

namespace {

struct show_options {
  configuration_options configuration;
  std::string address;
  std::string namespace_id;
  bool json = false;
};

/// What was read from the store.
struct read_store {
  model::catalog catalog;
  std::shared_ptr<const model::latency_snapshot> latencies;
  std::size_t entries = 0;
};

std::vector<model::latency_region> regions_in(const model::catalog& catalog) {
  std::vector<model::latency_region> all;
  for (const auto& each : catalog.regions)
    all.push_back({each.region_id, each.datacenter_coord});
  return all;
}

/// Reads everything, as a service does, because latencies of other places count too.
base::expected<read_store> read(const serve_config& config) {
  const auto database = store::open_to_read(config.store);
  if (!database) return tl::unexpected(database.error());
  auto catalog = (*database)->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  const auto in = (*database)->latencies();
  if (!in) return tl::unexpected(in.error());
  model::learner_settings settings;
  settings.entry_limit = config.latencies.entry_limit;
  model::latency_learner learner{settings};
  learner.set_regions(regions_in(*catalog));
  const auto done = read_all(**in, [&](const auto& entries) -> base::expected<void> {
    for (const auto& each : entries)
      if (is_shown(each)) learner.put(each);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  const auto now_ms = base::machine_clock().unix_ms();
  learner.refit(now_ms);
  return read_store{*std::move(catalog), learner.publish(now_ms), learner.entries()};
}

/// The requested namespace, or the default one; null: all regions.
base::expected<const model::game_namespace*>
find_namespace(const read_store& in, const serve_config& config, const std::string& wanted) {
  if (wanted.empty()) {
    const auto& preset = config.ranking.default_namespace;
    return preset ? in.catalog.find_namespace(*preset) : nullptr;
  }
  const auto id = model::parse_uuid(wanted);
  const auto* const found = id ? in.catalog.find_namespace(*id) : nullptr;
  if (found != nullptr) return found;
  return base::fail(base::errc::config_invalid, "there is no namespace " +
                                                    model::quoted_excerpt(wanted) + "; " +
                                                    list_namespaces(in.catalog));
}

base::expected<std::string> show(const show_options& options) {
  const auto address = model::parse_ip_address(options.address);
  if (!address)
    return base::fail(base::errc::config_invalid,
                      model::quoted_excerpt(options.address) +
                          " is not an IP address; use one such as 192.0.2.1 or 2001:db8::1, "
                          "without port, brackets or zone");
  const auto config = read_configuration(options.configuration);
  if (!config) return tl::unexpected(config.error());
  const auto known = read(*config);
  if (!known) return tl::unexpected(known.error());
  const auto where = find_namespace(*known, *config, options.namespace_id);
  if (!where) return tl::unexpected(where.error());
  const auto geoip = open_geoip(*config);
  if (!geoip) return tl::unexpected(geoip.error());
  auto view = look_at(
      {known->latencies.get(), &known->catalog, *where, geoip->get(), config->ranking.fallback},
      *address);
  view.entries = known->entries;
  return options.json ? latency_json(view) : latency_text(view, terminal_width());
}

} // namespace

void add_latency_show_command(CLI::App& latency, int& code) {
  auto* command =
      latency.add_subcommand("show", "Show known and predicted latencies of an address.");
  set_help(
      *command,
      "Shows where a service locates clients at the address, the latencies in the store for their "
      "cells, and the predicted latency to each region, in the order of `rank-by = latency`. Reads "
      "the same configuration as serve: keys as flags, MATCHCLOUD_* in the environment and "
      "--config. Latencies that a running service learned in the last 10 seconds may not be in the "
      "store yet. Networks of fewer than five clients are never shown.\n\n" +
          std::string{latency_json_help} +
          "\n\nExample: matchcloud latency show 81.2.69.142 --geoip city.mmdb --data-dir var");
  const auto options = std::make_shared<show_options>();
  command->add_option("ADDRESS", options->address, "An IPv4 or IPv6 address.")->required();
  add_config_option(*command, options->configuration);
  for (const auto* name :
       {"geoip", "geoip-asn", "data-dir", "store", "store-unverified", "fallback-location"})
    add_key_option(*command, options->configuration, *find_config_key(name));
  command->add_option("--namespace", options->namespace_id,
                      "The namespace (a UUID) whose regions are ranked.");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->callback(
      [options, &code] { code = cli::print_outcome("matchcloud latency show", show(*options)); });
}

} // namespace matchcloud::app
