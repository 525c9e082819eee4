#pragma once

#include "http/wire/request.hpp"
#include "http/wire/response.hpp"
#include "model/catalog/catalog.hpp"
#include "model/regions/region_listing.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// Bytes that fronts send unchanged for as long as the process lives.
struct static_content {
  /// Has static storage duration.
  std::string_view content_type;
  std::shared_ptr<const std::string> plain;
  /// In the gzip format; null: only plain.
  std::shared_ptr<const std::string> gzip;
  /// Identifies the bytes, in hexadecimal.
  std::string digest;
};

/// Compresses `bytes` where that makes them smaller. Milliseconds; any thread.
std::shared_ptr<const static_content> make_static_content(std::string_view content_type,
                                                          std::string bytes);
/// `gzip` is `bytes` already compressed; empty: only plain.
std::shared_ptr<const static_content> make_static_content(std::string_view content_type,
                                                          std::string bytes, std::string gzip);

/// The answer to a GET of the content: 200, or 304 where `If-None-Match` names it, with `Vary` and
/// an `ETag` of its coding. `fixed_headers` are complete header lines with static storage duration.
response static_response(const request& request, const static_content& of,
                         std::string_view fixed_headers);

/// The files of the console by their names: `index.html`, `docs.html`, and what these refer to as
/// `assets/NAME`. Immutable.
struct console_files {
  std::map<std::string, std::shared_ptr<const static_content>, std::less<>> by_name;

  /// Null: there is no such file.
  std::shared_ptr<const static_content> find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

/// The media type of a file by the end of its name.
std::string_view media_type_of(std::string_view file_name) noexcept;

/// The origins of the catalog's ping URLs, for the policy below: ` https://..` each. At most 64,
/// because browsers and proxies limit a header's size.
std::string ping_origins(const model::catalog& of);

/// The `Content-Security-Policy` of the console's pages. They may send requests to the service
/// itself and to `ping_origins`, each ` https://..`.
std::string console_policy(std::string_view ping_origins);

/// The readers of a listing, and what it depends on.
struct listing_audience {
  /// Pages of any origin may read it.
  bool any_origin = true;
  /// Whether tokens are read.
  bool reads_tokens = false;
};

/// The answer to a request for the regions: the listing in a coding that the client accepts, 304
/// where `If-None-Match` names it, or 412 where `If-Match` does not. The entity tag identifies the
/// content and the coding. `compressed`: the listing in gzip, if that is kept; otherwise it is
/// compressed where it is sent.
response regions_response(const request& request,
                          std::shared_ptr<const model::region_listing> listing,
                          const listing_audience& to,
                          std::shared_ptr<const std::string> compressed = nullptr);
/// The same for a listing with details, as JSON.
response detailed_response(const request& request, std::shared_ptr<const std::string> json,
                           const listing_audience& to);

} // namespace matchcloud::http
