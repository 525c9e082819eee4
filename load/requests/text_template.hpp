#pragma once

#include "base/characters.hpp"
#include "base/clock.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  static text_template parse(std::string_view text, std::span<const std::string> saved = {}) {
    text_template made;
    std::string plain;
    const auto keep_plain = [&] {
      if (!plain.empty()) made.pieces_.push_back({kind::plain, {std::exchange(plain, {})}});
    };
    while (!text.empty()) {
      const auto brace = std::min(text.find('{'), text.size());
      plain += text.substr(0, brace);
      text.remove_prefix(brace);
      if (text.empty()) break;
      if (text.starts_with("{{")) {
        plain += '{';
        text.remove_prefix(2);
        continue;
      }
      const auto name = placeholder_in(text);
      if (name.empty()) {
        plain += '{';
        text.remove_prefix(1);
        continue;
      }
      keep_plain();
      made.pieces_.push_back(parse_placeholder(name, saved));
      text.remove_prefix(name.size() + 2);
    }
    keep_plain();
    return made;
  }

  /// Whether a value can have this name.
  static bool can_name(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 6> taken{"uuid", "int", "pick",
                                                    "line", "ago", "address"};
    return !text.empty() && is_letter(text.front()) && name_tail.contains_all(text) &&
           std::ranges::find(taken, text) == taken.end();
  }

  /// Appends the text with its placeholders filled.
  void append(std::string& to, const values& from) const {
    for (const auto& [of, texts, first, last] : pieces_)
      switch (of) {
      case kind::plain: to += texts.front(); break;
      case kind::uuid: to += made_uuid_text(from.engine); break;
      case kind::address: to += public_address(from.engine); break;
      case kind::integer: to += std::to_string(drawn_from(from.engine, first, last)); break;
      case kind::ago: {
        const auto now = static_cast<std::uint64_t>(base::machine_clock().unix_ms());
        to += std::to_string(now - std::min(now, drawn_from(from.engine, first, last)));
        break;
      }
      case kind::pick: to += texts[from.engine() % texts.size()]; break;
      case kind::line: to += from.line; break;
      case kind::saved: to += from.saved[first]; break;
      case kind::sum: {
        const auto number = [&](std::uint64_t index) {
          return base::parse_decimal<std::uint64_t>(from.saved[index]).value_or(0);
        };
        to += std::to_string(number(first) + number(last));
        break;
      }
      }
  }

  bool uses_line() const noexcept {
    return std::ranges::any_of(pieces_, [](const auto& each) { return each.of == kind::line; });
  }

  /// Whether something is drawn for each text. `variables`: the first of the available values.
  bool is_random(std::span<const text_template> variables = {}) const noexcept {
    const auto is_drawn = [variables](std::uint64_t index) {
      return index < variables.size() && variables[index].is_random();
    };
    return std::ranges::any_of(pieces_, [&](const piece& each) {
      const bool has_values = each.of == kind::saved || each.of == kind::sum;
      return each.of > kind::sum || (has_values && (is_drawn(each.first) || is_drawn(each.last)));
    });
  }
  bool begins_with_saved() const noexcept {
    return !pieces_.empty() && pieces_.front().of == kind::saved;
  }

  bool begins_with(char first) const noexcept {
    return !pieces_.empty() && pieces_.front().of == kind::plain &&
           pieces_.front().texts.front().starts_with(first);
  }

  /// Whether all characters of the template itself (not of lines or saved values) are in
  /// `allowed`.
  bool consists_of(const base::character_set& allowed) const noexcept {
    return std::ranges::all_of(pieces_, [&](const auto& each) {
      return std::ranges::all_of(each.texts,
                                 [&](const auto& text) { return allowed.contains_all(text); });
    });
  }

private:
  static constexpr base::character_set name_tail{
      [](unsigned char c) { return base::is_alphanumeric(c) || c == '_'; }};

  static bool is_letter(char c) noexcept {
    return base::is_alphanumeric(static_cast<unsigned char>(c)) &&
           !base::is_digit(static_cast<unsigned char>(c));
  }

  /// The placeholder at the start of `text`, which begins with `{`, without its braces; empty if
  /// the brace is literal.
  static std::string_view placeholder_in(std::string_view text) noexcept {
    if (text.size() < 3 || !is_letter(text[1])) return {};
    const auto name = 1 + name_tail.span(text.substr(1));
    const auto end = text.find('}', name);
    if (end == text.npos) return {};
    const bool goes_on = text[name] == ':' || text[name] == '+';
    if (!goes_on && end != name) return {};
    return text.substr(1, end - 1);
  }

  [[noreturn]] static void refuse(std::string_view placeholder, std::string_view why) {
    throw base::failure{base::errc::config_invalid, "has `{" +
                                                        std::string{placeholder.substr(0, 50)} +
                                                        "}`" + std::string{why}};
  }

  static std::string known_text(std::span<const std::string> saved) {
    std::string text;
    for (const auto& name : saved)
      text += ", {" + name + "}";
    return text;
  }

  static std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
      const auto end = std::min(list.find(',', at), list.size());
      parts.emplace_back(list.substr(at, end - at));
      at = end + 1;
    }
    return parts;
  }

  /// The two numbers of `1-1000`; nothing if the text is not that.
  static std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_range(std::string_view text) {
    const auto dash = std::min(text.find('-'), text.size());
    const auto first = base::parse_decimal<std::uint64_t>(text.substr(0, dash));
    const auto last =
        base::parse_decimal<std::uint64_t>(text.substr(std::min(dash + 1, text.size())));
    if (!first || !last || *first > *last) return std::nullopt;
    return std::pair{*first, *last};
  }

  static std::uint64_t drawn_from(std::mt19937_64& engine, std::uint64_t first,
                                  std::uint64_t last) {
    const auto drawn = engine();
    const auto distance = last - first;
    return first +
           (distance == std::numeric_limits<std::uint64_t>::max() ? drawn : drawn % (distance + 1));
  }

  /// An IPv4 address that a player could have: not private, not reserved, not multicast.
  static std::string public_address(std::mt19937_64& engine) {
    constexpr std::array<std::uint8_t, 9> special{0, 10, 100, 127, 169, 172, 192, 198, 203};
    for (;;) {
      const auto bits = engine();
      const std::array<std::uint8_t, 4> octets{
          static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
          static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 24)};
      if (octets[0] < 224 && std::ranges::find(special, octets[0]) == special.end())
        return model::to_string(model::ip_address::from_v4(octets));
    }
  }

  static std::string made_uuid_text(std::mt19937_64& engine) {
    std::array<std::uint8_t, 16> bytes{};
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i, word >>= 8U) {
      if (i % sizeof word == 0) word = engine();
      bytes[i] = static_cast<std::uint8_t>(word);
    }
    return model::to_string(model::random_uuid(bytes));
  }

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

  static piece parse_placeholder(std::string_view name, std::span<const std::string> saved) {
    if (name == "uuid") return piece{kind::uuid};
    if (name == "address") return piece{kind::address};
    if (name == "line") return piece{kind::line};
    if (name.starts_with("pick:")) {
      piece made{kind::pick};
      made.texts = split(name.substr(5));
      return made;
    }
    for (const auto& [prefix, of] :
         {std::pair{"int:", kind::integer}, std::pair{"ago:", kind::ago}}) {
      if (!name.starts_with(prefix)) continue;
      const auto range = parse_range(name.substr(4));
      if (!range)
        refuse(name, ". Write two whole numbers, the smaller first, such as {int:1-1000}.");
      return piece{of, {}, range->first, range->second};
    }
    const auto plus = name.find('+');
    const auto first = std::ranges::find(saved, name.substr(0, plus));
    const auto second = plus == name.npos ? first : std::ranges::find(saved, name.substr(plus + 1));
    if (first != saved.end() && second != saved.end())
      return piece{plus == name.npos ? kind::saved : kind::sum,
                   {},
                   static_cast<std::uint64_t>(first - saved.begin()),
                   static_cast<std::uint64_t>(second - saved.begin())};
    refuse(name, ", which is not a placeholder. Allowed: {uuid}, {int:1-1000}, {pick:a,b,c}, "
                 "{ago:0-60000}, {address}, {line}" +
                     known_text(saved) + ". Write {{ for a literal brace.");
  }

  std::vector<piece> pieces_;
};

} // namespace matchcloud::load
