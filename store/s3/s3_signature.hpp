#pragma once

#include "store/s3/s3_credentials.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Signatures of requests to a service of objects: AWS Signature Version 4, as the Amazon S3 API
/// reference has it under "Authenticating Requests". Pure functions; any thread.
namespace matchcloud::store {

/// Names and values, not encoded.
using s3_pairs = std::vector<std::pair<std::string, std::string>>;

/// The signed parts of a request.
struct s3_signed_parts {
  std::string_view method;
  /// As it is sent: encoded by `s3_encoded_path`.
  std::string_view path;
  s3_pairs query;
  /// Names in lower case. Must include `host`.
  s3_pairs headers;
  /// SHA-256 of the body in lower-case hexadecimal digits.
  std::string_view body_sha256;
};

/// Where and when a signature is valid.
struct s3_signing_scope {
  std::string_view region;
  /// Milliseconds since 1970, from 0 to the year 9999; milliseconds are cut off.
  std::int64_t at_ts = 0;
};

/// Percent-encodes all bytes except the unreserved ones of RFC 3986 section 2.3.
std::string s3_encoded(std::string_view text);
/// The same, but keeps slashes.
std::string s3_encoded_path(std::string_view path);
/// A query, encoded and sorted as it is signed.
std::string s3_query(const s3_pairs& query);
/// A time as it is signed, such as `20130524T000000Z`.
std::string s3_time(std::int64_t at_ts);

/// The `Authorization` header of a request whose headers include `x-amz-date` and
/// `x-amz-content-sha256`.
std::string s3_authorization(const s3_signed_parts& parts, const s3_credentials& by,
                             const s3_signing_scope& scope);

/// The query, including `parts.query`, with which anybody can make the request until `lifetime` is
/// over. The body is not signed; `parts.body_sha256` is not used.
std::string s3_presigned_query(const s3_signed_parts& parts, const s3_credentials& by,
                               const s3_signing_scope& scope, std::chrono::seconds lifetime);

} // namespace matchcloud::store
