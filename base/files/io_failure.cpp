#include "base/files/io_failure.hpp"

#include <cerrno>
#include <system_error>

namespace matchcloud::base {

bool is_disk_full(int code) noexcept {
  return code == ENOSPC || code == EDQUOT;
}

std::string_view advice(int code) noexcept {
  if (is_disk_full(code)) return "free some disk space";
  if (code == EFBIG)
    return "raise the limit on the size of this process's files (ulimit -f, LimitFSIZE=)";
  if (code == EROFS) return "make its file system writable again";
  return {};
}

tl::unexpected<error> io_failure(std::string_view path, std::string_view operation, int code,
                                 errc other) {
  std::string detail{path};
  detail.append(": cannot ").append(operation).append(": ");
  detail.append(std::generic_category().message(code));
  if (const auto todo = advice(code); !todo.empty()) detail.append("; ").append(todo);
  return fail(is_disk_full(code) ? errc::store_full : other, std::move(detail));
}

} // namespace matchcloud::base
