#pragma once

#include "base/decimal.hpp"
#include "base/expected.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Rows of configuration keys. A room declares its keys next to its settings; `app` turns them all
/// into flags, environment variables, the TOML file, the help text and the table in the
/// documentation.
namespace matchcloud::base {

inline constexpr std::uint64_t mebibyte = 1024 * 1024;
inline constexpr std::uint64_t tebibyte = mebibyte * mebibyte;

/// The values given for a key: the elements of a list, or one. Never empty.
using config_values = std::vector<std::string>;

/// The source of the value that is in force.
enum class config_source : std::uint8_t { preset, file, environment, flag };
inline constexpr std::array<std::string_view, 4> config_source_names{"default", "file",
                                                                     "environment", "flag"};

constexpr std::string_view name_of(config_source which) noexcept {
  return config_source_names[static_cast<std::size_t>(which)];
}

/// A key, as people read it.
struct config_text {
  enum class kind : std::uint8_t { text, list, number, flag };

  /// Spelled with dashes: `head-limit-bytes`.
  std::string name;
  kind what;
  /// In the syntax of a value; empty if there is no default.
  std::string default_value;
  /// The allowed values, with the unit.
  std::string allowed;
  /// Its purpose, and a reason to change it.
  std::string purpose;
  /// Whether messages omit the value, because it may contain a secret.
  bool may_be_secret = false;
  /// Whether a running service applies a changed value when it reloads its configuration; otherwise
  /// the change needs a restart.
  bool is_reloadable = false;
  /// The allowed words, if there are only a few; otherwise empty.
  std::vector<std::string_view> choices = {};
};

/// A key of a room's settings.
template <class Settings>
struct config_row : config_text {
  /// Stores the values. Fails with `config_invalid`, with a detail if `allowed` is not enough.
  std::function<expected<void>(Settings&, const config_values&)> apply;
};

template <class Settings>
using config_rows = std::vector<config_row<Settings>>;

/// Marks the row of a setting that a running service can reload.
template <class Settings>
config_row<Settings> reloadable(config_row<Settings> row) {
  row.is_reloadable = true;
  return row;
}
/// Marks all rows except those named in `without`.
template <class Settings>
config_rows<Settings> reloadable(config_rows<Settings> rows,
                                 std::initializer_list<std::string_view> without = {}) {
  for (auto& row : rows)
    row.is_reloadable = std::ranges::find(without, row.name) == without.end();
  return rows;
}

/// Turns a row of the settings `part(outer)` into a row of the outer settings.
template <class Outer, class Inner, class Part>
config_row<Outer> row_of_part(const config_row<Inner>& row, Part part) {
  return {row, [apply = row.apply, part](Outer& of, const config_values& given) {
            return apply(std::invoke(part, of), given);
          }};
}

/// The result of `apply` when `allowed` already explains everything.
inline expected<void> not_allowed() {
  return fail(errc::config_invalid, {});
}

namespace detail {

template <class Number>
struct counted {
  static Number from(std::uint64_t count) noexcept { return static_cast<Number>(count); }
  static std::uint64_t count(Number number) noexcept { return static_cast<std::uint64_t>(number); }
};
template <class Count, class Period>
struct counted<std::chrono::duration<Count, Period>> {
  using duration = std::chrono::duration<Count, Period>;
  static duration from(std::uint64_t count) noexcept { return duration{static_cast<Count>(count)}; }
  static std::uint64_t count(duration time) noexcept {
    return static_cast<std::uint64_t>(time.count());
  }
};

} // namespace detail

/// A whole number from `least` to `most`, stored by `set(settings, number)`. The help adds `note`
/// after the bounds.
template <class Settings, class Set>
config_row<Settings> count_row(std::string name, std::string preset, std::uint64_t least,
                               std::uint64_t most, std::string purpose, Set set,
                               std::string_view note = {}) {
  auto allowed = std::to_string(least) + " to " + std::to_string(most) + std::string{note};
  return {{std::move(name), config_text::kind::number, std::move(preset), std::move(allowed),
           std::move(purpose)},
          [=](Settings& settings, const config_values& given) -> expected<void> {
            const auto number = parse_decimal<std::uint64_t>(given.front());
            if (!number || *number < least || *number > most) return not_allowed();
            set(settings, *number);
            return {};
          }};
}

/// A whole number, or a duration counted in its own unit.
template <class Settings, class Number>
config_row<Settings> number_row(std::string name, Number Settings::*member, std::uint64_t least,
                                std::uint64_t most, std::string purpose,
                                std::string_view note = {}) {
  auto preset = std::to_string(detail::counted<Number>::count(Settings{}.*member));
  const auto set = [member](Settings& settings, std::uint64_t number) {
    settings.*member = detail::counted<Number>::from(number);
  };
  return count_row<Settings>(std::move(name), std::move(preset), least, most, std::move(purpose),
                             set, note);
}

/// One of a few words, each with the value it stands for.
template <class Settings, class Value, std::size_t Count>
config_row<Settings> choice_row(std::string name, Value Settings::*member,
                                const std::array<std::pair<std::string_view, Value>, Count>& words,
                                std::string purpose,
                                config_text::kind what = config_text::kind::text) {
  std::string preset;
  std::string allowed;
  std::vector<std::string_view> choices;
  for (std::size_t i = 0; i < Count; ++i) {
    const auto& [word, value] = words[i];
    choices.push_back(word);
    if (value == Settings{}.*member) preset = word;
    allowed.append(i == 0 ? "" : i + 1 == Count ? " or " : ", ").append(word);
  }
  return {{std::move(name), what, std::move(preset), std::move(allowed), std::move(purpose), false,
           false, std::move(choices)},
          [=](Settings& settings, const config_values& given) -> expected<void> {
            for (const auto& [word, value] : words) {
              if (word != given.front()) continue;
              settings.*member = value;
              return {};
            }
            return not_allowed();
          }};
}

/// `true` or `false`.
template <class Settings>
config_row<Settings> flag_row(std::string name, bool Settings::*member, std::string purpose) {
  using word = std::pair<std::string_view, bool>;
  return choice_row(std::move(name), member, std::array{word{"true", true}, word{"false", false}},
                    std::move(purpose), config_text::kind::flag);
}

/// A text that `check` accepts. Without `check`, any text: its user validates it.
template <class Settings>
config_row<Settings> text_row(std::string name, std::string Settings::*member, std::string allowed,
                              std::string purpose,
                              expected<void> (*check)(std::string_view) = nullptr) {
  return {{std::move(name), config_text::kind::text, Settings{}.*member, std::move(allowed),
           std::move(purpose)},
          [=](Settings& settings, const config_values& given) -> expected<void> {
            if (check != nullptr)
              if (auto fine = check(given.front()); !fine) return fine;
            settings.*member = given.front();
            return {};
          }};
}

/// Texts that `parse` turns into a value read with `*`, or into a false one if not allowed.
template <class Settings, class Member, class Parse>
config_row<Settings> parsed_row(config_text about, Member Settings::*member, Parse parse) {
  return {std::move(about), [=](Settings& settings, const config_values& given) -> expected<void> {
            auto parsed = parse(given);
            if (!parsed) return not_allowed();
            settings.*member = *std::move(parsed);
            return {};
          }};
}

} // namespace matchcloud::base
