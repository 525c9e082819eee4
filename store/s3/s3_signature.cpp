#include "store/s3/s3_signature.hpp"

#include "base/characters.hpp"
#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "model/text/timestamp.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

namespace matchcloud::store {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view service = "s3";

using digest = std::array<std::uint8_t, 32>;

constexpr base::character_set unreserved{[](unsigned char c) {
  return base::is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}};

std::string encoded(std::string_view text, bool leaves_slashes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved.contains(c) || (leaves_slashes && c == '/')) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4U];
    out += digits[byte & 0xFU];
  }
  return out;
}

digest hmac(std::span<const std::uint8_t> key, std::string_view text) {
  digest made{};
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), made.data(),
           nullptr) == nullptr)
    throw std::runtime_error{"OpenSSL has no HMAC with SHA-256"};
  return made;
}

digest signing_key(const s3_secret& secret, std::string_view date, std::string_view region) {
  auto first = "AWS4" + secret.revealed();
  auto key = hmac({reinterpret_cast<const std::uint8_t*>(first.data()), first.size()}, date);
  OPENSSL_cleanse(first.data(), first.size());
  for (const auto part : {region, service, std::string_view{"aws4_request"}})
    key = hmac(key, part);
  return key;
}

/// A header's value as it is signed: without surrounding blanks, and with runs of blanks reduced to
/// one.
std::string canonical_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

s3_pairs sorted(s3_pairs pairs) {
  std::ranges::sort(pairs);
  return pairs;
}

std::string names_of(const s3_pairs& headers) {
  std::string names;
  for (const auto& [name, value] : headers)
    names.append(names.empty() ? "" : ";").append(name);
  return names;
}

/// `headers` are sorted.
std::string canonical_request(const s3_signed_parts& parts, const std::string& query,
                              const s3_pairs& headers, std::string_view body_sha256) {
  std::string text{parts.method};
  text.append("\n").append(parts.path).append("\n").append(query).append("\n");
  for (const auto& [name, value] : headers)
    text.append(name).append(":").append(canonical_value(value)).append("\n");
  return text.append("\n").append(names_of(headers)).append("\n").append(body_sha256);
}

std::string scope_text(std::string_view date, std::string_view region) {
  std::string text{date};
  return text.append("/").append(region).append("/").append(service).append("/aws4_request");
}

std::string signature(const std::string& request, const s3_credentials& by,
                      const s3_signing_scope& scope) {
  const auto time = s3_time(scope.at_ts);
  const auto date = std::string_view{time}.substr(0, 8);
  std::string text{algorithm};
  text.append("\n").append(time).append("\n").append(scope_text(date, scope.region)).append("\n");
  text.append(base::hexadecimal(base::sha256(request)));
  auto key = signing_key(by.secret_access_key, date, scope.region);
  auto made = base::hexadecimal(hmac(key, text));
  OPENSSL_cleanse(key.data(), key.size());
  return made;
}

std::string credential(const s3_credentials& by, const s3_signing_scope& scope) {
  return by.access_key_id + "/" + scope_text(s3_time(scope.at_ts).substr(0, 8), scope.region);
}

} // namespace

std::string s3_encoded(std::string_view text) {
  return encoded(text, false);
}

std::string s3_encoded_path(std::string_view path) {
  return encoded(path, true);
}

std::string s3_query(const s3_pairs& query) {
  s3_pairs each;
  for (const auto& [name, value] : query)
    each.emplace_back(s3_encoded(name), s3_encoded(value));
  std::string text;
  for (const auto& [name, value] : sorted(std::move(each)))
    text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  return text;
}

std::string s3_time(std::int64_t at_ts) {
  auto text = model::format_timestamp(at_ts);
  text.resize(text.find('.'));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text + "Z";
}

std::string s3_authorization(const s3_signed_parts& parts, const s3_credentials& by,
                             const s3_signing_scope& scope) {
  const auto headers = sorted(parts.headers);
  const auto request = canonical_request(parts, s3_query(parts.query), headers, parts.body_sha256);
  std::string text{algorithm};
  text.append(" Credential=").append(credential(by, scope));
  text.append(",SignedHeaders=").append(names_of(headers));
  return text.append(",Signature=").append(signature(request, by, scope));
}

std::string s3_presigned_query(const s3_signed_parts& parts, const s3_credentials& by,
                               const s3_signing_scope& scope, std::chrono::seconds lifetime) {
  const auto headers = sorted(parts.headers);
  auto query = parts.query;
  query.emplace_back("X-Amz-Algorithm", algorithm);
  query.emplace_back("X-Amz-Credential", credential(by, scope));
  query.emplace_back("X-Amz-Date", s3_time(scope.at_ts));
  query.emplace_back("X-Amz-Expires", std::to_string(lifetime.count()));
  query.emplace_back("X-Amz-SignedHeaders", names_of(headers));
  if (const auto& token = by.session_token.revealed(); !token.empty())
    query.emplace_back("X-Amz-Security-Token", token);
  const auto text = s3_query(query);
  const auto request = canonical_request(parts, text, headers, "UNSIGNED-PAYLOAD");
  return text + "&X-Amz-Signature=" + signature(request, by, scope);
}

} // namespace matchcloud::store
