#include "app/client/ca_file_option.hpp"

#include "cli/ca_file.hpp"
#include "cli/command_line.hpp"

#include <cstdlib>
#include <utility>

namespace matchcloud::app {

CLI::Option* add_ca_file_option(CLI::App& command, std::string& file) {
  return command
      .add_option("--ca-file", file,
                  "A PEM file with the certificates of the authorities to trust with https instead "
                  "of the system's. Default: the file that MATCHCLOUD_CA_FILE names, if set.")
      ->check(cli::named_file());
}

certificate_authorities authorities_of(const std::string& file) {
  const char* value =
      std::getenv(cli::ca_file_variable); // NOLINT(concurrency-mt-unsafe): no threads yet
  const bool is_given = !file.empty();
  const std::string name = is_given || value == nullptr ? file : value;
  if (name.empty()) return {};
  auto read = certificate_authorities::read(name);
  if (read) return *std::move(read);
  throw CLI::ValidationError{is_given ? "--ca-file" : cli::ca_file_variable, read.error().detail};
}

} // namespace matchcloud::app
