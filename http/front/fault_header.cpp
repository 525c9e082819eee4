#include "http/front/fault_header.hpp"

#include "http/wire/header_characters.hpp"

namespace matchcloud::http {

base::fault_point_set faults_named_in(std::string_view header) noexcept {
  base::fault_point_set named = 0;
  while (!header.empty()) {
    const auto comma = header.find(',');
    if (const auto point = base::find_fault_point(trim_blanks(header.substr(0, comma))))
      named |= base::bit_of(*point);
    header.remove_prefix(comma == header.npos ? header.size() : comma + 1);
  }
  return named;
}

} // namespace matchcloud::http
