#pragma once

#include "base/characters.hpp"
#include "base/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace matchcloud::load {

/// A text with placeholders: `{uuid}`, `{int:1-1000}`, `{pick:a,b,c}`, `{line}`, and in a flow the
/// names of saved values, such as `{url}`. `{{` means `{`. A brace without a name and `}` after it,
/// as in JSON, is literal. Immutable; any thread.
class text_template {
public:
  /// The values for the placeholders of one request.
  struct values {
    std::mt19937_64& engine;
    std::string_view line;
    /// The values that a flow has saved, in the order of the names given to `parse`.
    std::span<const std::string> saved;
  };

  text_template() = default;
  /// Fails with `config_invalid`; the detail says what is wrong and what to write. `saved`: the
  /// names of the available values.
  static base::expected<text_template> parse(std::string_view text,
                                             std::span<const std::string> saved = {});

  /// Appends the text with its placeholders filled.
  void append(std::string& to, const values& from) const;

  bool uses_line() const noexcept;
  /// Whether all requests have the same text.
  bool is_constant() const noexcept;
  bool begins_with_saved() const noexcept;
  bool begins_with(char first) const noexcept;
  /// Whether all characters of the template itself (not of lines or saved values) are in
  /// `allowed`.
  bool consists_of(const base::character_set& allowed) const noexcept;

private:
  struct made_uuid {};
  struct made_int {
    std::uint64_t first;
    std::uint64_t last;
  };
  struct next_line {};
  struct saved_value {
    std::size_t index;
  };
  using choices = std::vector<std::string>;
  using piece = std::variant<std::string, made_uuid, made_int, choices, next_line, saved_value>;

  static base::expected<piece> parse_placeholder(std::string_view name,
                                                 std::span<const std::string> saved);

  std::vector<piece> pieces_;
};

} // namespace matchcloud::load
