#include "http/wire/conditional.hpp"

#include "http/wire/header_characters.hpp"

#include <algorithm>
#include <optional>

namespace matchcloud::http {

namespace {

constexpr std::string_view between_tags = " \t,";

/// The length of the entity tag at the beginning of `text`, from which `W/` has been removed; 0 if
/// there is none.
std::size_t tag_length(std::string_view text) noexcept {
  if (!text.starts_with('"')) return 0;
  const auto end = text.find('"', 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

bool lists(std::string_view tags, std::string_view etag, bool weak_count) noexcept {
  if (tags == "*") return true;
  auto rest = tags;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(between_tags), rest.size()));
    const bool weak = rest.starts_with("W/");
    if (weak) rest.remove_prefix(2);
    const auto length = tag_length(rest);
    if (length == 0) return false;
    if (rest.substr(0, length) == etag && (weak_count || !weak)) return true;
    rest.remove_prefix(length);
    if (!rest.empty() && between_tags.find(rest.front()) == std::string_view::npos) return false;
  }
}

using kind = range_choice::kind;

/// One element of a range set: `first-last`, `first-` or `-suffix`.
struct range_spec {
  std::optional<std::uint64_t> first;
  /// The last position, or the length of a suffix.
  std::optional<std::uint64_t> last;
};

std::optional<range_spec> parse_spec(std::string_view text) noexcept {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto before = text.substr(0, dash);
  const auto after = text.substr(dash + 1);
  const range_spec spec{read_digits(before), read_digits(after)};
  // Only one of them may be missing, and what is there must be a number.
  if (!(spec.first || before.empty()) || !(spec.last || after.empty())) return std::nullopt;
  if (!spec.first && !spec.last) return std::nullopt;
  if (spec.first && spec.last && *spec.last < *spec.first) return std::nullopt;
  return spec;
}

/// The only range of a set; nothing where there are none or several, or where it is malformed.
std::optional<range_spec> single_spec(std::string_view set) noexcept {
  std::optional<range_spec> only;
  while (const auto element = take_element(set)) {
    if (only) return std::nullopt;
    only = parse_spec(*element);
    if (!only) return std::nullopt;
  }
  return only;
}

} // namespace

bool names_etag(std::string_view if_none_match, std::string_view etag) noexcept {
  return lists(if_none_match, etag, true);
}

bool names_etag_strongly(std::string_view if_match, std::string_view etag) noexcept {
  return lists(if_match, etag, false);
}

bool precondition_holds(const request& request, std::string_view etag) noexcept {
  return !request.has(header::if_match) || names_etag_strongly(request.get(header::if_match), etag);
}

response precondition_failed(const request& request, std::string_view etag) {
  auto answer = problem(
      {base::errc::precondition_failed, "If-Match does not name " + std::string{etag} +
                                            ", the current entity tag. Retry without If-Match."},
      subject_of(request));
  answer.headers.append("ETag: ").append(etag).append("\r\n");
  return answer;
}

bool if_range_matches(const request& request, std::string_view etag) noexcept {
  return !request.has(header::if_range) || request.get(header::if_range) == etag;
}

range_choice choose_range(std::string_view value, std::uint64_t size_bytes) noexcept {
  const auto equals = value.find('=');
  if (equals == std::string_view::npos || !equal_ignoring_case(value.substr(0, equals), "bytes"))
    return {};
  const auto spec = single_spec(value.substr(equals + 1));
  if (!spec) return {};
  if (!spec->first) {
    const auto length = std::min(*spec->last, size_bytes);
    if (length == 0) return {kind::unsatisfiable, {}};
    return {kind::part, {size_bytes - length, length}};
  }
  if (*spec->first >= size_bytes) return {kind::unsatisfiable, {}};
  const auto last = std::min(spec->last.value_or(UINT64_MAX), size_bytes - 1);
  return {kind::part, {*spec->first, last - *spec->first + 1}};
}

std::string content_range(const byte_range& part, std::uint64_t size_bytes) {
  return "bytes " + std::to_string(part.offset) + "-" +
         std::to_string(part.offset + part.length - 1) + "/" + std::to_string(size_bytes);
}

std::string unsatisfied_range(std::uint64_t size_bytes) {
  return "bytes */" + std::to_string(size_bytes);
}

} // namespace matchcloud::http
