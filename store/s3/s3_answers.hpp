#pragma once

#include "base/expected.hpp"
#include "store/s3/xml_element.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parse the bodies of S3's responses. Pure functions; any thread. All fail with `io_failed` and a
/// reason if a body is invalid.
namespace matchcloud::store {

/// Why a request was refused.
struct s3_error {
  /// Such as `NoSuchKey`; only letters, digits, dots, dashes and underscores.
  std::string code;
  /// For people; visible ASCII, at most `s3_message_limit_bytes`.
  std::string message{};
};

inline constexpr std::size_t s3_message_limit_bytes = 300;

/// Reads an `Error`. The code is empty if the body is none.
s3_error read_s3_error(std::string_view body);
/// The same for an element with `Code` and `Message`.
s3_error s3_error_of(const xml_element& read);
/// Whether a text can be the code of an error, or a region.
bool is_s3_word(std::string_view text) noexcept;

/// An object of a listing.
struct s3_listed {
  std::string key;
  std::uint64_t size_bytes = 0;
  /// Milliseconds since 1970.
  std::int64_t stored_ts = 0;
};

/// An answer to ListObjectsV2.
struct s3_page {
  std::vector<s3_listed> objects;
  /// Requests the next page; empty if this is the last.
  std::string continuation;
};
base::expected<s3_page> read_s3_page(std::string_view body);

/// An upload in parts that was begun but neither completed nor aborted.
struct s3_unfinished {
  std::string key;
  std::string upload_id;
  std::int64_t begun_ts = 0;
};

/// An answer to ListMultipartUploads.
struct s3_uploads_page {
  std::vector<s3_unfinished> uploads;
  /// Request the next page; both empty if this is the last.
  std::string key_marker;
  std::string upload_id_marker;
};
base::expected<s3_uploads_page> read_s3_uploads(std::string_view body);

/// The id in a response to CreateMultipartUpload.
base::expected<std::string> read_s3_upload_id(std::string_view body);

/// The answer to CompleteMultipartUpload, which can be an error although its status is 200: either
/// an entity tag, or an error with a code.
struct s3_completion {
  std::string entity_tag;
  std::optional<s3_error> error;
};
base::expected<s3_completion> read_s3_completion(std::string_view body);

} // namespace matchcloud::store
