#include "model/text/trace_context.hpp"

#include <array>
#include <charconv>

namespace matchcloud::model {

std::string next_trace_parent(std::string_view parent, std::uint64_t span) {
  constexpr std::size_t flags_begin = 53;
  constexpr std::size_t span_digits = 16;
  std::array<char, span_digits> digits{};
  const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), span, 16).ptr;
  const std::string_view written{digits.data(), static_cast<std::size_t>(end - digits.data())};
  const auto flags = parent.size() >= flags_begin + 2 ? parent.substr(flags_begin, 2) : "00";
  return "00-" + std::string{trace_id_of(parent)} + "-" +
         std::string(span_digits - written.size(), '0').append(written) + "-" + std::string{flags};
}

} // namespace matchcloud::model
