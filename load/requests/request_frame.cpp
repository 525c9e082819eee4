#include "load/requests/request_frame.hpp"

namespace matchcloud::load {

request_bytes begin_request(const request_frame& frame, std::string_view method,
                            std::string_view target) {
  request_bytes made;
  auto& head = made.text;
  head.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  head.append(frame.authority).append("\r\n");
  if (frame.has_token) {
    head += "Authorization: Bearer ";
    made.token_at = head.size();
    head += "\r\n";
  }
  for (const auto& line : frame.header_lines)
    head.append(line).append("\r\n");
  if (frame.closes) head += "Connection: close\r\n";
  return made;
}

} // namespace matchcloud::load
