#include "app/config/rules_file.hpp"

#include "app/config/config.hpp"
#include "base/failure.hpp"
#include "model/text/catalog_names.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

/// Names in ascending order without duplicates; empty if the file does not give them.
std::optional<std::vector<std::string>> names_given(const std::vector<given_value>& given,
                                                    std::string_view key) {
  const auto found = std::ranges::find(given, key, &given_value::key);
  if (found == given.end()) return std::nullopt;
  auto names = found->values;
  for (const auto& name : names)
    if (!model::is_identifier(name))
      throw base::failure{base::errc::config_invalid, found->source + " = \"" + name +
                                                          "\" is not valid; allowed: " +
                                                          std::string{model::identifier_allowed}};
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

} // namespace

payload_rules default_payload_rules() {
  return {{}, model::default_reference_names(), http::limits{}.body_limit_bytes};
}

base::expected<payload_rules> read_rules_file(const std::string& file) {
  return base::attempt([&] {
    const auto given = base::value_of(read_config_file(file, catalog_names::accepted));
    const auto config = base::value_of(make_config(given));
    auto names = model::default_reference_names();
    if (auto tiers = names_given(given, "tiers")) names.tiers = *std::move(tiers);
    names.regions = names_given(given, "regions");
    return payload_rules{config.rules, std::move(names), config.limits.body_limit_bytes};
  });
}

} // namespace matchcloud::app
