#include "store/s3/s3_head.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/hexadecimal.hpp"
#include "base/randomness.hpp"
#include "model/net/content_part.hpp"
#include "store/s3/s3_settings.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace matchcloud::store {

namespace {

constexpr std::size_t md5_bytes = 16;
constexpr std::size_t md5_digits = 2 * md5_bytes;

tl::unexpected<base::error> bad_answer(const char* why) {
  return base::fail(base::errc::io_failed, why);
}

std::string_view unquoted(std::string_view tag) noexcept {
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"')
    return tag.substr(1, tag.size() - 2);
  return tag;
}

bool is_hexadecimal(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return base::hex_value(c) >= 0; });
}

/// Whether a tag has the form that MD5 digests give: 32 digits, and the number of parts if any.
bool looks_like_md5(std::string_view tag) noexcept {
  if (tag.size() < md5_digits || !is_hexadecimal(tag.substr(0, md5_digits))) return false;
  const auto rest = tag.substr(md5_digits);
  return rest.empty() ||
         (rest.front() == '-' && base::parse_decimal<std::uint32_t>(rest.substr(1)));
}

base::expected<void> read_size(const s3_answer& answer, s3_head& into) {
  if (answer.status == 206) {
    const auto part = model::parse_content_part(answer.header("content-range"));
    if (!part) return bad_answer("the answer does not say which bytes it has");
    into.first = part->begin;
    into.facts.size_bytes = part->total;
    return {};
  }
  const auto length = base::parse_decimal<std::uint64_t>(answer.header("content-length"));
  if (!length) return bad_answer("the answer does not say how long the object is");
  into.facts.size_bytes = *length;
  return {};
}

} // namespace

std::string new_write_name() {
  std::array<std::uint8_t, 16> random{};
  base::fill_random(random);
  return to_hexadecimal({reinterpret_cast<const char*>(random.data()), random.size()});
}

base::expected<s3_head> read_s3_head(const s3_answer& answer) {
  s3_head head;
  if (auto read = read_size(answer, head); !read) return tl::unexpected(read.error());
  const std::string stored{answer.header("last-modified")};
  const auto stored_s = stored.empty() ? -1 : curl_getdate(stored.c_str(), nullptr);
  if (stored_s < 0)
    return bad_answer(
        "the answer does not say when the object was stored; check that objects-endpoint "
        "is an S3 service");
  head.facts.stored_ts = static_cast<std::int64_t>(stored_s) * 1'000;
  head.entity_tag = answer.header("etag");
  if (head.entity_tag.empty()) return bad_answer("the answer has no entity tag");
  head.is_tag_of_md5 = !md5_tag_of(answer).empty();
  head.sha256 = answer.header(s3_sha256_header);
  head.write_name = answer.header(s3_write_header);
  const auto part_bytes =
      base::parse_decimal<std::size_t>(answer.header(s3_part_bytes_header)).value_or(0);
  if (part_bytes <= s3_most_part_bytes) head.part_bytes = part_bytes;
  return head;
}

std::string_view md5_tag_of(const s3_answer& answer) {
  // Objects encrypted with keys of a key service have tags of the same form that are not MD5
  // digests.
  const auto encryption = answer.header("x-amz-server-side-encryption");
  if (!encryption.empty() && encryption != "AES256") return {};
  if (!answer.header("x-amz-server-side-encryption-customer-algorithm").empty()) return {};
  const auto tag = unquoted(answer.header("etag"));
  return looks_like_md5(tag) ? tag : std::string_view{};
}

std::string tag_of_parts(std::string_view digests) {
  return to_hexadecimal(md5_of(digests)) + "-" + std::to_string(digests.size() / md5_bytes);
}

s3_check::s3_check(const s3_head& head) : part_bytes_{head.part_bytes} {
  expected_ = head.sha256.empty() ? unquoted(head.entity_tag) : head.sha256;
  if (!head.sha256.empty())
    by_ = by::sha256;
  else if (head.is_tag_of_md5 && expected_.size() == md5_digits)
    by_ = by::md5;
  else if (head.is_tag_of_md5 && part_bytes_ > 0)
    by_ = by::parts;
  if (by_ == by::md5 || by_ == by::parts) md5_.emplace();
}

void s3_check::append(std::string_view piece) {
  if (by_ == by::sha256) sha256_.add(piece);
  if (by_ == by::md5) md5_->append(piece);
  if (by_ == by::parts) append_to_parts(piece);
}

void s3_check::append_to_parts(std::string_view piece) {
  while (!piece.empty()) {
    const auto some = piece.substr(0, part_bytes_ - in_part_);
    md5_->append(some);
    in_part_ += some.size();
    piece.remove_prefix(some.size());
    if (in_part_ == part_bytes_) end_part();
  }
}

void s3_check::end_part() {
  digests_ += md5_->finish();
  in_part_ = 0;
}

bool s3_check::holds() {
  switch (by_) {
  case by::nothing: return true;
  case by::sha256: return base::hexadecimal(sha256_.digest()) == expected_;
  case by::md5: return to_hexadecimal(md5_->finish()) == expected_;
  case by::parts: break;
  }
  if (in_part_ > 0) end_part();
  return tag_of_parts(digests_) == expected_;
}

} // namespace matchcloud::store
