#include "app/commands/commands.hpp"
#include "app/commands/configuration_options.hpp"
#include "app/latency/latency_commands.hpp"
#include "app/latency/latency_importer.hpp"
#include "base/clock.hpp"
#include "base/files/working_identity.hpp"
#include "cli/print.hpp"
#include "store/engines/store_place.hpp"
#include "store/geoip/geoip_files.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

namespace {

struct import_options {
  configuration_options configuration;
  std::vector<std::string> files;
  bool skips_unknown = false;
};

base::expected<void> check(const import_options& options, latency_importer& import) {
  for (const auto& file : options.files) {
    // Opens before signals are caught: opening a named pipe blocks, and a signal must still end it.
    auto in = line_input::open(file);
    const cli::interrupt until;
    const auto checked =
        in.and_then([&](line_input& opened) { return import.check(file, opened, until); });
    if (!checked) return base::fail(checked.error().code, file + ": " + checked.error().detail);
  }
  if (import.findings().empty()) return {};
  auto all = import.findings().failure();
  all.value().detail.insert(0, "nothing was added:\n");
  return all;
}

base::expected<latency_import_summary> run_import(const import_options& options) {
  const auto config = read_configuration(options.configuration);
  if (!config) return tl::unexpected(config.error());
  const auto database = store::open_existing_store(config->store, {.use = store::workload::bulk});
  if (!database) return tl::unexpected(database.error());
  const auto catalog =
      (*database)->catalog().and_then([](const auto& from) { return from->load(); });
  if (!catalog) return tl::unexpected(catalog.error());
  latency_import_settings settings;
  settings.catalog = &*catalog;
  if (!config->geoip_files.empty())
    settings.open_geoip = [&] {
      const base::as_invoker self;
      return store::geoip_files::open(config->geoip_files, config->geoip_asn_file)
          .map([](const auto& files) { return files->in_force(); });
    };
  settings.skips_unknown = options.skips_unknown;
  settings.now_ms = base::machine_clock().unix_ms();
  cli::progress_display progress{base::machine_clock()};
  latency_importer import{std::move(settings), progress};
  if (auto checked = check(options, import); !checked) return tl::unexpected(checked.error());
  const cli::interrupt until;
  const auto into = (*database)->latencies();
  if (!into) return tl::unexpected(into.error());
  return import.write(**into, until);
}

int report(const base::expected<latency_import_summary>& done) {
  if (!done) {
    cli::say("matchcloud latency import", done.error().detail);
    return done.error().code == base::errc::config_invalid ? usage : failed;
  }
  std::cout << done->rows << " rows added to " << done->entries << " latencies; " << done->skipped
            << " rows of unknown regions skipped";
  if (done->former > 0)
    std::cout << "; " << done->former << " rows of the kinds asn and country skipped";
  std::cout << std::endl;
  return ok;
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

void add_latency_import_command(CLI::App& latency, int& code) {
  auto* command = latency.add_subcommand("import", "Add measured latencies from CSV.");
  set_help(*command, latency_import_help);
  const auto options = std::make_shared<import_options>();
  add_config_option(*command, options->configuration);
  for (const auto* name : {"data-dir", "store", "store-unverified", "geoip"})
    add_key_option(*command, options->configuration, *find_config_key(name));
  command->add_flag("--skip-unknown", options->skips_unknown,
                    "Skip and count rows of regions that are not in the catalog.");
  command->add_option("FILE", options->files, "CSV; - is stdin.")->required();
  command->callback([options, &code] { code = report(run_import(*options)); });
}

} // namespace matchcloud::app
