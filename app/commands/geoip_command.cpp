#include "app/commands/commands.hpp"
#include "app/commands/configuration_options.hpp"
#include "app/reports/geoip_report.hpp"
#include "app/reports/text_table.hpp"
#include "base/files/working_identity.hpp"
#include "cli/print.hpp"

#include "model/catalog/named_game.hpp"
#include "model/text/unicode.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace matchcloud::app {

namespace {

struct geoip_options {
  configuration_options configuration;
  std::vector<std::string> addresses;
  std::string namespace_id;
  bool json = false;
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

base::expected<model::catalog> load_catalog(const store::store_place& place) {
  return store::open_to_read(place)
      .and_then([](const auto& database) { return database->catalog(); })
      .and_then([](const auto& from) { return from->load(); });
}

/// Loads the catalog. If the store is missing, nothing is ranked; if it is unreadable, that is an
/// error.
base::expected<void> choose_catalog(geoip_inputs& in, const store::store_place& place) {
  const auto found = store::find_store(place);
  if (!found) return tl::unexpected(found.error());
  if (!*found) {
    in.catalog = tl::unexpected(store::require_store(place).error());
    return {};
  }
  in.catalog = load_catalog(place);
  if (!in.catalog) return tl::unexpected(in.catalog.error());
  return {};
}

/// Fails if `--namespace` is not in the catalog: a typo would rank the wrong regions.
base::expected<void> choose_namespace(geoip_inputs& in, const std::string& wanted) {
  if (wanted.empty()) return {};
  in.namespace_id = model::parse_uuid(wanted);
  if (!in.namespace_id)
    return base::fail(base::errc::config_invalid,
                      "--namespace " + model::quoted_excerpt(wanted) + " is not a UUID");
  if (in.catalog && in.catalog->find_namespace(*in.namespace_id) == nullptr)
    return base::fail(base::errc::config_invalid, "there is no namespace " +
                                                      to_string(*in.namespace_id) + "; " +
                                                      list_namespaces(*in.catalog));
  return {};
}

base::expected<geoip_inputs> open_inputs(const geoip_options& options) {
  const auto config = read_configuration(options.configuration);
  if (!config) return tl::unexpected(config.error());
  geoip_inputs in;
  in.fallback = config->ranking.fallback;
  in.namespace_id = config->ranking.default_namespace;
  if (auto read = choose_catalog(in, config->store); !read) return tl::unexpected(read.error());
  if (auto chosen = choose_namespace(in, options.namespace_id); !chosen)
    return tl::unexpected(chosen.error());
  const base::as_invoker self;
  for (const auto& path : config->geoip_files) {
    auto file = store::mmdb_file::open(path);
    if (!file) return tl::unexpected(file.error());
    in.files.push_back(*std::move(file));
  }
  if (!config->geoip_asn_file.empty()) {
    auto file = store::asn_file::open(config->geoip_asn_file);
    if (!file) return tl::unexpected(file.error());
    in.asns = *std::move(file);
  }
  return in;
}

base::expected<std::string> report(const geoip_options& options) {
  const auto addresses = parse_addresses(options.addresses);
  if (!addresses) return tl::unexpected(addresses.error());
  const auto in = open_inputs(options);
  if (!in) return tl::unexpected(in.error());
  std::vector<located_client> clients;
  for (const auto& address : *addresses)
    clients.push_back(locate_client(*in, address));
  return options.json ? geoip_json(*in, clients) : geoip_text(*in, clients, terminal_width());
}

} // namespace

void add_geoip_command(CLI::App& program, int& code) {
  auto* command = program.add_subcommand(
      "geoip", "Show where addresses are and how regions are ranked for them.");
  set_help(*command,
           "Shows what a service with the same configuration knows about each address. It reads "
           "keys as flags, MATCHCLOUD_* in the environment and --config, as serve does. Regions "
           "come from the store in --data-dir, for --namespace or else default-namespace; without "
           "a store nothing is ranked.\n\n" +
               std::string{geoip_json_help} +
               "\n\nExample: matchcloud geoip 81.2.69.142 --geoip city.mmdb --data-dir var");
  const auto options = std::make_shared<geoip_options>();
  command->add_option("ADDRESS", options->addresses, "IPv4 or IPv6 addresses.")->required();
  add_config_option(*command, options->configuration);
  for (const auto* name : {"geoip", "geoip-asn", "data-dir", "fallback-location"})
    add_key_option(*command, options->configuration, *find_config_key(name));
  command->add_option("--namespace", options->namespace_id,
                      "The namespace (a UUID) whose regions are ranked.");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->callback(
      [options, &code] { code = cli::print_outcome("matchcloud geoip", report(*options)); });
}

} // namespace matchcloud::app
