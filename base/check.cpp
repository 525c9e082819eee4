#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace matchcloud::base {

void fail_check(const char* what, const std::source_location& where) noexcept {
  std::fprintf(stderr, "%s:%u: does not hold: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), what);
  std::abort();
}

} // namespace matchcloud::base
