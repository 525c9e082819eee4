#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <type_traits>

namespace matchcloud::actors {

/// Found by argument-dependent lookup for every type declared in this namespace.
template <class T>
void may_be_sent(const T&);

/// Messages between actors: the aggregates of this namespace and of namespaces that declare their
/// own `may_be_sent`. They stay in the process, so CAF need not serialize them.
template <class T>
concept message = std::is_aggregate_v<T> && requires(const T& what) {
  may_be_sent(what);
};

} // namespace matchcloud::actors

template <matchcloud::actors::message T>
struct caf::allowed_unsafe_message_type<T> : std::true_type {};
