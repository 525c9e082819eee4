#pragma once

#include "base/failure.hpp"
#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// The limit on different requests in one part of a mix.
inline constexpr std::size_t variants_limit = 1'000'000;

/// The bytes of a file of at most `limit_bytes`; `what` says what it is. Throws `base::failure`
/// with `io_failed` or `config_invalid`.
inline std::string file_content(const std::string& file, std::size_t limit_bytes,
                                const std::string& what) {
  auto text = cli::read_bounded_file(file, limit_bytes);
  if (!text) throw base::failure{base::errc::io_failed, file + " " + text.error().detail};
  if (text->size() > limit_bytes)
    throw base::failure{
        base::errc::config_invalid,
        fmt::format("{} has more than {} KiB, the limit for {}", file, limit_bytes >> 10U, what)};
  return *std::move(text);
}

/// Reads the values of a TOML file. All functions throw `base::failure` with `config_invalid`; the
/// detail has the file and the line, what is wrong and what to write. One thread.
class table_reader {
public:
  /// `file`: the name of the TOML file, for messages and to find other files next to it.
  explicit table_reader(std::string file) : file_{std::move(file)} {}

  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const {
    throw base::failure{base::errc::config_invalid,
                        fmt::format("{}:{}: {}", file_, node.source().begin.line, why)};
  }

  /// Refuses an unknown key; `allowed`: the known ones.
  [[noreturn]] void refuse_key(const toml::node& node, std::string_view key,
                               std::string_view allowed) const {
    refuse(node, fmt::format("there is no `{}`. Allowed: {}.", key, allowed));
  }

  /// The text at `node`; otherwise refuses it and says what `key` must be.
  std::string text(std::string_view key, const toml::node& node) const {
    if (auto text = node.value_exact<std::string>()) return *std::move(text);
    refuse(node, fmt::format("`{}` must be a string in quotes.", key));
  }

  std::uint64_t whole(std::string_view key, const toml::node& node, std::uint64_t least,
                      std::uint64_t most) const {
    const auto number = node.value_exact<std::int64_t>();
    if (number && std::cmp_greater_equal(*number, least) && std::cmp_less_equal(*number, most))
      return static_cast<std::uint64_t>(*number);
    refuse(node, fmt::format("`{}` must be a whole number from {} to {}.", key, least, most));
  }

  double weight(const toml::node& node) const {
    constexpr double most = 1e9;
    const auto weight = node.value<double>();
    if (weight && *weight > 0 && *weight <= most) return *weight;
    refuse(node, "`weight` must be a number greater than 0.");
  }

  const toml::table& table(std::string_view key, const toml::node& node) const {
    if (const auto* const table = node.as_table()) return *table;
    refuse(node, fmt::format("`{}` must be a table, such as {{ \"name\" = \"value\" }}.", key));
  }

  /// The texts of the list at `node`.
  std::vector<std::string> texts(std::string_view key, const toml::node& node) const {
    const auto* const list = node.as_array();
    if (list == nullptr)
      refuse(node, fmt::format("`{}` must be a list of strings, such as [\"one\", \"two\"].", key));
    std::vector<std::string> made;
    for (const auto& each : *list)
      made.push_back(text(key, each));
    return made;
  }

  /// The bytes of the file that `node` names, relative to the TOML file.
  std::string content(std::string_view key, const toml::node& node) const {
    const auto beside = (std::filesystem::path{file_}.parent_path() / text(key, node)).string();
    try {
      return file_content(beside, content_limit_bytes, "a file that a mix names");
    } catch (const base::failure& why) {
      refuse(node, why.what());
    }
  }

  /// The non-empty lines of such a file: 1 to `variants_limit`.
  std::vector<std::string> lines(std::string_view key, const toml::node& node) const {
    auto lines = lines_of(content(key, node));
    if (lines.empty() || lines.size() > variants_limit)
      refuse(node, fmt::format("`{}` has {} lines: 1 to {} are allowed.", key, lines.size(),
                               variants_limit));
    return lines;
  }

private:
  static constexpr std::size_t content_limit_bytes = 256UL * 1024 * 1024;

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  }

  std::string file_;
};

} // namespace matchcloud::load
