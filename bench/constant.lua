-- For wrk: repeats one request, given by the arguments (METHOD [BODY]). The request is set before
-- wrk renders it, so no Lua runs per request.

dofile(debug.getinfo(1, "S").source:match("^@(.*)/") .. "/report.lua")

function init(args)
  wrk.method = args[1] or "GET"
  if args[2] then
    wrk.body = args[2]
    wrk.headers["Content-Type"] = "application/json"
  end
end
