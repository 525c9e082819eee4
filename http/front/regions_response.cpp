#include "http/front/regions_response.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "http/wire/conditional.hpp"
#include "http/wire/request.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace matchcloud::http {

namespace {

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
