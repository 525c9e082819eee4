#include "base/check.hpp"

#include "base/crash_report.hpp"
#include "base/fixed_text.hpp"

namespace matchcloud::base {

void fail_check(const char* what, const char* file, unsigned line) noexcept {
  fixed_text<512> why;
  why.add(file).add(":").add(line).add(": check failed: ").add(what);
  crash(why.view());
}

} // namespace matchcloud::base
