// Provocations by a bucket, and the answers that lead to it. The bucket is one in memory and speaks
// as much of S3 as small objects need; tests/objects has a whole one.
import http from 'node:http';
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from './document.mjs';
import { inject } from './failures.mjs';
import { newFolder } from './service.mjs';

const pages = {
  'list-type': '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
  uploads: '<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>' +
    '</ListMultipartUploadsResult>',
};

/** Answers one call to the bucket, whose objects are in a map by path. */
async function answerCall(objects, request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://bucket');
  const page = Object.keys(pages).find((each) => searchParams.has(each));
  if (page) return response.end(pages[page]);
  if (request.method === 'PUT') {
    const bytes = Buffer.concat(await request.toArray());
    const own = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
    objects.set(pathname, { bytes, headers: {
      ...Object.fromEntries(own),
      'content-type': request.headers['content-type'] ?? 'application/octet-stream',
      'last-modified': new Date().toUTCString(),
      etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
    } });
    return response.writeHead(200, { etag: objects.get(pathname).headers.etag }).end();
  }
  // The bucket itself is there.
  if (pathname.split('/').filter(Boolean).length < 2) return response.end();
  const found = objects.get(pathname);
  if (!found) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  if (request.method === 'DELETE') return response.writeHead(204).end();
  response.writeHead(200, { ...found.headers, 'content-length': found.bytes.length });
  return response.end(request.method === 'HEAD' ? undefined : found.bytes);
}

/** Starts a bucket; how a service finds it, and what makes it refuse every call from then on. */
async function startBucket() {
  const objects = new Map();
  let refuses = false;
  const server = http.createServer((request, response) => {
    if (refuses) return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    return answerCall(objects, request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const env = {
    AWS_ACCESS_KEY_ID: 'a-key', AWS_SECRET_ACCESS_KEY: 'its-secret',
    MATCHCLOUD_OBJECTS: 's3://test', MATCHCLOUD_OBJECTS_PATH_STYLE: 'true',
    MATCHCLOUD_OBJECTS_ENDPOINT: `http://127.0.0.1:${server.address().port}`,
  };
  return { env, refuse: () => { refuses = true; }, kill: () => server.close() };
}

/** The options of a service whose images and exports are in a bucket, with demo data. */
export async function withBucket() {
  const bucket = await startBucket();
  const dataDir = newFolder();
  const env = { ...process.env, ...bucket.env };
  const words = ['demo', '--data-dir', dataDir, '--until', '2026-02-01'];
  await promisify(execFile)(program, words, { env });
  return { dataDir, env: bucket.env, beside: [bucket], bucket };
}

/** A bucket that refuses every call, and a store that fails as well. */
export const bucketless = {
  name: 'a bucket that refuses',
  where: (of, code, provoked) => !provoked,
  sweeps: true,
  flags: [],
  atOnce: 8,
  async options() {
    const { bucket, ...options } = await withBucket();
    this.bucket = bucket;
    return options;
  },
  async prepare(world) {
    await world.settle();
    this.bucket.refuse();
    for (const part of ['open', 'read', 'write', 'commit'])
      await inject(world, `store.${part}`, { kind: 'error' });
  },
  codes: {
    store_failed: async (of, world) => {
      const answer = await world.ask(of);
      return answer.status < 400 ? undefined : answer;
    },
  },
};
