#pragma once

#include "base/characters.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// A text with placeholders: `{uuid}`, `{int:1-1000}`, `{pick:a,b,c}`, `{ago:0-60000}` (a time that
/// many milliseconds ago, in milliseconds since 1970), `{address}` (a public IPv4 address),
/// `{line}` and the names of values, such as `{url}`, or of two whole numbers to add:
/// `{start+length}`. `{{` means `{`. A brace without a name and `}` after it, as in JSON, is
/// literal. Immutable; any thread.
class text_template {
public:
  /// The values for the placeholders of one request.
  struct values {
    std::mt19937_64& engine;
    std::string_view line;
    /// The values that a flow has saved, or the variables of a request, in the order of the names
    /// given to `parse`.
    std::span<const std::string> saved;
  };

  text_template() = default;
  /// `saved`: the names of the available values. Throws `base::failure` with `config_invalid`; the
  /// detail says what is wrong and what to write.
  static text_template parse(std::string_view text, std::span<const std::string> saved = {});

  /// Appends the text with its placeholders filled.
  void append(std::string& to, const values& from) const;

  bool uses_line() const noexcept;
  /// Whether something is drawn for each text. `variables`: the first of the available values.
  bool is_random(std::span<const text_template> variables = {}) const noexcept;
  bool begins_with_saved() const noexcept;
  bool begins_with(char first) const noexcept;
  /// Whether all characters of the template itself (not of lines or saved values) are in
  /// `allowed`.
  bool consists_of(const base::character_set& allowed) const noexcept;

private:
  /// Those after `sum` are drawn.
  enum class kind : std::uint8_t { plain, line, saved, sum, uuid, address, integer, ago, pick };
  struct piece {
    kind of;
    /// The text of `plain`, or the choices of `pick`.
    std::vector<std::string> texts{};
    /// The range of `integer` and `ago`, or the indices of the values of `saved` and `sum`.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  static piece parse_placeholder(std::string_view name, std::span<const std::string> saved);

  std::vector<piece> pieces_;
};

} // namespace matchcloud::load
