#pragma once

#include "http/request_framer.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What must hold of the framer whatever a connection sends. Shared by the fuzzer and the tests.
namespace matchcloud::framer_law {

/// What became of a connection's bytes: a line of text per request and verdict, so that two
/// outcomes compare as strings and a difference can be read.
struct outcome {
  std::string text;
  /// A promise of the framer's interface that was broken; empty: none.
  std::string broken;
};

inline std::string describe(const http::request& got, std::size_t consumed) {
  std::string text = got.method_token + ' ' + got.target;
  text += got.http_1_0 ? " 1.0" : " 1.1";
  text += got.keep_alive ? " keep" : " close";
  for (std::size_t i = 0; i < http::header_count; ++i)
    if (const auto h = static_cast<http::header>(i); got.has(h))
      text += '\n' + std::to_string(i) + '=' + got.get(h);
  return text + "\nbody=" + got.body + "\nends at " + std::to_string(consumed) + '\n';
}

inline std::string check_request(const http::request& got, const http::framer_limits& limits) {
  if (got.body.size() > limits.body_limit_bytes) return "body over its limit";
  if (got.target.empty() || (got.target[0] != '/' && got.target != "*")) return "odd target";
  if (http::parse_method(got.method_token) != got.method) return "method and token differ";
  if (!got.http_1_0 && got.get(http::header::host).empty()) return "no host";
  for (std::size_t i = 0; i < http::header_count; ++i) {
    const auto& value = got.get(static_cast<http::header>(i));
    if (value.find_first_of(std::string_view{"\r\n\0", 3}) != value.npos) return "control byte";
  }
  return {};
}

/// Feeds `input` in pieces as long as `next_length` says (it is asked for each piece; 0 feeds
/// nothing once).
template <class NextLength>
outcome run(std::string_view input, const http::framer_limits& limits, NextLength next_length) {
  http::request_framer framer{limits};
  http::request got;
  outcome out;
  bool continued = false;
  std::size_t at = 0;
  while (at < input.size() && out.broken.empty()) {
    auto piece = input.substr(at, next_length());
    do {
      const auto result = framer.feed(piece, got);
      if (result.consumed > piece.size()) return {out.text, "consumed more than it was fed"};
      piece.remove_prefix(result.consumed);
      at += result.consumed;
      if (framer.take_continue()) {
        if (std::exchange(continued, true) || !framer.in_body()) out.broken = "odd 100 Continue";
      }
      if (framer.take_continue()) out.broken = "100 Continue twice";
      if (result.status == http::framer_status::failed) {
        const auto again = framer.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n", got);
        if (again.status != result.status || again.consumed != 0)
          out.broken = "did not stay failed";
        out.text += to_string(framer.failure()) + " at " + std::to_string(at) + '\n';
        return out;
      }
      if (result.status == http::framer_status::complete) {
        out.text += describe(got, at);
        out.broken = check_request(got, limits);
        if (!framer.idle() || framer.in_body()) out.broken = "complete, but not idle";
        got.clear(at % 2 == 0 ? 0 : 64);
        continued = false;
      } else if (!piece.empty()) {
        out.broken = "wants more and left bytes";
      }
    } while (!piece.empty() && out.broken.empty());
  }
  out.text += framer.idle() ? "idle" : framer.in_body() ? "in body" : "in head";
  return out;
}

/// A small generator of cut lengths, seeded by the input (FNV-1a, then xorshift).
class cuts {
public:
  cuts(std::string_view input, std::uint64_t salt, std::size_t longest)
      : state_{14695981039346656037U ^ salt}, longest_{longest} {
    for (const char c : input)
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
    state_ |= 1;
  }

  std::size_t operator()() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>(state_ >> 16) % (longest_ + 1);
  }

private:
  std::uint64_t state_;
  std::size_t longest_;
};

inline const http::framer_limits& wide_limits() {
  static const http::framer_limits limits;
  return limits;
}

/// So small that short inputs reach every limit.
inline const http::framer_limits& tight_limits() {
  static const http::framer_limits limits{128, 32, 4, 64};
  return limits;
}

/// The law: the same requests, verdict and consumed bytes however the bytes are cut. Empty where it
/// holds, else what differs.
inline std::string check_cuts(std::string_view input, const http::framer_limits& limits) {
  const auto whole = run(input, limits, [&] { return input.size(); });
  if (!whole.broken.empty()) return whole.broken;
  const auto compare = [&](const outcome& cut, std::string_view how) -> std::string {
    if (!cut.broken.empty()) return cut.broken;
    if (cut.text == whole.text) return {};
    return std::string{how} + "\nwhole:\n" + whole.text + "\ncut:\n" + cut.text;
  };
  auto why = compare(run(input, limits, [] { return std::size_t{1}; }), "byte by byte");
  for (const std::size_t longest : {3, 17, 120, 1000})
    if (why.empty()) why = compare(run(input, limits, cuts{input, longest, longest}), "cut");
  return why;
}

/// The law under both sets of limits.
inline std::string check(std::string_view input) {
  auto why = check_cuts(input, wide_limits());
  return why.empty() ? check_cuts(input, tight_limits()) : why;
}

} // namespace matchcloud::framer_law
