#include "load/requests/table_reader.hpp"

#include "base/failure.hpp"
#include "cli/bounded_input.hpp"

#include <filesystem>
#include <sstream>

namespace matchcloud::load {

namespace {

constexpr std::size_t content_limit_bytes = 256UL * 1024 * 1024;

std::string quoted(std::string_view key) {
  return "`" + std::string{key} + "`";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

} // namespace

void table_reader::refuse(const toml::node& node, const std::string& why) const {
  throw base::failure{base::errc::config_invalid,
                      file_ + ":" + std::to_string(node.source().begin.line) + ": " + why};
}

std::string table_reader::text(std::string_view key, const toml::node& node) const {
  if (auto text = node.value_exact<std::string>()) return *std::move(text);
  refuse(node, quoted(key) + " must be a string in quotes.");
}

std::uint64_t table_reader::whole(std::string_view key, const toml::node& node, std::uint64_t least,
                                  std::uint64_t most) const {
  const auto number = node.value_exact<std::int64_t>();
  if (number && std::cmp_greater_equal(*number, least) && std::cmp_less_equal(*number, most))
    return static_cast<std::uint64_t>(*number);
  refuse(node, quoted(key) + " must be a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + ".");
}

double table_reader::weight(const toml::node& node) const {
  constexpr double most = 1e9;
  const auto weight = node.value<double>();
  if (weight && *weight > 0 && *weight <= most) return *weight;
  refuse(node, "`weight` must be a number greater than 0.");
}

const toml::table& table_reader::table(std::string_view key, const toml::node& node) const {
  if (const auto* const table = node.as_table()) return *table;
  refuse(node, quoted(key) + " must be a table, such as { \"name\" = \"value\" }.");
}

std::vector<std::string> table_reader::texts(std::string_view key, const toml::node& node) const {
  const auto* const list = node.as_array();
  if (list == nullptr)
    refuse(node, quoted(key) + " must be a list of strings, such as [\"one\", \"two\"].");
  std::vector<std::string> made;
  for (const auto& each : *list)
    made.push_back(text(key, each));
  return made;
}

std::string table_reader::content(std::string_view key, const toml::node& node) const {
  const auto beside = (std::filesystem::path{file_}.parent_path() / text(key, node)).string();
  auto content = cli::read_bounded_file(beside, content_limit_bytes);
  if (content && content->size() <= content_limit_bytes) return *std::move(content);
  refuse(node, beside + (content ? " has more than 256 MiB." : " " + content.error().detail));
}

std::vector<std::string> table_reader::lines(std::string_view key, const toml::node& node) const {
  auto lines = lines_of(content(key, node));
  if (lines.empty() || lines.size() > variants_limit)
    refuse(node, quoted(key) + " has " + std::to_string(lines.size()) + " lines: 1 to " +
                     std::to_string(variants_limit) + " are allowed.");
  return lines;
}

std::string file_content(const std::string& file, std::size_t limit_bytes,
                         const std::string& what) {
  auto text = cli::read_bounded_file(file, limit_bytes);
  if (!text) throw base::failure{base::errc::io_failed, file + " " + text.error().detail};
  if (text->size() > limit_bytes)
    throw base::failure{base::errc::config_invalid, file + " has more than " +
                                                        std::to_string(limit_bytes >> 10U) +
                                                        " KiB, the limit for " + what};
  return *std::move(text);
}

} // namespace matchcloud::load
