#include "app/commands/payload_options.hpp"

#include "app/commands/commands.hpp"

#include <vector>

namespace matchcloud::app {

void add_payload_options(CLI::App& command, payload_options& options,
                         const std::string& what_kind_is) {
  const auto& kinds = model::payload_kind_names;
  const std::vector<std::string> names{kinds.begin(), kinds.end()};
  const auto set_kind = [&options](const std::string& name) {
    options.kind = model::parse_payload_kind(name).value();
  };
  auto* kind = command.add_option_function<std::string>("--kind", set_kind, what_kind_is);
  cli::set_choices(*kind, names)->default_str(names.front());
  command.add_option("--rules", options.rules_file, "A TOML file with the rules and limits.")
      ->check(named_file());
}

base::expected<payload_rules> rules_of(const payload_options& options) {
  if (options.rules_file.empty()) return default_payload_rules();
  return read_rules_file(options.rules_file);
}

} // namespace matchcloud::app
