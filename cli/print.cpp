#include "cli/print.hpp"

#include <cerrno>
#include <iostream>
#include <system_error>

namespace matchcloud::cli {

bool print(std::string_view program, std::string_view text) {
  errno = 0;
  std::cout << text << std::flush;
  if (std::cout) return true;
  std::cerr << program << ": stdout cannot be written"
            << (errno == 0 ? "" : ": " + std::generic_category().message(errno)) << "\n";
  return false;
}

} // namespace matchcloud::cli
