#include "base/io_failure.hpp"

#include <cerrno>
#include <system_error>

namespace matchcloud::base {

bool is_disk_full(int code) noexcept {
  return code == ENOSPC || code == EDQUOT;
}

tl::unexpected<error> io_failure(std::string_view path, std::string_view operation, int code,
                                 errc other) {
  std::string detail{path};
  detail.append(": cannot ").append(operation).append(": ");
  detail.append(std::generic_category().message(code));
  return fail(is_disk_full(code) ? errc::store_full : other, std::move(detail));
}

} // namespace matchcloud::base
