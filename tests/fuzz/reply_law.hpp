#pragma once

#include "bench/load/reply_reader.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What holds of replies however the network cuts them.
namespace matchcloud::reply_law {

using progress = load::reply_reader::progress;

/// What becomes of a reply.
struct verdict {
  progress outcome;
  int status = 0;
  std::string body;
  bool closes = false;

  friend bool operator==(const verdict&, const verdict&) = default;
};

/// Of the pieces one after the other, and then the connection's end.
inline verdict read(const std::vector<std::string_view>& pieces) {
  load::reply_reader reader;
  auto outcome = progress::more;
  for (const auto piece : pieces) {
    if (outcome == progress::more)
      outcome = reader.feed(piece);
    else if (outcome == progress::complete)
      outcome = progress::malformed; // bytes behind the reply
  }
  if (outcome == progress::more) outcome = reader.end();
  if (outcome != progress::complete) return {outcome, 0, {}, false};
  const auto& found = reader.current();
  return {outcome, found.status, std::string{found.body}, found.closes};
}

/// Pieces of 1 to `longest` bytes, as `seed` has it.
inline std::vector<std::string_view> cut(std::string_view whole, std::size_t longest,
                                         std::size_t seed) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < whole.size(); at += pieces.back().size()) {
    seed = seed * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    pieces.push_back(whole.substr(at, 1 + (seed >> 33U) % longest));
  }
  return pieces;
}

/// Why the law does not hold of these bytes; empty where it does.
inline std::string check(std::string_view whole, std::size_t seed) {
  return read(cut(whole, 12, seed)) == read({whole}) ? "" : "cut, it is another reply";
}

} // namespace matchcloud::reply_law
