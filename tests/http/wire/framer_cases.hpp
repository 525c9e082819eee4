#pragma once

#include "http/wire/request_framer.hpp"

#include <string>
#include <vector>

namespace matchcloud::http {

/// One input and what the framer must make of it.
struct framer_case {
  std::string name;
  /// Up to and with the byte that decides the verdict.
  std::string input;
  /// `METHOD target keep|close`, ` 1.0`, ` 'body'` for each request, then the code of a failure, or
  /// `in head`, `in body` where more is needed; joined by ` | `.
  std::string verdict;
};

std::vector<framer_case> request_line_cases();
std::vector<framer_case> header_cases();
std::vector<framer_case> head_end_cases();
std::vector<framer_case> body_cases();
/// For `case_limits()`.
std::vector<framer_case> limit_cases();

/// head 128, target 32, 4 headers, body 64.
framer_limits case_limits();

} // namespace matchcloud::http
