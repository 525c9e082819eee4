#include "app/commands/payload_options.hpp"

#include "app/commands/commands.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr std::array kinds{std::pair{"version", model::payload_kind::version},
                           std::pair{"game", model::payload_kind::game},
                           std::pair{"group", model::payload_kind::group}};

} // namespace

void add_payload_options(CLI::App& command, payload_options& options,
                         const std::string& what_kind_is) {
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const auto& each : kinds)
    names.emplace_back(each.first);
  const auto set_kind = [&options](const std::string& name) {
    options.kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) {
                     return each.first == name;
                   })->second;
  };
  command.add_option_function<std::string>("--kind", set_kind, what_kind_is)
      ->check(CLI::IsMember(names))
      ->default_str(kinds.front().first);
  command.add_option("--rules", options.rules_file, "A TOML file with the rules and limits.")
      ->check(named_file());
}

base::expected<payload_rules> rules_of(const payload_options& options) {
  if (options.rules_file.empty()) return default_payload_rules();
  return read_rules_file(options.rules_file);
}

} // namespace matchcloud::app
