#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The trace id of a header `traceparent` (W3C Trace Context): 32 hexadecimal digits in lower case.
/// Empty if it has none.
constexpr std::string_view trace_id_of(std::string_view trace_parent) noexcept {
  constexpr std::size_t begin = 3; // after the version
  constexpr std::size_t length = 32;
  if (trace_parent.size() <= begin + length || trace_parent[begin + length] != '-') return {};
  const auto id = trace_parent.substr(begin, length);
  return id.find_first_not_of("0123456789abcdef") == id.npos ? id : std::string_view{};
}

/// The `traceparent` of a request that is made on behalf of another one, whose `traceparent` is
/// `parent` and has a trace id. It keeps the trace and the flags. `span` names the new request and
/// is not 0.
std::string next_trace_parent(std::string_view parent, std::uint64_t span);

} // namespace matchcloud::model
