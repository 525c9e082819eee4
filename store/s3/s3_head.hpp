#pragma once

#include "base/crypto/sha256.hpp"
#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/s3/md5.hpp"
#include "store/s3/s3_answer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Metadata of stored objects: the digest of an object stored in one request, in hexadecimal
/// digits; the length of the parts of an object stored in parts; and a random name of the write, by
/// which a writer recognizes its own object.
inline constexpr std::string_view s3_sha256_header = "x-amz-meta-sha256";
inline constexpr std::string_view s3_part_bytes_header = "x-amz-meta-part-bytes";
inline constexpr std::string_view s3_write_header = "x-amz-meta-write";

/// A new name of a write.
std::string new_write_name();

/// The facts of an object in the headers of a response.
struct s3_head {
  object_facts facts;
  /// Position of the following bytes in the whole object.
  std::uint64_t first = 0;
  std::string entity_tag;
  /// Whether the entity tag is made of MD5 digests.
  bool is_tag_of_md5 = false;
  std::string sha256;
  std::size_t part_bytes = 0;
  std::string write_name;
};

/// Reads the headers of a success. Fails with `io_failed` and a reason if one is missing or
/// invalid.
base::expected<s3_head> read_s3_head(const s3_answer& answer);

/// The entity tag of a response, without quotes; empty unless it is made of MD5 digests.
std::string_view md5_tag_of(const s3_answer& answer);

/// The entity tag that S3 computes from the digests (raw MD5, in order) of an object's parts.
std::string tag_of_parts(std::string_view digests);

/// Verifies an object's bytes against what was recorded when it was stored. One thread at a time.
class s3_check {
public:
  explicit s3_check(const s3_head& head);

  /// Takes the bytes in order.
  void append(std::string_view piece);
  /// Whether the bytes are those that were stored; true if there is no record. Call it once.
  bool holds();

private:
  enum class by : unsigned char { nothing, sha256, md5, parts };

  void append_to_parts(std::string_view piece);
  void end_part();

  by by_ = by::nothing;
  std::string expected_;
  std::size_t part_bytes_;
  base::sha256_stream sha256_;
  /// Present if needed.
  std::optional<md5_stream> md5_;
  std::size_t in_part_ = 0;
  /// The digests of the completed parts.
  std::string digests_;
};

} // namespace matchcloud::store
