-- For wrk: sends what the arguments say (METHOD [BODY]), over and over. The request is set before
-- wrk renders it, so that no Lua runs per request.

dofile(debug.getinfo(1, "S").source:match("^@(.*)/") .. "/report.lua")

function init(args)
  wrk.method = args[1] or "GET"
  if args[2] then
    wrk.body = args[2]
    wrk.headers["Content-Type"] = "application/json"
  end
end
