#pragma once

#include <httplib.h>

#include <string>

namespace matchcloud::http {

/// Has `answer` answer every method of the paths that match `pattern`: it says itself which there
/// are. Called with request, response and the body's reader, null for methods that have no body. Of
/// the server's threads.
template <class Answer>
void route_every_method(httplib::Server& to, const std::string& pattern, const Answer& answer) {
  const auto bodiless = [answer](const httplib::Request& request, httplib::Response& into) {
    answer(request, into, nullptr);
  };
  const auto bodied = [answer](const httplib::Request& request, httplib::Response& into,
                               const httplib::ContentReader& body) {
    answer(request, into, &body);
  };
  to.Get(pattern, bodiless).Options(pattern, bodiless);
  to.Put(pattern, bodied).Delete(pattern, bodied).Post(pattern, bodied).Patch(pattern, bodied);
}

} // namespace matchcloud::http
