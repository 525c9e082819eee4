#include "actors/latency_map/latency_map_state.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "app/commands/commands.hpp"
#include "app/latency/explain_report.hpp"
#include "app/latency/kept_latencies.hpp"
#include "app/latency/latency_importer.hpp"
#include "app/reports/text_table.hpp"
#include "base/clock.hpp"
#include "base/files/working_identity.hpp"
#include "cli/output_file.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/latency_csv.hpp"
#include "model/text/unicode.hpp"
#include "store/geoip/geoip_files.hpp"
#include "store/geoip/source_files.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

namespace matchcloud::app {

namespace {

// -- explain ------------------------------------------------------------------

struct explain_options {
  configuration_options configuration;
  std::vector<std::string> addresses;
  std::string namespace_id;
  std::string format = "table";
};

std::vector<model::ip_address> parse_addresses(const std::vector<std::string>& texts) {
  std::vector<model::ip_address> addresses;
  for (const auto& text : texts) {
    const auto address = model::parse_ip_address(text);
    if (!address)
      refuse(model::quoted_excerpt(text) +
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
void read_store(ranking_sources& into, const serve_config& config, const command_run& in) {
  if (!value_of(store::find_store(config.store))) {
    in.say("nothing is ranked: " + store::require_store(config.store).error().detail);
    return;
  }
  const auto database = value_of(store::open_to_read(config.store));
  into.catalog = std::make_shared<const model::catalog>(catalog_of(*database));
  actors::latency_metrics uncounted;
  actors::latency_map_state learned{config.latencies, uncounted, false};
  learned.set_catalog(into.catalog);
  read_all(*value_of(database->latencies()), [&](const auto& entries) {
    actors::latencies_kept page;
    page.changed.assign(entries.begin(), entries.end());
    learned.apply(page);
  });
  into.latencies = learned.publish(base::machine_clock().unix_ms());
}

/// Opens the GeoIP files. Call this before the store is opened.
void open_files(ranking_sources& into, const serve_config& config, const command_run& in) {
  if (config.geoip_files.empty()) in.say("no GeoIP file (--geoip FILE): every location is unknown");
  std::vector<std::shared_ptr<const store::mmdb_file>> places;
  for (const auto& path : config.geoip_files) {
    places.push_back(value_of(store::mmdb_file::open(path)));
    into.files.push_back({path, places.back()->describe()});
  }
  std::shared_ptr<const store::asn_file> asns;
  if (!config.geoip_asn_file.empty()) {
    asns = value_of(store::asn_file::open(config.geoip_asn_file));
    into.files.push_back({asns->path(), asns->database()});
  }
  into.geoip = store::geoip::of(std::move(places), std::move(asns));
}

/// The namespace of `--namespace`, which must exist: a typo would rank the wrong regions.
std::optional<model::uuid> find_namespace(const std::string& wanted, const model::catalog& in) {
  if (wanted.empty()) return std::nullopt;
  const auto id = model::parse_uuid(wanted);
  if (id && in.find_namespace(*id) != nullptr) return id;
  refuse("there is no namespace " + model::quoted_excerpt(wanted) + "; " + list_namespaces(in));
}

std::string explain(const explain_options& options, command_run& in) {
  const auto addresses = parse_addresses(options.addresses);
  const auto config = value_of(read_configuration(options.configuration));
  ranking_sources from;
  open_files(from, config, in);
  read_store(from, config, in);
  const auto where = find_namespace(options.namespace_id, *from.catalog);
  actors::ranking_settings settings{config.ranking};
  settings.geoip = from.geoip;
  settings.latencies = from.latencies;
  const actors::region_ranking_state ranking{std::move(settings), from.catalog};
  explained_addresses made{std::move(from.files), {}};
  for (const auto& each : addresses)
    made.all.push_back({each, from.geoip->describe(each), ranking.explain({{}, each, {}, where})});
  return options.format == "json" ? explain_json(made) : explain_text(made, terminal_width());
}

void add_explain(CLI::App& command, explain_options& options) {
  command.add_option("ADDRESS", options.addresses, "IPv4 or IPv6 addresses.")->required();
  add_configuration(command, options.configuration,
                    {"geoip", "geoip-asn", "data-dir", "store", "store-unverified",
                     "fallback-location", "rank-by"});
  command.add_option("--namespace", options.namespace_id,
                     "The namespace (a UUID) whose regions are ranked.");
  cli::add_format_option(command, options.format);
}

std::string explain_help() {
  return "Shows what a service with the same configuration knows about each address, and the "
         "regions that a client there gets, with their predicted latencies. It reads keys as "
         "flags, MATCHCLOUD_* in the environment and --config, as serve does. Without a store, "
         "it shows what the GeoIP files say. Latencies that a running service learned in the "
         "last 10 seconds may not be in the store yet. Networks of fewer than five clients are "
         "never shown.\n\n" +
         std::string{explain_json_help} +
         "\n\nExample: matchcloud explain 81.2.69.142 --geoip city.mmdb --data-dir var";
}

// -- latency export -----------------------------------------------------------

struct latency_export_options {
  store::store_place store;
  std::string file = "-";
};

/// Whether the entry belongs to a region of the catalog that has not moved since, so that its
/// latency can be used.
bool is_current(const model::learned_entry& entry, const model::catalog& in) {
  const auto* const region = in.find_region(entry.region_id);
  return region != nullptr && region->datacenter_coord == entry.region_at;
}

std::string export_latencies(const latency_export_options& options, command_run& in) {
  // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
  auto to = value_of(cli::output_file::open(options.file));
  const auto& until = in.until();
  const auto database = value_of(store::open_to_read(options.store));
  const auto catalog = catalog_of(*database);
  const auto latencies = value_of(database->latencies());
  value_of(to.begin(until));
  auto& progress = in.progress();
  progress.begin("latencies", std::nullopt);
  std::uint64_t rows = 0;
  std::uint64_t obsolete = 0;
  std::string text{model::latency_csv_header};
  read_all(*latencies, [&](const auto& entries) {
    if (until.came()) give_up("interrupted");
    for (const auto& each : entries) {
      if (!is_current(each, catalog))
        ++obsolete;
      else if (append_latency_csv(text, each))
        ++rows;
    }
    progress.show(rows, rows);
    value_of(to.write(std::exchange(text, {})));
  });
  value_of(to.complete());
  auto line = fmt::format("{} latencies, {} bytes", rows, to.bytes());
  if (obsolete > 0)
    line += fmt::format("\n{}: {} latencies were left out: their regions are not in the catalog or "
                        "have moved",
                        in.name(), obsolete);
  in.end_with(ok, std::move(line));
  return {};
}

constexpr const char* latency_export_help =
    "Writes a CSV (RFC 4180) with a row for each cell (network, place) and region of the catalog, "
    "in the order of their last change. Networks of fewer than five clients are never included. "
    "`reporters` is the number of clients of a network and of networks of a place, at most 16; "
    "`reports` is their effective number when the last one reported (`reported`).\n\n"
    "`latency import` reads the file; only the spread of a cell's reports is lost. A row that a "
    "service changes during the export can be in the file twice.\n\n"
    "FILE is replaced only once the export is complete: it is whole, or as it was before. The last "
    "line on stderr counts latencies and bytes.\n\n"
    "Example: matchcloud latency export latencies.csv --data-dir var\n"
    "Example: matchcloud latency export --store postgresql:///matchcloud | gzip > latencies.csv.gz";

// -- latency import -----------------------------------------------------------

struct latency_import_options {
  configuration_options configuration;
  std::vector<std::string> files;
  bool skips_unknown = false;
};

void check_rows(const latency_import_options& options, latency_importer& import) {
  for (const auto& file : options.files) {
    // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
    const auto checked = base::attempt([&] {
      auto lines = line_input::open(file);
      const cli::interrupt until;
      import.check(file, lines, until);
    });
    if (!checked) give_up(file + ": " + checked.error().detail);
  }
  if (import.findings().empty()) return;
  give_up("nothing was added:\n" + import.findings().failure().value().detail);
}

std::string import_latencies(const latency_import_options& options, command_run& in) {
  const auto config = value_of(read_configuration(options.configuration));
  const auto database =
      value_of(store::open_existing_store(config.store, {.use = store::workload::bulk}));
  const auto catalog = catalog_of(*database);
  latency_import_settings settings;
  settings.catalog = &catalog;
  if (!config.geoip_files.empty())
    settings.open_geoip = [&] {
      const base::as_invoker self;
      return value_of(store::geoip_files::open(config.geoip_files, config.geoip_asn_file))
          ->in_force();
    };
  settings.skips_unknown = options.skips_unknown;
  settings.now_ms = base::machine_clock().unix_ms();
  latency_importer import{std::move(settings), in.progress()};
  check_rows(options, import);
  const auto& until = in.until();
  const auto done = import.write(*value_of(database->latencies()), until);
  auto text = fmt::format("{} rows added to {} latencies; {} rows of unknown regions skipped",
                          done.rows, done.entries, done.skipped);
  if (done.former > 0)
    text += fmt::format("; {} rows of the kinds asn and country skipped", done.former);
  return text + "\n";
}

void add_latency_import(CLI::App& command, latency_import_options& options) {
  add_configuration(command, options.configuration,
                    {"data-dir", "store", "store-unverified", "geoip"});
  command.add_flag("--skip-unknown", options.skips_unknown,
                   "Skip and count rows of regions that are not in the catalog.");
  command.add_option("FILE", options.files, "CSV; - is stdin.")->required();
}

constexpr const char* latency_import_help =
    "A file is CSV (RFC 4180) whose first line names the columns, in any order:\n\n"
    "kind,cell - a network or place, as `latency export` writes it; or\n"
    "latitude,longitude - degrees; or\n"
    "address - an IP address, whose place is looked up in the configured GeoIP files\n"
    "region - a region of the catalog\n"
    "ms - milliseconds\n"
    "reports - the number of reports that the row represents, 0.1 to 200; if empty, reporters\n"
    "reporters - the number of clients that reported; if empty, reports; a network needs at least "
    "5\n"
    "reported - when: a time (RFC 3339) or a date; now if empty\n\n"
    "Rows by coordinates or address count only for the place. All files are checked first; if "
    "there is any error, nothing is added. Then rows are added to the latencies in the store; "
    "importing a file again adds nothing. A row counts as at most 16 networks. Rows of the kinds "
    "asn and country, which earlier versions wrote, are skipped. Running services use the import "
    "within 15 seconds. All files together may have 2,000,000 rows.\n\n"
    "Example: matchcloud latency import measured.csv --data-dir var\n"
    "Example: matchcloud latency import --geoip city.mmdb --skip-unknown january.csv february.csv";

} // namespace

cli::commands explain_command() {
  return {command_with<explain_options>(
      "explain", "Show where addresses are and how regions are ranked for them.", explain_help(),
      add_explain, explain)};
}

cli::commands latency_commands() {
  return {{"latency", "Import and export learned latencies.",
           "Works on the store; running servers on it see each change within 15 seconds. See "
           "docs/latency.md.\n\nExample: matchcloud latency export latencies.csv"},
          command_with<latency_import_options>("latency import", "Add measured latencies from CSV.",
                                               latency_import_help, add_latency_import,
                                               import_latencies),
          command_with<latency_export_options>(
              "latency export", "Write all learned latencies as CSV.", latency_export_help,
              [](CLI::App& command, latency_export_options& options) {
                add_store_options(command, options.store);
                command.add_option("FILE", options.file, "The output file; - is stdout.")
                    ->capture_default_str()
                    ->check(not_empty());
              },
              export_latencies)};
}

} // namespace matchcloud::app
