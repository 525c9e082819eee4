#include "model/text/trace_context.hpp"

#include "base/hexadecimal.hpp"

namespace matchcloud::model {

std::string next_trace_parent(std::string_view parent, std::uint64_t span) {
  constexpr std::size_t flags_begin = 53;
  const auto digits = base::hexadecimal_of(span);
  const auto flags = parent.size() >= flags_begin + 2 ? parent.substr(flags_begin, 2) : "00";
  return "00-" + std::string{trace_id_of(parent)} + "-" +
         std::string{digits.data(), digits.size()} + "-" + std::string{flags};
}

} // namespace matchcloud::model
