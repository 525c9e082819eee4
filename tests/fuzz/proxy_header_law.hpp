#pragma once

#include "http/proxy_header.hpp"
#include "tests/fuzz/framer_law.hpp"

#include <string>
#include <string_view>

/// What must hold of the reader of PROXY headers whatever a connection sends. Shared by the fuzzer
/// and the tests.
namespace matchcloud::proxy_header_law {

inline std::string describe(const http::proxy_header_reader& reader,
                            http::proxy_header_status status, std::size_t consumed) {
  using http::proxied_client;
  using http::proxy_header_status;
  const auto place = " at " + std::to_string(consumed);
  switch (status) {
  case proxy_header_status::need_more: return "needs more" + place;
  case proxy_header_status::failed: return to_string(reader.failure()) + place;
  case proxy_header_status::complete: break;
  }
  switch (reader.client()) {
  case proxied_client::none: return "no client" + place;
  case proxied_client::unknown: return "unknown client" + place;
  case proxied_client::named: break;
  }
  return model::to_string(reader.address()) + place;
}

/// Feeds `input` in pieces as long as `next_length` says; what became of it, or `broken: ..`.
template <class NextLength>
std::string run(std::string_view input, NextLength next_length) {
  using http::proxy_header_status;
  constexpr std::size_t most = 16 + http::proxy_block_limit_bytes;
  http::proxy_header_reader reader;
  auto status = proxy_header_status::need_more;
  std::size_t at = 0;
  while (at < input.size() && status == proxy_header_status::need_more) {
    const auto piece = input.substr(at, next_length());
    const auto result = reader.feed(piece);
    if (result.consumed > piece.size()) return "broken: consumed more than it was fed";
    at += result.consumed;
    status = result.status;
    if (status == proxy_header_status::need_more && result.consumed < piece.size())
      return "broken: wants more and left bytes";
    if (at > most) return "broken: has no bound";
  }
  if (reader.idle() != (at == 0)) return "broken: idle";
  if (status != proxy_header_status::need_more) {
    const auto again = reader.feed("PROXY UNKNOWN\r\n");
    if (again.status != status || again.consumed != 0) return "broken: did not stay decided";
  }
  return describe(reader, status, at);
}

/// The law: the same verdict and consumed bytes however the bytes are cut. Empty where it holds,
/// else what differs.
inline std::string check(std::string_view input) {
  const auto whole = run(input, [&] { return input.size(); });
  if (whole.starts_with("broken")) return whole;
  const auto compare = [&](const std::string& cut) {
    return cut == whole ? std::string{} : "whole: " + whole + "\ncut: " + cut;
  };
  auto why = compare(run(input, [] { return std::size_t{1}; }));
  for (const std::size_t longest : {3, 17, 120})
    if (why.empty()) why = compare(run(input, framer_law::cuts{input, longest, longest}));
  return why;
}

} // namespace matchcloud::proxy_header_law
