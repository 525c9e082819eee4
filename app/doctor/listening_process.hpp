#pragma once

#include "http/transport/listener.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// The inodes of the sockets that listen at exactly `where`, by `table`, the text of
/// /proc/net/tcp or tcp6 (proc(5)). Lines that cannot be read are skipped.
std::vector<std::string> listening_inodes(std::string_view table, const http::endpoint& where);

/// Whether a process of this user has a socket that listens at exactly `where`. False if /proc
/// cannot be read.
bool process_listens_at(pid_t process, const http::endpoint& where);

} // namespace matchcloud::app
