#include "load/requests/text_template.hpp"

#include "base/decimal.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace matchcloud::load {

namespace {

constexpr base::character_set name_tail{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_'; }};

bool is_letter(char c) noexcept {
  return base::is_alphanumeric(static_cast<unsigned char>(c)) &&
         !base::is_digit(static_cast<unsigned char>(c));
}

/// The placeholder at the start of `text`, which begins with `{`, without its braces; empty if the
/// brace is literal.
std::string_view placeholder_in(std::string_view text) noexcept {
  if (text.size() < 3 || !is_letter(text[1])) return {};
  const auto name = 1 + name_tail.span(text.substr(1));
  const auto end = text.find('}', name);
  if (end == text.npos || (text[name] != ':' && end != name)) return {};
  return text.substr(1, end - 1);
}

tl::unexpected<base::error> refuse(std::string_view placeholder, std::string_view why) {
  return base::fail(base::errc::config_invalid,
                    "has `{" + std::string{placeholder.substr(0, 50)} + "}`" + std::string{why});
}

std::string known_text(std::span<const std::string> saved) {
  std::string text;
  for (const auto& name : saved)
    text += ", {" + name + "}";
  return text;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    parts.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class... Handlers>
struct overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
overloaded(Handlers...) -> overloaded<Handlers...>;

std::string made_uuid_text(std::mt19937_64& engine) {
  std::array<std::uint8_t, 16> bytes{};
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i, word >>= 8U) {
    if (i % sizeof word == 0) word = engine();
    bytes[i] = static_cast<std::uint8_t>(word);
  }
  return model::to_string(model::random_uuid(bytes));
}

} // namespace

base::expected<text_template::piece>
text_template::parse_placeholder(std::string_view name, std::span<const std::string> saved) {
  if (name == "uuid") return piece{made_uuid{}};
  if (name == "line") return piece{next_line{}};
  if (name.starts_with("pick:")) return piece{split(name.substr(5))};
  if (name.starts_with("int:")) {
    const auto range = name.substr(4);
    const auto dash = std::min(range.find('-'), range.size());
    const auto first = base::parse_decimal<std::uint64_t>(range.substr(0, dash));
    const auto last =
        base::parse_decimal<std::uint64_t>(range.substr(std::min(dash + 1, range.size())));
    if (!first || !last || *first > *last)
      return refuse(name, ". Write two whole numbers, the smaller first, such as {int:1-1000}.");
    return piece{made_int{*first, *last}};
  }
  const auto found = std::ranges::find(saved, name);
  if (found != saved.end())
    return piece{saved_value{static_cast<std::size_t>(found - saved.begin())}};
  return refuse(name, ", which is not a placeholder. Allowed: {uuid}, {int:1-1000}, {pick:a,b,c}, "
                      "{line}" +
                          known_text(saved) + ". Write {{ for a literal brace.");
}

base::expected<text_template> text_template::parse(std::string_view text,
                                                   std::span<const std::string> saved) {
  text_template made;
  std::string plain;
  const auto keep_plain = [&] {
    if (!plain.empty()) made.pieces_.emplace_back(std::exchange(plain, {}));
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
    auto read = parse_placeholder(name, saved);
    if (!read) return tl::unexpected(read.error());
    keep_plain();
    made.pieces_.push_back(*std::move(read));
    text.remove_prefix(name.size() + 2);
  }
  keep_plain();
  return made;
}

void text_template::append(std::string& to, const values& from) const {
  for (const auto& each : pieces_)
    std::visit(overloaded{[&](const std::string& plain) { to += plain; },
                          [&](const made_uuid&) { to += made_uuid_text(from.engine); },
                          [&](const made_int& range) {
                            const auto count = range.last - range.first;
                            const auto drawn = from.engine();
                            const bool is_all = count == std::numeric_limits<std::uint64_t>::max();
                            to += std::to_string(range.first +
                                                 (is_all ? drawn : drawn % (count + 1)));
                          },
                          [&](const choices& all) { to += all[from.engine() % all.size()]; },
                          [&](const next_line&) { to += from.line; },
                          [&](const saved_value& of) { to += from.saved[of.index]; }},
               each);
}

bool text_template::uses_line() const noexcept {
  return std::ranges::any_of(
      pieces_, [](const auto& each) { return std::holds_alternative<next_line>(each); });
}

bool text_template::is_constant() const noexcept {
  return std::ranges::all_of(
      pieces_, [](const auto& each) { return std::holds_alternative<std::string>(each); });
}

bool text_template::begins_with_saved() const noexcept {
  return !pieces_.empty() && std::holds_alternative<saved_value>(pieces_.front());
}

bool text_template::begins_with(char first) const noexcept {
  const auto* plain = pieces_.empty() ? nullptr : std::get_if<std::string>(&pieces_.front());
  return plain != nullptr && plain->starts_with(first);
}

bool text_template::consists_of(const base::character_set& allowed) const noexcept {
  return std::ranges::all_of(pieces_, [&](const auto& each) {
    if (const auto* plain = std::get_if<std::string>(&each)) return allowed.contains_all(*plain);
    const auto* all = std::get_if<choices>(&each);
    return all == nullptr || std::ranges::all_of(*all, [&](const auto& choice) {
             return allowed.contains_all(choice);
           });
  });
}

} // namespace matchcloud::load
