// A development server. It serves the page from build/console/dist with the headers of the real
// service, and everything else from the ops plane of a running service. So you can work on the page
// without building the program.
//
//   node console/serve.mjs OPS_URL [PORT [DIST_FOLDER]]
//
// Prints "console on http://127.0.0.1:PORT".
import { createServer, request as ask } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [ops, port = "0", dist = join(here, "../build/console/dist")] = process.argv.slice(2);
if (!ops) {
  console.error("usage: node console/serve.mjs OPS_URL [PORT [DIST_FOLDER]]");
  process.exit(2);
}
const plane = new URL(ops);
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
  + "connect-src 'self' https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
  ".json": "application/json", ".woff2": "font/woff2",
};
const pages = { "/": "index.html", "/docs": "docs.html" };

async function serveFile(answer, path, name) {
  let bytes;
  try {
    bytes = await readFile(join(dist, `${normalize(name)}.gz`));
  } catch {
    answer.writeHead(404, { "Content-Type": "text/plain" }).end(`${path} is not there\n`);
    return;
  }
  const kept = name.startsWith("assets/");
  answer.writeHead(200, {
    "Content-Type": types[extname(name)] ?? "application/octet-stream", "Content-Encoding": "gzip",
    "Cache-Control": kept ? "public, max-age=31536000, immutable" : "no-cache",
    "Content-Security-Policy": csp, "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
  }).end(bytes);
}

// The ops plane checks Host and Origin, so they are set to what it would see without this server.
function forwarded(headers) {
  const { host, origin, connection, ...rest } = headers;
  return { ...rest, host: plane.host, ...(origin ? { origin: plane.origin } : {}) };
}

function pass(incoming, answer) {
  const outgoing = ask(new URL(incoming.url, plane), {
    method: incoming.method, headers: forwarded(incoming.headers),
  });
  outgoing.on("response", (found) => {
    const { connection, "transfer-encoding": coding, ...headers } = found.headers;
    answer.writeHead(found.statusCode, headers);
    found.on("error", () => answer.destroy());
    found.pipe(answer);
  });
  // Ends the connection, so that the page sees what it would see without this server.
  outgoing.on("error", () => answer.destroy());
  answer.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

const server = createServer((incoming, answer) => {
  const { pathname } = new URL(incoming.url, "http://localhost");
  const read = incoming.method === "GET" || incoming.method === "HEAD";
  if (read && pages[pathname]) return serveFile(answer, pathname, pages[pathname]);
  if (read && pathname.startsWith("/assets/")) {
    return serveFile(answer, pathname, pathname.slice(1));
  }
  return pass(incoming, answer);
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`console on http://127.0.0.1:${server.address().port}`);
});
