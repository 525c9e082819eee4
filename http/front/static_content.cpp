#include "http/front/static_content.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "http/wire/conditional.hpp"
#include "http/wire/request.hpp"
#include "model/net/http_url.hpp"

#include <zlib.h>

#include <array>
#include <set>
#include <span>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::size_t digest_bytes = 8;
/// zlib's code for "gzip, with the largest window".
constexpr int gzip_window_bits = 15 + 16;
constexpr int memory_level = 9;

std::string digest_of(std::string_view bytes) {
  std::string text;
  const auto whole = base::sha256(bytes);
  base::append_hexadecimal(text, std::span{whole}.first(digest_bytes));
  return text;
}

/// Empty where zlib has no memory.
std::string compressed(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window_bits, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in{bytes};
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(done ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> media_types{
    {{".html", "text/html; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".svg", "image/svg+xml"},
     {".txt", "text/plain; charset=utf-8"},
     {".json", "application/json"},
     {".woff2", "font/woff2"}}};

constexpr std::size_t ping_origins_limit = 64;

} // namespace

std::shared_ptr<const static_content> make_static_content(std::string_view content_type,
                                                          std::string bytes, std::string gzip) {
  static_content made{content_type, {}, {}, digest_of(bytes)};
  if (!gzip.empty() && gzip.size() < bytes.size())
    made.gzip = std::make_shared<const std::string>(std::move(gzip));
  made.plain = std::make_shared<const std::string>(std::move(bytes));
  return std::make_shared<const static_content>(std::move(made));
}

std::shared_ptr<const static_content> make_static_content(std::string_view content_type,
                                                          std::string bytes) {
  auto gzip = compressed(bytes);
  return make_static_content(content_type, std::move(bytes), std::move(gzip));
}

response static_response(const request& request, const static_content& of,
                         std::string_view fixed_headers) {
  const bool gzip = of.gzip && accepts_gzip(request);
  const auto etag = '"' + of.digest + (gzip ? "-gzip\"" : "\"");
  response answer;
  answer.fixed_headers = fixed_headers;
  answer.headers.append("Vary: Accept-Encoding\r\nETag: ").append(etag).append("\r\n");
  answer.body = gzip ? of.gzip : of.plain;
  // The process holds them anyway.
  answer.body_leased = true;
  if (names_etag(request.get(header::if_none_match), etag)) {
    answer.status = 304;
    return answer;
  }
  answer.content_type = of.content_type;
  if (gzip) answer.headers.append("Content-Encoding: gzip\r\n");
  return answer;
}

std::string_view media_type_of(std::string_view file_name) noexcept {
  for (const auto& [end, type] : media_types)
    if (file_name.ends_with(end)) return type;
  return "application/octet-stream";
}

std::string ping_origins(const model::catalog& of) {
  std::set<std::string> origins;
  for (const auto& region : of.regions)
    if (!region.ping_url.empty() && origins.size() < ping_origins_limit)
      origins.insert(model::origin_of(region.ping_url));
  std::string all;
  for (const auto& each : origins)
    all.append(" ").append(each);
  return all;
}

std::string console_policy(std::string_view ping_origins) {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
         "connect-src 'self'" +
         std::string{ping_origins} +
         "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

} // namespace matchcloud::http
