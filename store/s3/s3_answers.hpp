#pragma once

#include "base/crypto/openssl_objects.hpp"
#include "base/error.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_request.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Reads what S3 answers: bodies, headers and refusals. Pure functions; any thread. Those that read
/// a body or headers throw `store_failed` with a reason, unless they say otherwise.
namespace matchcloud::store {

// Bodies.

/// The most elements of a document: a page of 1000 names has about 8000.
inline constexpr std::size_t xml_element_limit = 32'768;

/// Parses a document into `to` and returns its root; empty if it is not well-formed or too long.
/// Document types are skipped, so no entity is expanded.
pugi::xml_node parse_xml(pugi::xml_document& to, std::string_view body);

/// Why a request was refused.
struct s3_error {
  /// Such as `NoSuchKey`; only letters, digits, dots, dashes and underscores.
  std::string code;
  /// For people; visible ASCII, at most `s3_message_limit_bytes`.
  std::string message{};
};

inline constexpr std::size_t s3_message_limit_bytes = 300;

/// The error in an element; its code is empty if there is none.
s3_error s3_error_of(pugi::xml_node in);
/// The same of a body.
s3_error read_s3_error(std::string_view body);

/// An object of a listing, or an upload in parts that was begun but neither completed nor aborted.
struct s3_listed {
  std::string key;
  std::uint64_t size_bytes = 0;
  /// When it was stored or begun, in milliseconds since 1970.
  std::int64_t at_ts = 0;
  /// Empty for an object.
  std::string upload_id{};
};

/// A page of a listing.
struct s3_page {
  std::vector<s3_listed> entries;
  /// Added to the query, requests the next page; empty if this is the last.
  s3_pairs next;
};
/// An answer to ListObjectsV2.
s3_page read_s3_page(std::string_view body);
/// An answer to ListMultipartUploads.
s3_page read_s3_uploads(std::string_view body);

/// The id in a response to CreateMultipartUpload.
std::string read_s3_upload_id(std::string_view body);

/// The answer to CompleteMultipartUpload, which can be an error although its status is 200: an
/// entity tag, which may be missing, or an error with a code.
struct s3_completion {
  std::string entity_tag;
  std::optional<s3_error> error;
};
s3_completion read_s3_completion(std::string_view body);

// Headers.

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
  /// The entity tag if it is made of MD5 digests, see `md5_tag_of`.
  std::string md5_tag;
  std::string sha256;
  /// 0 where it is not recorded.
  std::size_t part_bytes = 0;
  std::string write_name;
};

/// Reads the headers of a success.
s3_head read_s3_head(const s3_answer& answer);

/// The entity tag of a response, without quotes and in lower case; empty unless it is made of MD5
/// digests.
std::string md5_tag_of(const s3_answer& answer);

// Digests. MD5 protects nothing against forgery; S3 uses it for entity tags and to check bodies.

/// The MD5 of `bytes`, as raw bytes.
std::string md5_of(std::string_view bytes);
/// Raw bytes in lower-case hexadecimal digits, and in base64 (RFC 4648 section 4).
std::string to_hexadecimal(std::string_view bytes);
std::string to_base64(std::string_view bytes);
/// The entity tag that S3 computes from the digests (raw MD5, in order) of an object's parts.
std::string tag_of_parts(std::string_view digests);

/// Verifies an object's bytes against what was recorded when it was stored: its SHA-256, or else an
/// entity tag that is made of the MD5 of it or of its parts. One thread at a time.
class s3_check {
public:
  explicit s3_check(const s3_head& head);

  /// Takes the bytes in order.
  void append(std::string_view piece);
  /// Whether the bytes are those that were stored; true if there is no record. Call it once.
  bool holds();

private:
  using context_ptr = std::unique_ptr<EVP_MD_CTX, base::openssl_free<EVP_MD_CTX_free>>;

  /// Ends a digest and begins another.
  std::string end_digest();

  std::string expected_;
  /// Null if there is nothing to compare with.
  context_ptr digest_;
  const EVP_MD* method_ = nullptr;
  /// Where the digest begins again; no limit for an object stored at once.
  std::size_t part_bytes_ = 0;
  std::size_t in_part_ = 0;
  /// The digests of the completed parts.
  std::string digests_;
};

// Refusals.

/// What to do after an attempt that was answered.
enum class s3_next : std::uint8_t {
  /// The response is conclusive, whether a success or a refusal.
  take,
  /// Retry after a while; nothing was done, or that is unknown.
  again,
  again_outcome_unknown,
  /// Retry at once, if the service's time or other credentials are known by then.
  again_with_time,
  again_with_credentials,
};

/// Evaluates a response. `error` is from its body, with an empty code if there is none.
s3_next judge(const s3_answer& answer, const s3_error& error);

/// What a response says, for people: its status, S3's code and message, and the bucket's region if
/// it has them.
std::string s3_reason(const s3_answer& answer, const s3_error& error);

/// The error for a refusal: `store_full` if there is no space, or else `store_failed`; "`where`:
/// cannot `operation`: ..", and what to do.
base::error s3_refusal(std::string_view where, std::string_view operation, const s3_answer& answer,
                       const s3_error& error);

} // namespace matchcloud::store
