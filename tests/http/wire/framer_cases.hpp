#pragma once

#include "http/wire/request_framer.hpp"

#include <string>
#include <vector>

namespace matchcloud::http {

/// One input and what the framer must make of it.
struct framer_case {
  /// The input up to and including the byte that decides the verdict.
  std::string input;
  /// For each request `METHOD target keep|close`, then ` 1.0` and ` 'body'` where they apply; then
  /// the code of a failure, or `in head` or `in body` if more input is needed. Joined by ` | `.
  std::string verdict;
};

std::vector<framer_case> request_line_cases();
std::vector<framer_case> header_cases();
std::vector<framer_case> head_end_cases();
std::vector<framer_case> body_cases();
/// Cases for `case_limits()`.
std::vector<framer_case> limit_cases();

/// Limits: head 128 bytes, target 32 bytes, 4 headers, body 64 bytes.
framer_limits case_limits();

} // namespace matchcloud::http
