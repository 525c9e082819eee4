#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Requests as clients send them, and their parts.
namespace matchcloud::bench {

inline constexpr std::string_view browser_get = "GET /matchmaker/regions HTTP/1.1\r\n"
                                                "Host: api.example\r\n"
                                                "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
                                                "Accept: */*\r\n"
                                                "Accept-Encoding: gzip, deflate, br\r\n"
                                                "Accept-Language: en-GB,en;q=0.5\r\n"
                                                "Origin: https://play.example\r\n"
                                                "X-Forwarded-For: 81.2.69.142\r\n"
                                                "Connection: keep-alive\r\n\r\n";

inline constexpr std::string_view group_body = R"({"display_name":"Midnight Runners"})";

inline constexpr std::string_view version_path =
    "/cloud/games/00000000-0000-4000-8000-000000000001/versions/validate";

/// A POST request as a program sends it, `body` included.
inline std::string json_post(std::string_view path, std::string_view body) {
  std::string text = "POST ";
  text.append(path)
      .append(" HTTP/1.1\r\nHost: api.example\r\nUser-Agent: studio-tools/4.2\r\nAccept: */*\r\n"
              "Content-Type: application/json\r\nContent-Length: ")
      .append(std::to_string(body.size()))
      .append("\r\n\r\n")
      .append(body);
  return text;
}

/// The size of each piece where a benchmark feeds a request in many pieces.
inline constexpr std::size_t piece_bytes = 64;

} // namespace matchcloud::bench
