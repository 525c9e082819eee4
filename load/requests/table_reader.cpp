#include "load/requests/table_reader.hpp"

#include "cli/bounded_input.hpp"

#include <cmath>
#include <filesystem>
#include <sstream>

namespace matchcloud::load {

namespace {

constexpr std::size_t content_limit_bytes = 256UL * 1024 * 1024;

std::string quoted(std::string_view key) {
  return "`" + std::string{key} + "`";
}

} // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

void table_reader::refuse(const toml::node& node, const std::string& why) {
  if (failure_) return;
  failure_ = {base::errc::config_invalid,
              file_ + ":" + std::to_string(node.source().begin.line) + ": " + why};
}

std::optional<std::string> table_reader::text(std::string_view key, const toml::node& node) {
  auto text = node.value_exact<std::string>();
  if (!text) refuse(node, quoted(key) + " must be a string in quotes.");
  return text;
}

std::optional<std::uint64_t> table_reader::whole(std::string_view key, const toml::node& node,
                                                 std::uint64_t least, std::uint64_t most) {
  const auto number = node.value_exact<std::int64_t>();
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) >= least &&
      static_cast<std::uint64_t>(*number) <= most)
    return static_cast<std::uint64_t>(*number);
  refuse(node, quoted(key) + " must be a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + ".");
  return std::nullopt;
}

std::optional<double> table_reader::weight(const toml::node& node) {
  constexpr double most = 1e9;
  const auto weight = node.value<double>();
  if (weight && std::isfinite(*weight) && *weight > 0 && *weight <= most) return weight;
  refuse(node, "`weight` must be a number greater than 0.");
  return std::nullopt;
}

const toml::table* table_reader::table(std::string_view key, const toml::node& node) {
  const auto* table = node.as_table();
  if (table == nullptr)
    refuse(node, quoted(key) + " must be a table, such as { \"name\" = \"value\" }.");
  return table;
}

std::vector<std::string> table_reader::texts(std::string_view key, const toml::node& node) {
  std::vector<std::string> made;
  const auto* list = node.as_array();
  if (list == nullptr) {
    refuse(node, quoted(key) + " must be a list of strings, such as [\"one\", \"two\"].");
    return made;
  }
  for (const auto& each : *list)
    if (auto one = text(key, each)) made.push_back(*std::move(one));
  return made;
}

std::optional<std::string> table_reader::content(std::string_view key, const toml::node& node) {
  const auto name = text(key, node);
  if (!name) return std::nullopt;
  const auto beside = (std::filesystem::path{file_}.parent_path() / *name).string();
  auto content = cli::read_bounded_file(beside, content_limit_bytes);
  if (content && content->size() <= content_limit_bytes) return *std::move(content);
  refuse(node, beside + (content ? " has more than 256 MiB." : " " + content.error().detail));
  return std::nullopt;
}

std::vector<std::string> table_reader::lines(std::string_view key, const toml::node& node) {
  const auto text = content(key, node);
  if (!text) return {};
  auto lines = lines_of(*text);
  if (lines.empty() || lines.size() > variants_limit)
    refuse(node, quoted(key) + " has " + std::to_string(lines.size()) + " lines: 1 to " +
                     std::to_string(variants_limit) + " are allowed.");
  return lines;
}

} // namespace matchcloud::load
