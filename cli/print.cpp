#include "cli/print.hpp"

#include <cerrno>
#include <iostream>
#include <string>
#include <system_error>

namespace matchcloud::cli {

base::expected<void> print(std::string_view text) {
  errno = 0;
  std::cout << text << std::flush;
  if (std::cout) return {};
  std::string why = "cannot write to stdout";
  if (errno != 0) why += ": " + std::generic_category().message(errno);
  return base::fail(base::errc::io_failed, std::move(why));
}

bool print(std::string_view program, std::string_view text) {
  const auto done = print(text);
  if (!done) std::cerr << program << ": " << done.error().detail << "\n";
  return done.has_value();
}

} // namespace matchcloud::cli
