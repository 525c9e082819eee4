#include "model/validation/route_glob.hpp"

#include "model/text/unicode.hpp"

namespace matchcloud::model {

namespace {

constexpr std::string_view any_depth = "**";

/// Splits off the text up to the next `/`; `rest` becomes empty after the last segment.
std::string_view take_segment(std::optional<std::string_view>& rest) noexcept {
  const auto slash = rest->find('/');
  const auto segment = rest->substr(0, slash);
  if (slash == std::string_view::npos)
    rest.reset();
  else
    rest->remove_prefix(slash + 1);
  return segment;
}

} // namespace

std::optional<violation> check_glob(std::string_view glob, std::size_t echo_limit) {
  if (glob.empty())
    return violation{"invalid", "is empty. Write a pattern, such as `**` for every path."};
  for (std::optional rest{glob}; rest;) {
    const auto segment = take_segment(rest);
    if (segment == any_depth || segment.find(any_depth) == std::string_view::npos) continue;
    return violation{
        "invalid", "has two `*` in a row in the segment " + quoted_excerpt(segment, echo_limit) +
                       ". Write `*` for any text within a segment, or `**` as a segment of its own "
                       "for any depth, such as `assets/**`."};
  }
  return std::nullopt;
}

std::string folded_glob(std::string_view glob) {
  std::string folded;
  folded.reserve(glob.size());
  bool after_any_depth = false;
  for (std::optional rest{glob}; rest;) {
    const auto segment = take_segment(rest);
    const bool is_any_depth = segment == any_depth;
    if (is_any_depth && after_any_depth) continue;
    after_any_depth = is_any_depth;
    folded.append(segment).append("/");
  }
  folded.pop_back();
  return folded;
}

} // namespace matchcloud::model
