#pragma once

#include "base/clock.hpp"
#include "base/fault_point.hpp"
#include "http/access_log/access_log.hpp"
#include "http/loop/event_loop.hpp"
#include "http/wire/request.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// A request that has ended, as the access log shows it.
struct access_entry {
  const http::request* request = nullptr;
  model::ip_address client;
  /// All zeros: none.
  model::uuid token_id;
  /// Empty if none was found.
  std::string_view operation;
  std::string_view plane;
  int status = 0;
  /// Bytes of the answer's body, without those of parts that follow later.
  std::uint64_t bytes = 0;
  std::chrono::nanoseconds duration{0};
  /// The fault points that have hit it.
  base::fault_point_set faults = 0;
  /// Whether the query of the target is left out.
  bool hides_query = false;
};

/// Makes lines of the access log, without their end.
class access_line_maker {
public:
  explicit access_line_maker(access_log_format format) noexcept : format_{format} {}

  /// `unix_ms`: milliseconds since 1970.
  void append(std::string& to, const access_entry& entry, std::int64_t unix_ms);

private:
  void append_json(std::string& to, const access_entry& entry, std::int64_t unix_ms);
  void append_combined(std::string& to, const access_entry& entry);

  access_log_format format_;
  /// The second of the last line, and its text in lines.
  std::int64_t second_ = -1;
  std::string second_text_;
};

/// The part of the access log that one event loop writes: it gathers lines and passes them on when
/// there are many, or soon. Loop thread only.
class access_lines final : public timer {
public:
  /// Lines are passed on when they have this many bytes, or after `hand_on_interval`.
  static constexpr std::size_t hand_on_bytes = 32 * 1024;
  static constexpr std::chrono::milliseconds hand_on_interval{100};

  /// `settings` must not say `off`. `loop` outlives this.
  access_lines(std::shared_ptr<access_log> to, const access_log_settings& settings,
               event_loop& loop, const base::clock& clock);
  /// Passes on the remaining lines.
  ~access_lines() override { hand_on(); }

  /// Whether a request that is answered with `status` has a line. Call once for each.
  bool wants(int status) noexcept;
  void add(const access_entry& entry);

private:
  void hand_on();
  void on_deadline() override { hand_on(); }

  std::shared_ptr<access_log> to_;
  access_log_mode mode_;
  /// 0: not counted.
  std::uint64_t one_in_;
  std::uint64_t until_sample_ = 0;
  event_loop* loop_;
  const base::clock* clock_;
  access_line_maker maker_;
  std::string text_;
  std::uint64_t lines_ = 0;
};

} // namespace matchcloud::http
