#include "actors/latency_map/latency_map_state.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/configuration_options.hpp"
#include "app/config/config.hpp"
#include "app/latency/explain_report.hpp"
#include "app/latency/kept_latencies.hpp"
#include "app/latency/latency_commands.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "cli/print.hpp"
#include "model/catalog/named_game.hpp"
#include "model/text/unicode.hpp"
#include "store/engines/store_place.hpp"
#include "store/geoip/asn_file.hpp"
#include "store/geoip/mmdb_file.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

struct explain_options {
  configuration_options configuration;
  std::vector<std::string> addresses;
  std::string namespace_id;
  std::string format = "table";
};

base::expected<std::vector<model::ip_address>>
parse_addresses(const std::vector<std::string>& texts) {
  std::vector<model::ip_address> addresses;
  for (const auto& text : texts) {
    const auto address = model::parse_ip_address(text);
    if (!address)
      return base::fail(base::errc::config_invalid,
                        model::quoted_excerpt(text) +
                            " is not an IP address; write it like 192.0.2.1 or 2001:db8::1, "
                            "without port, brackets or zone");
    addresses.push_back(*address);
  }
  return addresses;
}

/// What a service has besides its configuration when it ranks regions.
struct ranking_sources {
  model::catalog_snapshot catalog = std::make_shared<const model::catalog>();
  std::shared_ptr<const model::latency_snapshot> latencies;
  std::vector<explained_file> files;
  std::shared_ptr<const store::geoip> geoip;
};

/// Reads the catalog and all latencies, because those of other places count too. Without a store,
/// there are no regions.
base::expected<void> read_store(ranking_sources& into, const serve_config& config) {
  const auto found = store::find_store(config.store);
  if (!found) return tl::unexpected(found.error());
  if (!*found) {
    const auto missing = store::require_store(config.store);
    cli::say("matchcloud explain", "nothing is ranked: " + missing.error().detail);
    return {};
  }
  const auto database = store::open_to_read(config.store);
  if (!database) return tl::unexpected(database.error());
  auto catalog = (*database)->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  into.catalog = std::make_shared<const model::catalog>(*std::move(catalog));
  const auto in = (*database)->latencies();
  if (!in) return tl::unexpected(in.error());
  actors::latency_metrics uncounted;
  actors::latency_map_state learned{config.latencies, uncounted, false};
  learned.set_catalog(into.catalog);
  const auto done = read_all(**in, [&](const auto& entries) -> base::expected<void> {
    actors::latencies_kept page;
    page.changed.assign(entries.begin(), entries.end());
    learned.apply(page);
    return {};
  });
  into.latencies = learned.publish(base::machine_clock().unix_ms());
  return done;
}

/// Opens the GeoIP files. Call this before the store is opened.
base::expected<void> open_files(ranking_sources& into, const serve_config& config) {
  if (config.geoip_files.empty())
    cli::say("matchcloud explain", "no GeoIP file (--geoip FILE): every location is unknown");
  std::vector<std::shared_ptr<const store::mmdb_file>> places;
  for (const auto& path : config.geoip_files) {
    auto file = store::mmdb_file::open(path);
    if (!file) return tl::unexpected(file.error());
    into.files.push_back({path, (*file)->describe()});
    places.push_back(*std::move(file));
  }
  std::shared_ptr<const store::asn_file> asns;
  if (!config.geoip_asn_file.empty()) {
    auto file = store::asn_file::open(config.geoip_asn_file);
    if (!file) return tl::unexpected(file.error());
    asns = *std::move(file);
    into.files.push_back({asns->path(), asns->database()});
  }
  into.geoip = store::geoip::of(std::move(places), std::move(asns));
  return {};
}

/// The namespace of `--namespace`, which must exist: a typo would rank the wrong regions.
base::expected<std::optional<model::uuid>> find_namespace(const std::string& wanted,
                                                          const model::catalog& in) {
  if (wanted.empty()) return std::nullopt;
  const auto id = model::parse_uuid(wanted);
  if (id && in.find_namespace(*id) != nullptr) return id;
  return base::fail(base::errc::config_invalid, "there is no namespace " +
                                                    model::quoted_excerpt(wanted) + "; " +
                                                    list_namespaces(in));
}

base::expected<std::string> explain(const explain_options& options) {
  const auto addresses = parse_addresses(options.addresses);
  if (!addresses) return tl::unexpected(addresses.error());
  const auto config = read_configuration(options.configuration);
  if (!config) return tl::unexpected(config.error());
  ranking_sources from;
  if (auto opened = open_files(from, *config); !opened) return tl::unexpected(opened.error());
  if (auto read = read_store(from, *config); !read) return tl::unexpected(read.error());
  const auto where = find_namespace(options.namespace_id, *from.catalog);
  if (!where) return tl::unexpected(where.error());
  actors::ranking_settings settings{config->ranking};
  settings.geoip = from.geoip;
  settings.latencies = from.latencies;
  const actors::region_ranking_state ranking{std::move(settings), from.catalog};
  explained_addresses made{std::move(from.files), {}};
  for (const auto& each : *addresses)
    made.all.push_back({each, from.geoip->describe(each), ranking.explain({{}, each, {}, *where})});
  return options.format == "json" ? explain_json(made) : explain_text(made, terminal_width());
}

} // namespace

void add_explain_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand(
      "explain", "Show where addresses are and how regions are ranked for them.");
  set_help(*command,
           "Shows what a service with the same configuration knows about each address, and the "
           "regions that a client there gets, with their predicted latencies. It reads keys as "
           "flags, MATCHCLOUD_* in the environment and --config, as serve does. Without a store, "
           "it shows what the GeoIP files say. Latencies that a running service learned in the "
           "last 10 seconds may not be in the store yet. Networks of fewer than five clients are "
           "never shown.\n\n" +
               std::string{explain_json_help} +
               "\n\nExample: matchcloud explain 81.2.69.142 --geoip city.mmdb --data-dir var");
  const auto options = std::make_shared<explain_options>();
  command->add_option("ADDRESS", options->addresses, "IPv4 or IPv6 addresses.")->required();
  add_config_option(*command, options->configuration);
  for (const auto* name : {"geoip", "geoip-asn", "data-dir", "store", "store-unverified",
                           "fallback-location", "rank-by"})
    add_key_option(*command, options->configuration, *find_config_key(name));
  command->add_option("--namespace", options->namespace_id,
                      "The namespace (a UUID) whose regions are ranked.");
  cli::add_format_option(*command, options->format);
  command->callback(
      [options, &code] { code = cli::print_outcome("matchcloud explain", explain(*options)); });
}

} // namespace matchcloud::app
