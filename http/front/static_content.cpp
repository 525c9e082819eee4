#include "http/front/static_content.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "http/wire/conditional.hpp"
#include "http/wire/request.hpp"
#include "model/net/http_url.hpp"

#include <zlib.h>

#include <array>
#include <cstring>
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

// Kept for a minute: the catalog and the location of an address change rarely, and a listing that
// is a minute old does little harm. Only the client's own cache may keep a listing, because it
// depends on the client's address. `Vary` has `Origin` because the origin selects the namespace.
constexpr std::string_view kept_header = "Cache-Control: private, max-age=60\r\n";
constexpr std::string_view vary_header = "Vary: Accept-Encoding, Origin\r\n";
constexpr std::string_view open_header = "Access-Control-Allow-Origin: *\r\n";
// Where tokens are read, the token selects the namespace before the origin does.
constexpr std::string_view token_vary_header = "Vary: Accept-Encoding, Authorization, Origin\r\n";
constexpr auto listing_headers = joined<kept_header, vary_header>;
constexpr auto open_listing_headers = joined<kept_header, vary_header, open_header>;
constexpr auto token_listing_headers = joined<kept_header, token_vary_header>;
constexpr auto open_token_listing_headers = joined<kept_header, token_vary_header, open_header>;

// Only pages read exposed headers. Game clients send no Origin, by which the answer varies, so
// their answers leave them out.
constexpr auto page_listing_headers = joined<open_listing_headers, exposed_headers>;
constexpr auto token_page_listing_headers = joined<open_token_listing_headers, exposed_headers>;

std::string_view headers_for(const listing_audience& to, bool is_page) noexcept {
  if (!to.any_origin) return to.reads_tokens ? token_listing_headers : listing_headers;
  if (is_page) return to.reads_tokens ? token_page_listing_headers : page_listing_headers;
  return to.reads_tokens ? open_token_listing_headers : open_listing_headers;
}

void append_etag(std::string& out, std::uint64_t digest, bool gzip) {
  std::array<std::uint8_t, 8> bytes{};
  std::memcpy(bytes.data(), &digest, bytes.size());
  out += '"';
  base::append_hexadecimal(out, bytes);
  out.append(gzip ? "-gzip\"" : "\"");
}

assembled_body body_of(std::shared_ptr<const model::region_listing> listing, bool gzip) {
  using of = model::region_listing;
  assembled_body body;
  body.size = gzip ? listing->gzip_bytes() : listing->json_bytes();
  body.append = gzip ? [](const void* from,
                          std::string& out) { static_cast<const of*>(from)->append_gzip(out); }
                     : [](const void* from, std::string& out) {
                         static_cast<const of*>(from)->append_json(out);
                       };
  body.parts = std::move(listing);
  return body;
}

/// The answer with the content that `digest` identifies; `set_body` adds that content.
template <class SetBody>
response tagged_response(const request& request, std::uint64_t digest, bool gzip,
                         const listing_audience& to, const SetBody& set_body) {
  response answer;
  answer.fixed_headers = headers_for(to, request.has(header::origin));
  // The ETag is built in place: a string of its own would cost an allocation in every request.
  answer.headers.reserve(64);
  answer.headers.append("ETag: ");
  const auto etag_begin = answer.headers.size();
  append_etag(answer.headers, digest, gzip);
  const auto etag = std::string_view{answer.headers}.substr(etag_begin);
  if (request.has(header::if_match) && !precondition_holds(request, etag)) {
    auto refused = precondition_failed(request, etag);
    // Leaves out the listing's `Cache-Control`: no cache may keep a refusal.
    refused.fixed_headers = to.reads_tokens ? "Vary: Accept-Encoding, Authorization, Origin\r\n"
                                            : "Vary: Accept-Encoding, Origin\r\n";
    if (to.any_origin) refused.headers.append(any_origin_headers);
    return refused;
  }
  const bool is_known =
      request.has(header::if_none_match) && names_etag(request.get(header::if_none_match), etag);
  answer.headers.append("\r\n");
  set_body(answer);
  if (is_known) {
    answer.status = 304;
    return answer;
  }
  answer.content_type = json_type;
  if (gzip) answer.headers.append("Content-Encoding: gzip\r\n");
  return answer;
}

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

response regions_response(const request& request,
                          std::shared_ptr<const model::region_listing> listing,
                          const listing_audience& to,
                          std::shared_ptr<const std::string> compressed) {
  const bool gzip = compressed || (listing->is_compressible() && accepts_gzip(request));
  const auto digest = listing->digest();
  return tagged_response(request, digest, gzip, to, [&](response& answer) {
    if (compressed)
      answer.body = std::move(compressed);
    else
      answer.body = body_of(std::move(listing), gzip);
  });
}

response detailed_response(const request& request, std::shared_ptr<const std::string> json,
                           const listing_audience& to) {
  std::uint64_t digest = 0;
  const auto sha256 = base::sha256(*json);
  std::memcpy(&digest, sha256.data(), sizeof digest);
  return tagged_response(request, digest, false, to,
                         [&](response& answer) { answer.body = std::move(json); });
}

} // namespace matchcloud::http
