#include "http/front/fault_header.hpp"

#include "http/wire/list_elements.hpp"

namespace matchcloud::http {

base::fault_point_set faults_named_in(std::string_view header) noexcept {
  base::fault_point_set named = 0;
  while (const auto element = take_element(header))
    if (const auto point = base::find_fault_point(*element)) named |= base::bit_of(*point);
  return named;
}

} // namespace matchcloud::http
