#include "store/s3/s3_answers.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "model/text/timestamp.hpp"
#include "store/s3/s3_settings.hpp"

#include <algorithm>

namespace matchcloud::store {

namespace {

constexpr std::size_t code_limit_bytes = 64;
constexpr std::size_t upload_id_limit_bytes = 1'024;
constexpr std::size_t marker_limit_bytes = 4'096;

constexpr base::character_set code_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; }};

tl::unexpected<base::error> refuse(std::string why) {
  return base::fail(base::errc::io_failed, std::move(why));
}

base::expected<xml_element> read_as(std::string_view body, std::string_view name) {
  auto read = parse_xml(body);
  if (!read) return refuse("no XML as S3 sends it: " + read.error().detail);
  if (read->name != name) return refuse("it is not a " + std::string{name});
  return read;
}

std::string for_people(std::string_view text) {
  std::string shown{text.substr(0, s3_message_limit_bytes)};
  std::ranges::replace_if(
      shown, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return shown;
}

/// Decodes `encoding-type=url`, in which a plus is a blank.
base::expected<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size() || base::hex_value(text[i + 1]) < 0 ||
        base::hex_value(text[i + 2]) < 0)
      return refuse("a name is not in the encoding that the response declares");
    out += static_cast<char>(16 * base::hex_value(text[i + 1]) + base::hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

/// A key in a document.
base::expected<std::string> key_of(const xml_element& in, std::string_view name, bool is_encoded) {
  const auto text = in.text_of(name);
  auto key = is_encoded ? decoded(text) : base::expected<std::string>{std::string{text}};
  if (key && key->size() > s3_key_limit_bytes) return refuse("a name is too long");
  return key;
}

bool is_encoded(const xml_element& page) {
  return page.text_of("EncodingType") == "url";
}

base::expected<std::int64_t> time_of(const xml_element& in, std::string_view name) {
  const auto time = model::parse_timestamp(in.text_of(name));
  if (!time) return refuse(std::string{name} + " is not a time");
  return *time;
}

base::expected<s3_listed> listed_of(const xml_element& in, bool encoded) {
  auto key = key_of(in, "Key", encoded);
  if (!key) return tl::unexpected(key.error());
  if (key->empty()) return refuse("an object has no name");
  const auto size = base::parse_decimal<std::uint64_t>(in.text_of("Size"));
  if (!size) return refuse("an object has no size");
  const auto stored = time_of(in, "LastModified");
  if (!stored) return tl::unexpected(stored.error());
  return s3_listed{*std::move(key), *size, *stored};
}

bool is_upload_id(std::string_view text) {
  return !text.empty() && text.size() <= upload_id_limit_bytes &&
         base::visible_characters.contains_all(text);
}

base::expected<s3_unfinished> unfinished_of(const xml_element& in, bool encoded) {
  auto key = key_of(in, "Key", encoded);
  if (!key) return tl::unexpected(key.error());
  const auto id = in.text_of("UploadId");
  if (key->empty() || !is_upload_id(id)) return refuse("an upload has no name or no id");
  const auto begun = time_of(in, "Initiated");
  if (!begun) return tl::unexpected(begun.error());
  return s3_unfinished{*std::move(key), std::string{id}, *begun};
}

/// Reads all children of a name.
template <class Each, class Read>
base::expected<std::vector<Each>> all_of(const xml_element& page, std::string_view name,
                                         const Read& read) {
  std::vector<Each> all;
  const bool encoded = is_encoded(page);
  for (const auto& child : page.children) {
    if (child.name != name) continue;
    auto each = read(child, encoded);
    if (!each) return tl::unexpected(each.error());
    all.push_back(*std::move(each));
  }
  return all;
}

base::expected<bool> is_truncated(const xml_element& page) {
  const auto text = page.text_of("IsTruncated");
  if (text != "true" && text != "false") return refuse("it does not say whether there is more");
  return text == "true";
}

} // namespace

bool is_s3_word(std::string_view text) noexcept {
  return text.size() <= code_limit_bytes && code_characters.contains_all(text);
}

s3_error s3_error_of(const xml_element& read) {
  const auto code = read.text_of("Code");
  if (!is_s3_word(code)) return {};
  return {std::string{code}, for_people(read.text_of("Message"))};
}

s3_error read_s3_error(std::string_view body) {
  const auto read = read_as(body, "Error");
  return read ? s3_error_of(*read) : s3_error{};
}

base::expected<s3_page> read_s3_page(std::string_view body) {
  const auto read = read_as(body, "ListBucketResult");
  if (!read) return tl::unexpected(read.error());
  auto objects = all_of<s3_listed>(*read, "Contents", listed_of);
  if (!objects) return tl::unexpected(objects.error());
  const auto more = is_truncated(*read);
  if (!more) return tl::unexpected(more.error());
  s3_page page{*std::move(objects), {}};
  if (!*more) return page;
  page.continuation = read->text_of("NextContinuationToken");
  if (page.continuation.empty() || page.continuation.size() > marker_limit_bytes)
    return refuse("there are more pages, but no token to request the next one");
  return page;
}

base::expected<s3_uploads_page> read_s3_uploads(std::string_view body) {
  const auto read = read_as(body, "ListMultipartUploadsResult");
  if (!read) return tl::unexpected(read.error());
  auto uploads = all_of<s3_unfinished>(*read, "Upload", unfinished_of);
  if (!uploads) return tl::unexpected(uploads.error());
  const auto more = is_truncated(*read);
  if (!more) return tl::unexpected(more.error());
  s3_uploads_page page{*std::move(uploads), {}, {}};
  if (!*more) return page;
  auto marker = key_of(*read, "NextKeyMarker", is_encoded(*read));
  if (!marker) return tl::unexpected(marker.error());
  page.key_marker = *std::move(marker);
  page.upload_id_marker = read->text_of("NextUploadIdMarker");
  if (page.key_marker.empty() || page.upload_id_marker.size() > marker_limit_bytes)
    return refuse("there are more pages, but no marker to request the next one");
  return page;
}

base::expected<std::string> read_s3_upload_id(std::string_view body) {
  const auto read = read_as(body, "InitiateMultipartUploadResult");
  if (!read) return tl::unexpected(read.error());
  const auto id = read->text_of("UploadId");
  if (!is_upload_id(id)) return refuse("it has no id");
  return std::string{id};
}

base::expected<s3_completion> read_s3_completion(std::string_view body) {
  // The service sends blanks to keep the connection open while it assembles the parts.
  const auto first = body.find_first_not_of(" \t\r\n");
  if (first != body.npos && !body.starts_with("<?xml ")) body.remove_prefix(first);
  const auto read = parse_xml(body);
  if (!read) return refuse("no XML as S3 sends it: " + read.error().detail);
  if (read->name == "Error") {
    auto error = s3_error_of(*read);
    if (error.code.empty()) return refuse("an error without a code");
    return s3_completion{{}, std::move(error)};
  }
  if (read->name != "CompleteMultipartUploadResult")
    return refuse("it is not a CompleteMultipartUploadResult");
  return s3_completion{std::string{read->text_of("ETag")}, std::nullopt};
}

} // namespace matchcloud::store
