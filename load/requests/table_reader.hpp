#pragma once

#include "base/expected.hpp"
#include "cli/toml_document.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// Reads the values of a TOML file and keeps the first mistake, with its file and line. One thread.
class table_reader {
public:
  /// `file`: the name of the TOML file, for messages and to find other files next to it.
  explicit table_reader(std::string file) : file_{std::move(file)} {}

  void refuse(const toml::node& node, const std::string& why);
  bool has_failed() const noexcept { return failure_.has_value(); }
  const std::optional<base::error>& failure() const noexcept { return failure_; }

  /// The text at `node`; otherwise refuses it and says what `key` must be.
  std::optional<std::string> text(std::string_view key, const toml::node& node);
  std::optional<std::uint64_t> whole(std::string_view key, const toml::node& node,
                                     std::uint64_t least, std::uint64_t most);
  std::optional<double> weight(const toml::node& node);
  const toml::table* table(std::string_view key, const toml::node& node);
  /// The texts of the list at `node`.
  std::vector<std::string> texts(std::string_view key, const toml::node& node);
  /// The bytes of the file that `node` names, relative to the TOML file.
  std::optional<std::string> content(std::string_view key, const toml::node& node);
  /// The non-empty lines of such a file: 1 to `variants_limit`.
  std::vector<std::string> lines(std::string_view key, const toml::node& node);

private:
  std::string file_;
  std::optional<base::error> failure_;
};

/// The limit on different requests in one part of a mix.
inline constexpr std::size_t variants_limit = 1'000'000;

/// The non-empty lines of a text, without line ends.
std::vector<std::string> lines_of(const std::string& text);

} // namespace matchcloud::load
