#include "store/s3/s3_request.hpp"

#include "base/characters.hpp"
#include "base/crypto/sha256.hpp"
#include "base/files/working_identity.hpp"
#include "base/hexadecimal.hpp"
#include "model/text/timestamp.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>

namespace matchcloud::store {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

using digest = std::array<std::uint8_t, 32>;

constexpr base::character_set unreserved{[](unsigned char c) {
  return base::is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}};

std::string encoded(std::string_view text, bool leaves_slashes) {
  std::string out;
  for (const char c : text) {
    if (unreserved.contains(c) || (leaves_slashes && c == '/'))
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
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
  for (const auto part : {region, std::string_view{"s3"}, std::string_view{"aws4_request"}})
    key = hmac(key, part);
  return key;
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
  std::string lines;
  for (const auto& [name, value] : headers)
    lines += fmt::format("{}:{}\n", name, value);
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", parts.method, parts.path, query, lines,
                     names_of(headers), body_sha256);
}

std::string scope_text(std::string_view date, std::string_view region) {
  return fmt::format("{}/{}/s3/aws4_request", date, region);
}

std::string signature(const std::string& request, const s3_credentials& by,
                      const s3_signing_scope& scope) {
  const auto time = s3_time(scope.at_ts);
  const auto date = std::string_view{time}.substr(0, 8);
  const auto text = fmt::format("{}\n{}\n{}\n{}", algorithm, time, scope_text(date, scope.region),
                                base::hexadecimal(base::sha256(request)));
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
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
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
  return fmt::format("{} Credential={},SignedHeaders={},Signature={}", algorithm,
                     credential(by, scope), names_of(headers), signature(request, by, scope));
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

namespace {

/// How long idle connections are kept: servers close theirs after about a minute.
constexpr long idle_limit_s = 30;
constexpr long connection_age_limit_s = 600;
constexpr long answer_buffer_bytes = 128L * 1024;
constexpr long request_buffer_bytes = 256L * 1024;

template <class Value>
void set(CURL* of, CURLoption option, Value value) {
  if (const auto code = curl_easy_setopt(of, option, value); code != CURLE_OK)
    throw std::runtime_error{"libcurl refuses an option: " + std::string{curl_easy_strerror(code)}};
}

std::uint64_t bytes_of(CURL* of, CURLINFO what) noexcept {
  curl_off_t count = 0;
  curl_easy_getinfo(of, what, &count);
  return static_cast<std::uint64_t>(std::max<curl_off_t>(count, 0));
}

int status_of(CURL* of) noexcept {
  long status = 0;
  curl_easy_getinfo(of, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

s3_transfer_end end_of(CURLcode code) noexcept {
  switch (code) {
  case CURLE_OK: return s3_transfer_end::answered;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT:
  case CURLE_SSL_CONNECT_ERROR: return s3_transfer_end::not_connected;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_ISSUER_ERROR: return s3_transfer_end::not_trusted;
  case CURLE_ABORTED_BY_CALLBACK: return s3_transfer_end::stopped;
  default: return s3_transfer_end::cut;
  }
}

/// A response as it arrives.
struct incoming_answer {
  CURL* easy;
  const s3_body_taker* taker;
  const s3_transfer_limits& limits;
  s3_answer answer{};
  std::size_t header_bytes = 0;
  bool is_refused = false;
  bool is_too_long = false;

  void take_header(std::string_view line) {
    header_bytes += line.size();
    // Each response starts over: one with status 100 may precede the final one.
    if (line.starts_with("HTTP/")) {
      answer.headers.clear();
      return;
    }
    const auto colon = line.find(':');
    if (colon == line.npos) return;
    is_too_long =
        header_bytes > s3_headers_limit_bytes || answer.headers.size() >= s3_header_count_limit;
    if (is_too_long) return;
    std::string name{line.substr(0, colon)};
    std::ranges::transform(name, name.begin(), base::to_lower);
    answer.headers.emplace_back(std::move(name), base::trimmed(line.substr(colon + 1)));
  }

  void take_body(std::string_view piece) {
    if (answer.status == 0) answer.status = status_of(easy);
    if (taker != nullptr && (answer.status == 200 || answer.status == 206)) {
      is_refused = !(*taker)(answer, piece);
      return;
    }
    is_too_long = answer.body.size() + piece.size() > limits.body_limit_bytes;
    if (!is_too_long) answer.body.append(piece);
  }

  // Any number other than that of the bytes ends the transfer, also when there is no memory.

  template <void (incoming_answer::*take)(std::string_view)>
  static std::size_t on_bytes(char* bytes, std::size_t one, std::size_t count, void* to) noexcept {
    try {
      auto& self = *static_cast<incoming_answer*>(to);
      (self.*take)({bytes, one * count});
      return self.is_too_long || self.is_refused ? 0 : one * count;
    } catch (...) {
      return 0;
    }
  }
  static int on_progress(void* of, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
    const auto& self = *static_cast<const incoming_answer*>(of);
    return self.limits.is_stopped && self.limits.is_stopped() ? 1 : 0;
  }
};

using header_list = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

void add_header(header_list& to, const std::string& line) {
  auto* const longer = curl_slist_append(to.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc{};
  (void)to.release();
  to.reset(longer);
}

header_list headers_of(const s3_http_request& request) {
  header_list made{nullptr, &curl_slist_free_all};
  bool has_type = false;
  for (const auto& [name, value] : request.headers) {
    has_type = has_type || name == "content-type";
    // An empty header ends in a semicolon for libcurl.
    add_header(made, fmt::format("{}{}{}", name, value.empty() ? ";" : ": ", value));
  }
  // The body is sent at once: if a service sends no 100, waiting for it costs a second.
  add_header(made, "Expect:");
  if (!has_type) add_header(made, "Content-Type:");
  return made;
}

void set_request(CURL* easy, const s3_http_request& request) {
  set(easy, CURLOPT_URL, request.url.c_str());
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  if (request.method == "PUT" || request.method == "POST") {
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    // With a null pointer libcurl would ask for the body.
    set(easy, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
  }
  if (request.method == "HEAD")
    set(easy, CURLOPT_NOBODY, 1L);
  else
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void set_limits(CURL* easy, const s3_transfer_limits& limits) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  // Otherwise libcurl would use the environment's proxy.
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy, CURLOPT_USERAGENT, "matchcloud");
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!limits.ca_file.empty()) {
    set(easy, CURLOPT_CAINFO, limits.ca_file.c_str());
    // Not those of the system as well.
    set(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.timeout.count()));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect_timeout.count()));
  set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits.silence_timeout.count()));
  set(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.least_rate));
  set(easy, CURLOPT_MAXCONNECTS, 1L);
  set(easy, CURLOPT_MAXAGE_CONN, idle_limit_s);
  set(easy, CURLOPT_MAXLIFETIME_CONN, connection_age_limit_s);
  set(easy, CURLOPT_BUFFERSIZE, answer_buffer_bytes);
  set(easy, CURLOPT_UPLOAD_BUFFERSIZE, request_buffer_bytes);
}

} // namespace

s3_connection::s3_connection() {
  // For as long as the process lives.
  static const auto loaded = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (loaded != CURLE_OK) throw std::runtime_error{"libcurl cannot be initialized"};
  easy_.reset(curl_easy_init());
  if (!easy_) throw std::bad_alloc{};
}

s3_transfer s3_connection::perform(const s3_http_request& request,
                                   const s3_transfer_limits& limits) {
  auto* const easy = easy_.get();
  curl_easy_reset(easy); // keeps the connection
  incoming_answer incoming{easy, request.taker, limits};
  const auto headers = headers_of(request);
  set_request(easy, request);
  set_limits(easy, limits);
  set(easy, CURLOPT_HTTPHEADER, headers.get());
  set(easy, CURLOPT_HEADERFUNCTION, &incoming_answer::on_bytes<&incoming_answer::take_header>);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(&incoming));
  set(easy, CURLOPT_WRITEFUNCTION, &incoming_answer::on_bytes<&incoming_answer::take_body>);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(&incoming));
  set(easy, CURLOPT_XFERINFOFUNCTION, &incoming_answer::on_progress);
  set(easy, CURLOPT_XFERINFODATA, static_cast<void*>(&incoming));
  set(easy, CURLOPT_NOPROGRESS, 0L);
  const base::as_invoker self; // to read the file of authorities
  const auto code = curl_easy_perform(easy);
  s3_transfer done{end_of(code), curl_easy_strerror(code), std::move(incoming.answer)};
  done.answer.status = status_of(easy);
  long problem = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &problem);
  if (problem != 0)
    done.reason += fmt::format(" ({})", std::generic_category().message(static_cast<int>(problem)));
  if (incoming.is_too_long) done.end = s3_transfer_end::too_long;
  if (incoming.is_refused) done.end = s3_transfer_end::refused;
  done.sent_bytes = bytes_of(easy, CURLINFO_SIZE_UPLOAD_T);
  done.received_bytes = bytes_of(easy, CURLINFO_SIZE_DOWNLOAD_T);
  return done;
}

} // namespace matchcloud::store
