#include "http/operations/code.hpp"

#include <array>
#include <cstddef>

namespace matchcloud::http {

namespace {

constexpr std::array all{
#define MATCHCLOUD_CODE(name) &codes::name,
    MATCHCLOUD_OPERATIONS(MATCHCLOUD_CODE)
#undef MATCHCLOUD_CODE
};

} // namespace

const operation_code& code_of(operation which) noexcept {
  return *all[static_cast<std::size_t>(which)];
}

} // namespace matchcloud::http
