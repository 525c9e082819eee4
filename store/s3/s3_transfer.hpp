#pragma once

#include "store/s3/s3_answer.hpp"

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// A request as it is sent.
struct s3_http_request {
  std::string method;
  std::string url;
  /// Without `host` and `content-length`, which libcurl adds.
  s3_pairs headers;
  /// Not copied.
  std::string_view body;
  /// Null: the body of the response is kept, up to the limit.
  const s3_body_taker* taker = nullptr;
};

/// The bounds of each transfer, and the authorities it trusts.
struct s3_transfer_limits {
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::seconds silence_timeout{0};
  std::size_t least_rate = 0;
  /// Empty: the system's authorities.
  std::string ca_file;
  /// The limit on a response that is kept.
  std::size_t body_limit_bytes = s3_body_limit_bytes;
};

enum class s3_transfer_end : std::uint8_t {
  /// There is a complete response.
  answered,
  /// Nothing was sent: no address, no connection, no handshake.
  not_connected,
  /// The certificate is not trusted or not for this host.
  not_trusted,
  /// The connection was lost or silent for too long, or the response is not HTTP.
  cut,
  /// The taker did not want more.
  refused,
  /// The response exceeds its bounds.
  too_long,
};

/// One HTTP/1.1 request on its way, over TLS 1.2 or later or in plain text. Follows no redirect,
/// uses no proxy and no file of the user's, and decodes nothing. One thread at a time.
class s3_transfer {
public:
  /// `request.body` and `request.taker` must outlive the transfer.
  s3_transfer(const s3_http_request& request, const s3_transfer_limits& limits);
  s3_transfer(const s3_transfer&) = delete;
  s3_transfer& operator=(const s3_transfer&) = delete;

  bool is_done() const noexcept { return is_done_; }
  s3_transfer_end end() const noexcept { return end_; }
  /// For people: why there is no complete response.
  const std::string& reason() const noexcept { return reason_; }
  s3_answer& answer() noexcept { return answer_; }

  /// Bytes of the body sent so far, and bytes of the response's body received.
  std::uint64_t sent_bytes() const noexcept;
  std::uint64_t received_bytes() const noexcept;

private:
  friend class s3_lane;

  struct free_easy {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
  };
  struct free_list {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };

  void set_request(const s3_http_request& request);
  void set_limits(const s3_transfer_limits& limits);
  void add_header(const std::string& line);
  void take_header(std::string_view line);
  bool take_body(std::string_view piece);
  void finish(CURLcode code);
  static std::size_t on_header(char* bytes, std::size_t one, std::size_t count, void* to) noexcept;
  static std::size_t on_body(char* bytes, std::size_t one, std::size_t count, void* to) noexcept;

  std::unique_ptr<CURL, free_easy> easy_;
  std::unique_ptr<curl_slist, free_list> headers_;
  const s3_body_taker* taker_;
  std::size_t body_limit_bytes_;
  bool is_done_ = false;
  bool is_refused_ = false;
  bool is_too_long_ = false;
  std::size_t header_bytes_ = 0;
  s3_transfer_end end_ = s3_transfer_end::cut;
  std::string reason_;
  s3_answer answer_;
};

/// Transfers of one thread at a time, and the connections that they leave for the next.
class s3_lane {
public:
  /// Keeps at most `connections` open.
  explicit s3_lane(std::size_t connections);
  s3_lane(const s3_lane&) = delete;
  s3_lane& operator=(const s3_lane&) = delete;

  /// Begins a transfer, which must stay until it is done or ended.
  void begin(s3_transfer& transfer);
  /// Ends a transfer in its current state. Its connection closes unless it is done.
  void end(s3_transfer& transfer) noexcept;
  /// Moves bytes of all transfers; if there are none to move, waits for sockets up to `most`.
  void run(std::chrono::milliseconds most);
  /// Ends the wait of `run`, this or the next. Any thread.
  void wake() noexcept { curl_multi_wakeup(multi_.get()); }

private:
  struct free_multi {
    void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
  };

  /// Whether a transfer was done.
  bool finish_done();

  std::unique_ptr<CURLM, free_multi> multi_;
};

} // namespace matchcloud::store
