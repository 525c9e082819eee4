#pragma once

#include <span>
#include <string_view>

namespace matchcloud::app {

/// A file that was put into the program when it was built.
struct embedded_file {
  std::string_view name;
  std::string_view bytes;
  /// The same content compressed with gzip; empty: there is none.
  std::string_view gzip;
};

/// The files of the console; none if the program was built without it. Made by cmake/console.cmake.
std::span<const embedded_file> embedded_console_files() noexcept;

} // namespace matchcloud::app
