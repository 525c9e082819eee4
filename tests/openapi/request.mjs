// Requests that are made from the document: an operation's examples, and what a test changes.

/**
 * A request for an operation as the document exemplifies it: its path's parameters, its query's and
 * its body; of headers only those given. `changes` may have `parameters` by name (of the path and
 * the query; null: without it), `headers` by name, `body` (a text or a Buffer; null: without) and
 * `type`, the media type.
 */
export function requestFor(operation, changes = {}) {
  const { parameters = {}, headers = {}, type } = changes;
  const value = ({ name, example }) => name in parameters ? parameters[name] : example;
  let path = operation.path;
  const query = [];
  for (const each of operation.parameters) {
    if (each.in === 'path') path = path.replace(`{${each.name}}`, encoded(value(each)));
    const given = each.in === 'query' && (each.required || each.name in parameters ||
      changes.optional?.includes(each.name));
    if (given && value(each) != null) query.push(`${each.name}=${encoded(value(each))}`);
  }
  const [mediaType, content] = Object.entries(operation.body?.content ?? {})[0] ?? [];
  const sent = Object.fromEntries(
    Object.entries(headers).filter(([, each]) => each !== undefined));
  let body = 'body' in changes ? changes.body : exampleText(mediaType, content?.example);
  if (body === undefined) body = null;
  const typed = type === undefined ? mediaType : type;
  if (body !== null && typed) sent['Content-Type'] ??= typed;
  return {
    method: operation.method,
    target: path + (query.length ? `?${query.join('&')}` : ''),
    headers: sent,
    body,
  };
}

/** A value as a part of a URL; what begins with a percent sign is meant to be malformed. */
function encoded(value) {
  const text = String(value);
  return text.startsWith('%') ? text : encodeURIComponent(text);
}

/** The text of a body that an example stands for: JSON, unless the type is one of lines. */
export function exampleText(mediaType, example) {
  if (example === undefined) return undefined;
  const isJson = mediaType === 'application/json' || mediaType?.endsWith('+json');
  return isJson ? JSON.stringify(example) : String(example);
}

/** The bytes of a request. A `Host` or a `Content-Length` that is given stays as it is. */
export function bytesOf({ method, target, headers, body, version = 'HTTP/1.1' }) {
  const sent = { Host: '127.0.0.1', ...headers };
  const content = body === null ? Buffer.alloc(0) : Buffer.from(body);
  if (body !== null) sent['Content-Length'] ??= content.length;
  const fields = Object.entries(sent).map(([each, value]) => `${each}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`${method} ${target} ${version}\r\n${fields}\r\n`, 'latin1'),
    content]);
}
