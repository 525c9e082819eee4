#include "store/s3/s3_answers.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"
#include "base/randomness.hpp"
#include "model/net/content_part.hpp"
#include "model/text/timestamp.hpp"
#include "store/s3/s3_settings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::size_t code_limit_bytes = 64;
constexpr std::size_t upload_id_limit_bytes = 1'024;
constexpr std::size_t marker_limit_bytes = 4'096;
constexpr std::size_t md5_bytes = 16;
constexpr std::size_t md5_digits = 2 * md5_bytes;

constexpr base::character_set code_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; }};

template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> why, Arguments&&... arguments) {
  throw base::failure{base::errc::store_failed,
                      fmt::format(why, std::forward<Arguments>(arguments)...)};
}

bool is_word(std::string_view text) noexcept {
  return text.size() <= code_limit_bytes && code_characters.contains_all(text);
}

/// The root of a document, which must have that name.
pugi::xml_node root_of(pugi::xml_document& document, std::string_view body, const char* name) {
  const auto root = parse_xml(document, body);
  if (!root) refuse("no XML as S3 sends it");
  if (std::string_view{root.name()} != name) refuse("it is not a {}", name);
  return root;
}

std::string key_of(pugi::xml_node in) {
  std::string key = in.child_value("Key");
  if (key.empty()) refuse("an entry has no name");
  if (key.size() > s3_key_limit_bytes) refuse("a name is too long");
  return key;
}

std::string id_of(pugi::xml_node in) {
  std::string id = in.child_value("UploadId");
  if (id.empty() || id.size() > upload_id_limit_bytes || !base::visible_characters.contains_all(id))
    refuse("an upload has no id");
  return id;
}

/// What requests the next page.
std::string marker_of(pugi::xml_node page, const char* name) {
  std::string marker = page.child_value(name);
  if (marker.empty() || marker.size() > marker_limit_bytes)
    refuse("there are more pages, but no {} to request the next one", name);
  return marker;
}

std::int64_t time_of(pugi::xml_node in, const char* name) {
  const auto time = model::parse_timestamp(in.child_value(name));
  if (!time) refuse("{} is not a time", name);
  return *time;
}

bool is_truncated(pugi::xml_node page) {
  const std::string_view text = page.child_value("IsTruncated");
  if (text != "true" && text != "false") refuse("it does not say whether there is more");
  return text == "true";
}

} // namespace

pugi::xml_node parse_xml(pugi::xml_document& to, std::string_view body) {
  // Each element begins with one, and most end with another.
  const auto tags = static_cast<std::size_t>(std::ranges::count(body, '<'));
  if (tags > 2 * xml_element_limit || !to.load_buffer(body.data(), body.size())) {
    to.reset();
    return {};
  }
  return to.document_element();
}

s3_error s3_error_of(pugi::xml_node in) {
  s3_error error{in.child_value("Code")};
  if (!is_word(error.code)) return {};
  error.message = std::string_view{in.child_value("Message")}.substr(0, s3_message_limit_bytes);
  std::ranges::replace_if(
      error.message, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return error;
}

s3_error read_s3_error(std::string_view body) {
  pugi::xml_document document;
  const auto root = parse_xml(document, body);
  return std::string_view{root.name()} == "Error" ? s3_error_of(root) : s3_error{};
}

s3_page read_s3_page(std::string_view body) {
  pugi::xml_document document;
  const auto root = root_of(document, body, "ListBucketResult");
  s3_page page;
  for (const auto& each : root.children("Contents")) {
    const auto size = base::parse_decimal<std::uint64_t>(each.child_value("Size"));
    page.entries.push_back({key_of(each), size.value_or(0), time_of(each, "LastModified")});
    if (!size) refuse("an object has no size");
  }
  if (is_truncated(root))
    page.next = {{"continuation-token", marker_of(root, "NextContinuationToken")}};
  return page;
}

s3_page read_s3_uploads(std::string_view body) {
  pugi::xml_document document;
  const auto root = root_of(document, body, "ListMultipartUploadsResult");
  s3_page page;
  for (const auto& each : root.children("Upload")) {
    page.entries.push_back({key_of(each), 0, time_of(each, "Initiated"), id_of(each)});
  }
  if (!is_truncated(root)) return page;
  page.next = {{"key-marker", marker_of(root, "NextKeyMarker")}};
  if (*root.child_value("NextUploadIdMarker") != '\0')
    page.next.emplace_back("upload-id-marker", marker_of(root, "NextUploadIdMarker"));
  return page;
}

std::string read_s3_upload_id(std::string_view body) {
  pugi::xml_document document;
  return id_of(root_of(document, body, "InitiateMultipartUploadResult"));
}

s3_completion read_s3_completion(std::string_view body) {
  // The service sends blanks to keep the connection open while it assembles the parts.
  body.remove_prefix(std::min(body.find_first_not_of(" \t\r\n"), body.size()));
  if (auto error = read_s3_error(body); !error.code.empty())
    return {std::string{}, std::move(error)};
  pugi::xml_document document;
  return {root_of(document, body, "CompleteMultipartUploadResult").child_value("ETag"),
          std::nullopt};
}

// Headers.

namespace {

std::string_view unquoted(std::string_view tag) noexcept {
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"')
    return tag.substr(1, tag.size() - 2);
  return tag;
}

/// Whether a tag has the form that MD5 digests give: 32 digits, and the number of parts if any.
bool looks_like_md5(std::string_view tag) noexcept {
  const auto digits = tag.substr(0, md5_digits);
  if (digits.size() < md5_digits ||
      !std::ranges::all_of(digits, [](char c) { return base::hex_value(c) >= 0; }))
    return false;
  const auto rest = tag.substr(md5_digits);
  return rest.empty() ||
         (rest.front() == '-' && base::parse_decimal<std::uint32_t>(rest.substr(1)));
}

void read_size(const s3_answer& answer, s3_head& into) {
  if (answer.status == 206) {
    const auto part = model::parse_content_part(answer.header("content-range"));
    if (!part) refuse("the answer does not say which bytes it has");
    into.first = part->begin;
    into.facts.size_bytes = part->total;
    return;
  }
  const auto length = base::parse_decimal<std::uint64_t>(answer.header("content-length"));
  if (!length) refuse("the answer does not say how long the object is");
  into.facts.size_bytes = *length;
}

} // namespace

std::string new_write_name() {
  std::array<std::uint8_t, 16> random{};
  base::fill_random(random);
  return base::hexadecimal(random);
}

s3_head read_s3_head(const s3_answer& answer) {
  s3_head head;
  read_size(answer, head);
  const std::string stored{answer.header("last-modified")};
  const auto stored_s = stored.empty() ? -1 : curl_getdate(stored.c_str(), nullptr);
  if (stored_s < 0)
    refuse("the answer does not say when the object was stored; check that objects-endpoint "
           "is an S3 service");
  head.facts.stored_ts = static_cast<std::int64_t>(stored_s) * 1'000;
  head.entity_tag = answer.header("etag");
  if (head.entity_tag.empty()) refuse("the answer has no entity tag");
  head.md5_tag = md5_tag_of(answer);
  head.sha256 = answer.header(s3_sha256_header);
  head.part_bytes =
      base::parse_decimal<std::size_t>(answer.header(s3_part_bytes_header)).value_or(0);
  head.write_name = answer.header(s3_write_header);
  return head;
}

std::string md5_tag_of(const s3_answer& answer) {
  // Objects encrypted with keys of a key service have tags of the same form that are not MD5
  // digests.
  const auto encryption = answer.header("x-amz-server-side-encryption");
  if (!encryption.empty() && encryption != "AES256") return {};
  if (!answer.header("x-amz-server-side-encryption-customer-algorithm").empty()) return {};
  std::string tag{unquoted(answer.header("etag"))};
  if (!looks_like_md5(tag)) return {};
  std::ranges::transform(tag, tag.begin(), base::to_lower);
  return tag;
}

// Digests.

namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void require(int done) {
  if (done != 1)
    throw std::runtime_error{"OpenSSL cannot compute the digest: " + base::take_openssl_reason()};
}

} // namespace

std::string md5_of(std::string_view bytes) {
  std::string made(md5_bytes, '\0');
  require(EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(made.data()),
                     nullptr, EVP_md5(), nullptr));
  return made;
}

std::string to_hexadecimal(std::string_view bytes) {
  std::string text;
  base::append_hexadecimal(text, as_bytes(bytes));
  return text;
}

std::string to_base64(std::string_view bytes) {
  // Includes the zero byte that OpenSSL appends.
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const auto length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                      as_bytes(bytes).data(), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::string tag_of_parts(std::string_view digests) {
  return to_hexadecimal(md5_of(digests)) + "-" + std::to_string(digests.size() / md5_bytes);
}

s3_check::s3_check(const s3_head& head)
    : expected_{head.sha256.empty() ? head.md5_tag : head.sha256},
      method_{head.sha256.empty() ? EVP_md5() : EVP_sha256()} {
  const bool is_in_parts = head.sha256.empty() && expected_.size() != md5_digits;
  part_bytes_ = is_in_parts ? head.part_bytes : std::numeric_limits<std::size_t>::max();
  if (expected_.empty() || part_bytes_ == 0) return;
  digest_.reset(EVP_MD_CTX_new());
  require(EVP_DigestInit_ex(digest_.get(), method_, nullptr));
}

void s3_check::append(std::string_view piece) {
  while (digest_ && !piece.empty()) {
    const auto some = piece.substr(0, part_bytes_ - in_part_);
    require(EVP_DigestUpdate(digest_.get(), some.data(), some.size()));
    in_part_ += some.size();
    piece.remove_prefix(some.size());
    if (in_part_ == part_bytes_) digests_ += end_digest();
  }
}

std::string s3_check::end_digest() {
  in_part_ = 0;
  std::string made(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  require(
      EVP_DigestFinal_ex(digest_.get(), reinterpret_cast<unsigned char*>(made.data()), &length));
  require(EVP_DigestInit_ex(digest_.get(), method_, nullptr));
  made.resize(length);
  return made;
}

bool s3_check::holds() {
  if (!digest_) return true;
  if (part_bytes_ == std::numeric_limits<std::size_t>::max())
    return to_hexadecimal(end_digest()) == expected_;
  if (in_part_ > 0) digests_ += end_digest();
  return tag_of_parts(digests_) == expected_;
}

// Refusals.

namespace {

struct known_code {
  std::string_view code;
  s3_next next = s3_next::again;
  /// What people can do; may be empty.
  std::string_view todo = {};
};

/// The codes that matter, apart from statuses that say what to do.
constexpr std::array<known_code, 28> known_codes{{
    {"InternalError", s3_next::again_outcome_unknown},
    {"SlowDown"},
    {"ServiceUnavailable"},
    {"RequestTimeout"},
    {"OperationAborted"},
    {"ConditionalRequestConflict"},
    {"Throttling"},
    {"ThrottlingException"},
    {"TooManyRequests"},
    {"RequestLimitExceeded"},
    {"IDPCommunicationError"},
    // The body changed on its way.
    {"BadDigest"},
    {"XAmzContentSHA256Mismatch"},
    {"InvalidDigest"},
    {"IncompleteBody"},
    {"ExpiredToken", s3_next::again_with_credentials,
     "get new credentials, including AWS_SESSION_TOKEN"},
    {"InvalidToken", s3_next::again_with_credentials,
     "get new credentials, including AWS_SESSION_TOKEN"},
    {"TokenRefreshRequired", s3_next::again_with_credentials, "get new credentials"},
    {"InvalidAccessKeyId", s3_next::again_with_credentials,
     "use credentials that this service knows"},
    {"RequestTimeTooSkewed", s3_next::again_with_time, "set this machine's clock"},
    {"NoSuchBucket", s3_next::take, "create the bucket, or use another"},
    {"SignatureDoesNotMatch", s3_next::take,
     "use the secret key that belongs to the access key, and make sure that no proxy changes "
     "requests"},
    {"AccessDenied", s3_next::take,
     "allow s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, "
     "s3:ListBucketMultipartUploads and s3:AbortMultipartUpload for the user or role of these "
     "credentials"},
    {"PermanentRedirect", s3_next::take, "set objects-endpoint and objects-region to the bucket's"},
    {"TemporaryRedirect", s3_next::take, "set objects-endpoint and objects-region to the bucket's"},
    {"AuthorizationHeaderMalformed", s3_next::take,
     "set objects-region (or AWS_REGION) to the bucket's"},
    {"QuotaExceeded", s3_next::take, "remove something, or raise the quota"},
    {"", s3_next::take,
     "it gives no reason: check objects-endpoint, the credentials and their rights"},
}};

constexpr std::array<std::string_view, 4> full{"QuotaExceeded", "InsufficientCapacity",
                                               "StorageFull", "XMinioStorageFull"};

known_code find_code(std::string_view code) {
  const auto* const found = std::ranges::find(known_codes, code, &known_code::code);
  return found == known_codes.end() ? known_code{code, s3_next::take} : *found;
}

} // namespace

s3_next judge(const s3_answer& answer, const s3_error& error) {
  const auto next = find_code(error.code).next;
  if (next == s3_next::again_with_time || next == s3_next::again_with_credentials) return next;
  switch (answer.status) {
  case 500:
  case 502:
  case 504: return s3_next::again_outcome_unknown;
  case 429:
  case 503: return s3_next::again;
  default: return next;
  }
}

std::string s3_reason(const s3_answer& answer, const s3_error& error) {
  auto text = fmt::format("HTTP status {}", answer.status);
  if (!error.code.empty()) text += ", " + error.code;
  if (!error.message.empty()) text += ": " + error.message;
  const auto region = answer.header("x-amz-bucket-region");
  if (!region.empty() && is_word(region)) text += fmt::format(" (the bucket is in {})", region);
  return text;
}

base::error s3_refusal(std::string_view where, std::string_view operation, const s3_answer& answer,
                       const s3_error& error) {
  const auto todo = find_code(error.code).todo;
  const bool is_full = std::ranges::find(full, error.code) != full.end() || answer.status == 507;
  return {is_full ? base::errc::store_full : base::errc::store_failed,
          fmt::format("{}: cannot {}: {}{}{}", where, operation, s3_reason(answer, error),
                      todo.empty() ? "" : "; ", todo)};
}

} // namespace matchcloud::store
