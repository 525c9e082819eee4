#pragma once

#include "cli/toml_document.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// Reads the values of a TOML file. All functions throw `base::failure` with `config_invalid`; the
/// detail has the file and the line, what is wrong and what to write. One thread.
class table_reader {
public:
  /// `file`: the name of the TOML file, for messages and to find other files next to it.
  explicit table_reader(std::string file) : file_{std::move(file)} {}

  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const;

  /// The text at `node`; otherwise refuses it and says what `key` must be.
  std::string text(std::string_view key, const toml::node& node) const;
  std::uint64_t whole(std::string_view key, const toml::node& node, std::uint64_t least,
                      std::uint64_t most) const;
  double weight(const toml::node& node) const;
  const toml::table& table(std::string_view key, const toml::node& node) const;
  /// The texts of the list at `node`.
  std::vector<std::string> texts(std::string_view key, const toml::node& node) const;
  /// The bytes of the file that `node` names, relative to the TOML file.
  std::string content(std::string_view key, const toml::node& node) const;
  /// The non-empty lines of such a file: 1 to `variants_limit`.
  std::vector<std::string> lines(std::string_view key, const toml::node& node) const;

private:
  std::string file_;
};

/// The limit on different requests in one part of a mix.
inline constexpr std::size_t variants_limit = 1'000'000;

/// The bytes of a file of at most `limit_bytes`; `what` says what it is. Throws `base::failure`
/// with `io_failed` or `config_invalid`.
std::string file_content(const std::string& file, std::size_t limit_bytes, const std::string& what);

} // namespace matchcloud::load
