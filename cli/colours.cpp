#include "cli/colours.hpp"

#include <unistd.h>

#include <cstdlib>

namespace matchcloud::cli {

bool wants_colours(std::string_view when) {
  if (when != "auto") return when == "always";
  const auto value = [](const char* name) {
    const char* text = std::getenv(name); // NOLINT(concurrency-mt-unsafe): before any thread
    return std::string_view{text == nullptr ? "" : text};
  };
  return value("NO_COLOR").empty() && value("TERM") != "dumb" && ::isatty(STDOUT_FILENO) == 1;
}

} // namespace matchcloud::cli
