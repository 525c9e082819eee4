#include "http/wire/conditional.hpp"

#include <algorithm>

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

} // namespace matchcloud::http
