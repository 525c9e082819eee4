#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::base {

/// Identifies a request in logs and to other services.
struct request_marks {
  /// Empty if there is no request.
  std::string_view request_id;
  /// Its `traceparent` header (W3C Trace Context), in canonical form; empty if it has none.
  std::string_view trace_parent;

  std::string_view trace_id() const noexcept {
    return trace_parent.empty() ? std::string_view{} : trace_parent.substr(3, 32);
  }
};

/// While this object lives, its thread works for a request: its log lines name the request, and
/// calls to a bucket propagate its trace.
class about_request {
public:
  /// The texts must outlive this object.
  explicit about_request(const request_marks& marks) noexcept
      : outer_{std::exchange(of_thread_, marks.request_id.empty() ? of_thread_ : marks)} {}
  about_request(const about_request&) = delete;
  about_request& operator=(const about_request&) = delete;
  ~about_request() { of_thread_ = outer_; }

  /// The request that this thread works for.
  static const request_marks& current() noexcept { return of_thread_; }

private:
  // NOLINTNEXTLINE(*-avoid-non-const-global-variables,readability-identifier-naming)
  static inline thread_local constinit request_marks of_thread_{};

  request_marks outer_;
};

/// A copy of `request_marks`.
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

/// Wraps `work` so that another thread does it for the request that this thread works for.
template <class Work>
auto for_this_request(Work work) {
  return [marks = kept_marks{about_request::current()}, work = std::move(work)] {
    const about_request about{marks.get()};
    work();
  };
}

} // namespace matchcloud::base
