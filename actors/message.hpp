#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <type_traits>

namespace matchcloud::actors {

/// Found, by the namespace of its argument, for whatever is declared in this one.
template <class T>
void may_be_sent(const T&);

/// Aggregates of this namespace, and of those that declare a `may_be_sent` of their own, are what
/// actors send to each other. They stay in the process, so that CAF need not serialise them.
template <class T>
concept message = std::is_aggregate_v<T> && requires(const T& what) {
  may_be_sent(what);
};

} // namespace matchcloud::actors

template <matchcloud::actors::message T>
struct caf::allowed_unsafe_message_type<T> : std::true_type {};
