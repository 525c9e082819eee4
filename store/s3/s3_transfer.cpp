#include "store/s3/s3_transfer.hpp"

#include "base/characters.hpp"
#include "base/files/working_identity.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>

namespace matchcloud::store {

namespace {

/// How long idle connections are kept: servers close theirs after about a minute.
constexpr long idle_limit_s = 30;
constexpr long connection_age_limit_s = 600;
constexpr long answer_buffer_bytes = 128L * 1024;
constexpr long request_buffer_bytes = 256L * 1024;

/// libcurl's own state, for as long as the process lives.
class loaded_curl {
public:
  loaded_curl() {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
      throw std::runtime_error{"libcurl cannot be initialized"};
  }
};

void load_curl() {
  static const loaded_curl instance;
}

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

s3_transfer_end end_of(CURLcode code) noexcept {
  switch (code) {
  case CURLE_OK: return s3_transfer_end::answered;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT:
  case CURLE_SSL_CONNECT_ERROR: return s3_transfer_end::not_connected;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_ISSUER_ERROR: return s3_transfer_end::not_trusted;
  default: return s3_transfer_end::cut;
  }
}

} // namespace

s3_transfer::s3_transfer(const s3_http_request& request, const s3_transfer_limits& limits)
    : taker_{request.taker}, body_limit_bytes_{limits.body_limit_bytes} {
  load_curl();
  easy_.reset(curl_easy_init());
  if (!easy_) throw std::bad_alloc{};
  set_request(request);
  set_limits(limits);
}

void s3_transfer::add_header(const std::string& line) {
  auto* const longer = curl_slist_append(headers_.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc{};
  (void)headers_.release();
  headers_.reset(longer);
}

void s3_transfer::set_request(const s3_http_request& request) {
  auto* const easy = easy_.get();
  set(easy, CURLOPT_URL, request.url.c_str());
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  if (request.method == "HEAD") {
    set(easy, CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT" || request.method == "POST") {
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    // With a null pointer libcurl would ask for the body.
    set(easy, CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else {
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  for (const auto& [name, value] : request.headers) {
    // An empty header ends in a semicolon for libcurl.
    auto line = name;
    add_header(value.empty() ? line.append(";") : line.append(": ").append(value));
  }
  // The body is sent at once: if a service sends no 100, waiting for it costs a second.
  add_header("Expect:");
  if (std::ranges::none_of(request.headers,
                           [](const auto& h) { return h.first == "content-type"; }))
    add_header("Content-Type:");
  set(easy, CURLOPT_HTTPHEADER, headers_.get());
}

void s3_transfer::set_limits(const s3_transfer_limits& limits) {
  auto* const easy = easy_.get();
  set(easy, CURLOPT_PRIVATE, static_cast<void*>(this));
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
  set(easy, CURLOPT_TIMEOUT_MS,
      static_cast<long>(std::max<std::int64_t>(limits.timeout.count(), 1)));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect_timeout.count()));
  set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits.silence_timeout.count()));
  set(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.least_rate));
  set(easy, CURLOPT_MAXAGE_CONN, idle_limit_s);
  set(easy, CURLOPT_MAXLIFETIME_CONN, connection_age_limit_s);
  set(easy, CURLOPT_BUFFERSIZE, answer_buffer_bytes);
  set(easy, CURLOPT_UPLOAD_BUFFERSIZE, request_buffer_bytes);
  set(easy, CURLOPT_HEADERFUNCTION, &s3_transfer::on_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(easy, CURLOPT_WRITEFUNCTION, &s3_transfer::on_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
}

std::size_t s3_transfer::on_header(char* bytes, std::size_t one, std::size_t count,
                                   void* to) noexcept {
  try {
    auto& self = *static_cast<s3_transfer*>(to);
    self.take_header({bytes, one * count});
    return self.is_too_long_ ? 0 : one * count;
  } catch (...) {
    return 0; // out of memory; libcurl ends the transfer
  }
}

std::size_t s3_transfer::on_body(char* bytes, std::size_t one, std::size_t count,
                                 void* to) noexcept {
  try {
    // Any number other than that of the bytes ends the transfer.
    return static_cast<s3_transfer*>(to)->take_body({bytes, one * count}) ? one * count : 0;
  } catch (...) {
    return 0;
  }
}

void s3_transfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  // Each response starts over: one with status 100 may precede the final one.
  if (line.starts_with("HTTP/")) {
    answer_.headers.clear();
    return;
  }
  const auto colon = line.find(':');
  if (colon == line.npos) return;
  is_too_long_ =
      header_bytes_ > s3_headers_limit_bytes || answer_.headers.size() >= s3_header_count_limit;
  if (is_too_long_) return;
  std::string name{line.substr(0, colon)};
  std::ranges::transform(name, name.begin(), base::to_lower);
  answer_.headers.emplace_back(std::move(name), base::trimmed(line.substr(colon + 1)));
}

bool s3_transfer::take_body(std::string_view piece) {
  if (answer_.status == 0) {
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    answer_.status = static_cast<int>(status);
  }
  if (taker_ != nullptr && (answer_.status == 200 || answer_.status == 206)) {
    is_refused_ = !(*taker_)(answer_, piece);
    return !is_refused_;
  }
  is_too_long_ = answer_.body.size() + piece.size() > body_limit_bytes_;
  if (!is_too_long_) answer_.body.append(piece);
  return !is_too_long_;
}

void s3_transfer::finish(CURLcode code) {
  is_done_ = true;
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  answer_.status = static_cast<int>(status);
  end_ = end_of(code);
  reason_ = curl_easy_strerror(code);
  long problem = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &problem);
  if (problem != 0)
    reason_ += " (" + std::generic_category().message(static_cast<int>(problem)) + ")";
  if (is_too_long_) end_ = s3_transfer_end::too_long;
  if (is_refused_) end_ = s3_transfer_end::refused;
}

std::uint64_t s3_transfer::sent_bytes() const noexcept {
  return bytes_of(easy_.get(), CURLINFO_SIZE_UPLOAD_T);
}

std::uint64_t s3_transfer::received_bytes() const noexcept {
  return bytes_of(easy_.get(), CURLINFO_SIZE_DOWNLOAD_T);
}

s3_lane::s3_lane(std::size_t connections) {
  load_curl();
  multi_.reset(curl_multi_init());
  if (!multi_) throw std::bad_alloc{};
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
  curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
}

void s3_lane::begin(s3_transfer& transfer) {
  if (const auto code = curl_multi_add_handle(multi_.get(), transfer.easy_.get()); code != CURLM_OK)
    throw std::runtime_error{"libcurl cannot begin a transfer: " +
                             std::string{curl_multi_strerror(code)}};
}

void s3_lane::end(s3_transfer& transfer) noexcept {
  curl_multi_remove_handle(multi_.get(), transfer.easy_.get());
}

void s3_lane::run(std::chrono::milliseconds most) {
  const base::as_invoker self; // to read the file of authorities
  int running = 0;
  curl_multi_perform(multi_.get(), &running);
  if (finish_done() || most.count() <= 0) return;
  curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(most.count()), nullptr);
  curl_multi_perform(multi_.get(), &running);
  finish_done();
}

bool s3_lane::finish_done() {
  int left = 0;
  bool any = false;
  while (const auto* const message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const auto code = message->data.result;
    auto* const easy = message->easy_handle;
    void* self = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
    static_cast<s3_transfer*>(self)->finish(code);
    curl_multi_remove_handle(multi_.get(), easy);
    any = true;
  }
  return any;
}

} // namespace matchcloud::store
