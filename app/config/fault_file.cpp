#include "app/config/fault_file.hpp"

#include "actors/fault_control/fault_rule.hpp"
#include "base/failure.hpp"
#include "cli/toml_document.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace matchcloud::app {

namespace {

/// Enough for rules of all points, with comments.
constexpr std::size_t fault_file_limit_bytes = 256UL * 1024;

/// Collects the rules of a TOML document.
class fault_file_reader {
public:
  explicit fault_file_reader(std::string source) : source_{std::move(source)} {}

  void read(const toml::table& table, const std::string& prefix = {}) {
    for (const auto& [key, node] : table) {
      const auto name = prefix + std::string{key.str()};
      const auto* inner = node.as_table();
      if (const auto at = base::find_fault_point(name))
        read_key(*at, node);
      else if (inner != nullptr && !inner->empty() && prefix.empty())
        read(*inner, name + ".");
      else
        refuse(node, actors::no_such_fault_point(name).detail);
    }
  }

  fault_rules take_rules() && { return std::move(rules_); }

private:
  void read_key(base::fault_point at, const toml::node& node) {
    std::ostringstream json;
    json << toml::json_formatter{node};
    const auto rule = actors::read_fault_rule(at, json.str());
    if (!rule) refuse(node, rule.error().detail);
    const auto same = [at](const auto& each) { return each.first == at; };
    if (std::ranges::any_of(rules_, same))
      refuse(node, std::string{facts_of(at).name} + " is given twice. Remove one.");
    rules_.emplace_back(at, *rule);
  }

  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const {
    throw base::failure{base::errc::config_invalid,
                        source_ + ":" + std::to_string(node.source().begin.line) + ": " + why};
  }

  std::string source_;
  fault_rules rules_;
};

} // namespace

base::expected<fault_rules> read_fault_rules(const std::string& file_or_text) {
  return base::attempt([&] {
    const bool is_text = file_or_text.find('=') != std::string::npos;
    const std::string source = is_text ? "the given text" : file_or_text;
    if (is_text && file_or_text.size() > fault_file_limit_bytes)
      throw base::failure{base::errc::config_invalid, "{}: has more than {} bytes", source,
                          fault_file_limit_bytes};
    fault_file_reader reader{source};
    reader.read(is_text ? cli::parse_toml(file_or_text, source)
                        : cli::read_toml_file(source, fault_file_limit_bytes));
    return std::move(reader).take_rules();
  });
}

} // namespace matchcloud::app
