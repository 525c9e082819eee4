#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::base {

/// What names a request in logs and to other services.
struct request_marks {
  /// Empty: there is no request.
  std::string_view request_id;
  /// Its header `traceparent` (W3C Trace Context), in its proper form; empty: it has none.
  std::string_view trace_parent;

  std::string_view trace_id() const noexcept {
    return trace_parent.empty() ? std::string_view{} : trace_parent.substr(3, 32);
  }
};

/// While one lives, what its thread does is for a request: its log lines name it, and calls of a
/// bucket pass on its trace.
class about_request {
public:
  /// The texts outlive this.
  explicit about_request(const request_marks& marks) noexcept
      : outer_{std::exchange(of_thread_, marks.request_id.empty() ? of_thread_ : marks)} {}
  about_request(const about_request&) = delete;
  about_request& operator=(const about_request&) = delete;
  ~about_request() { of_thread_ = outer_; }

  /// That of this thread.
  static const request_marks& current() noexcept { return of_thread_; }

private:
  // NOLINTNEXTLINE(*-avoid-non-const-global-variables,readability-identifier-naming)
  static inline thread_local constinit request_marks of_thread_{};

  request_marks outer_;
};

/// A copy of what names a request.
class kept_marks {
public:
  kept_marks() = default;
  explicit kept_marks(const request_marks& of)
      : request_id_{of.request_id}, trace_parent_{of.trace_parent} {}

  request_marks get() const noexcept { return {request_id_, trace_parent_}; }

private:
  std::string request_id_;
  std::string trace_parent_;
};

/// `work`, which another thread is to do, for the request that this thread works for.
template <class Work>
auto for_this_request(Work work) {
  return [marks = kept_marks{about_request::current()}, work = std::move(work)] {
    const about_request about{marks.get()};
    work();
  };
}

} // namespace matchcloud::base
