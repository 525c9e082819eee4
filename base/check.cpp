#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace matchcloud::base {

void fail_check(const char* what, const char* file, unsigned line) noexcept {
  std::fprintf(stderr, "%s:%u: check failed: %s\n", file, line, what);
  std::abort();
}

} // namespace matchcloud::base
