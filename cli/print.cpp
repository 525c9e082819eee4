#include "cli/print.hpp"

#include <cerrno>
#include <iostream>
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
  if (!done) say(program, done.error().detail);
  return done.has_value();
}

std::string indented(std::string_view text, std::size_t indent) {
  std::string made;
  for (const char each : text) {
    made += each;
    if (each == '\n') made.append(indent, ' ');
  }
  return made;
}

std::string said(std::string_view program, std::string_view what) {
  if (what.ends_with('\n')) what.remove_suffix(1);
  return std::string{program} + ": " + indented(what, 2);
}

void say(std::string_view program, std::string_view what) {
  std::cerr << said(program, what) << "\n";
}

} // namespace matchcloud::cli
