#include "app/node/descriptors.hpp"

#include "base/files/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cstdint>

namespace matchcloud::app {

namespace {

/// Descriptors kept for everything that is not a client connection.
constexpr std::size_t reserved_descriptors = 512;

/// How many of `all` descriptors connections of the data plane must not use.
std::size_t kept_descriptors(const http::limits& limits, std::size_t all) {
  return reserved_descriptors + media_descriptors(all) + 2 * open_exports(all) +
         limits.ops_connection_limit;
}

/// Makes the kernel allocate a table for so many descriptors. Call before there are threads:
/// afterwards, each doubling of the table waits for all processors (RCU), which would stall an
/// event loop for 10 to 25 ms.
void widen_descriptor_table(std::size_t descriptors) {
  const base::file_descriptor any{eventfd(0, EFD_CLOEXEC)};
  const auto last = static_cast<int>(std::min<std::size_t>(descriptors, INT_MAX) - 1);
  const base::file_descriptor highest{::fcntl(any.get(), F_DUPFD_CLOEXEC, last)};
}

} // namespace

std::size_t raise_descriptor_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return SIZE_MAX;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  return static_cast<std::size_t>(files.rlim_max);
}

std::size_t media_descriptors(std::size_t all) {
  return std::clamp<std::size_t>(all / 8, 64, 4'096);
}

std::size_t open_exports(std::size_t all) {
  return std::clamp<std::size_t>(all / 16, 32, 1'024);
}

http::limits bounded_by_descriptors(http::limits limits, std::size_t all) {
  limits.ops_connection_limit = std::min(limits.ops_connection_limit, all / 8);
  const auto kept = kept_descriptors(limits, all);
  // At least half, if there are few: connections must not take the descriptors that the store
  // needs.
  const auto most = std::max(all / 2, all - std::min(all, kept));
  limits.connection_limit = std::min(limits.connection_limit, most);
  return limits;
}

http::limits prepared(const http::limits& configured) {
  const auto all = raise_descriptor_limit();
  auto bounded = bounded_by_descriptors(configured, all);
  widen_descriptor_table(std::min(all, bounded.connection_limit + kept_descriptors(bounded, all)));
  return bounded;
}

} // namespace matchcloud::app
