// Provocations by limits that a service is configured with: by scenario, then by code.
import { documents, operations } from './document.mjs';
import { bytesOf } from './request.mjs';
import { operation } from './world.mjs';

/** The head of a request without its end. */
async function partOf(of, world) {
  const bytes = await world.bytes(of);
  return bytes.subarray(0, bytes.indexOf('\r\n') + 2);
}

/** The answer to bytes on a connection that stays open until it arrives. */
async function answerTo(of, world, bytes) {
  const connection = world.connect(of);
  try {
    return world.note(of, await connection.send(bytes).answer());
  } finally {
    connection.close();
  }
}

/** Heads and bodies that take too long. */
export const slow = {
  name: 'short times for heads and bodies',
  flags: ['--head-timeout-ms', '1500', '--body-timeout-ms', '300'],
  atOnce: 100,
  codes: {
    head_timeout: async (of, world) => answerTo(of, world, await partOf(of, world)),
    body_timeout: async (of, world) => {
      const request = await world.request(of);
      const headers = { ...request.headers, 'Content-Length': 5 };
      return answerTo(of, world, bytesOf({ ...request, headers, body: null }));
    },
  },
};

/** A rate limit of one request in an hour, which is used up first. */
export const limited = {
  name: 'rate limits',
  atOnce: 8,
  flags: ['--rate-limit-loopback', '--rate-limit-address-cheap', '1/3600',
    '--rate-limit-address-expensive', '1/3600'],
  // An operation may need what only others make, and these are limited as well.
  async prepare(world) {
    world.settled = new Map(operations.map((each) => [each, {}]));
    for (const plane of Object.keys(documents))
      for (const of of operations.filter((each) => each.plane === plane)) {
        const connection = world.connect(of);
        await connection.send(await world.bytes(of)).head();
        connection.close();
      }
  },
  codes: { rate_limited: (of, world) => world.ask(of) },
};

/** Memory for requests that heads without an end hold, all of it. */
export const tight = {
  name: 'memory that is used up',
  flags: ['--loops', '1', '--byte-budget-bytes', '1048576', '--ops-byte-budget-bytes', '1048576',
    '--head-limit-bytes', '65536'],
  async prepare(world) {
    await world.settle();
    for (const plane of Object.keys(documents)) {
      const [any] = documents[plane].operations;
      // Each such head holds as much as a head may have. What is over is refused.
      const heads = Array.from({ length: 17 }, () => world.connect(any).send('GET / HTTP/1.1\r\n'));
      await Promise.any(heads.map((each) => each.head()));
    }
  },
  codes: {
    budget_exhausted: async (of, world) => answerTo(of, world, await partOf(of, world)),
  },
};

/** One request in flight on the data plane: it hangs, and the next is too many. */
export const busy = {
  name: 'requests in flight',
  flags: ['--loops', '1', '--max-in-flight', '1'],
  where: (of) => of.plane === 'data',
  async prepare(world) {
    await world.settle();
    const stall = { parameters: { point: 'front.dispatch' }, body: '{"kind":"stall","once":true}' };
    await world.ask(operation('ops', 'put_fault'), stall);
    await untilIdle(world);
    const hanging = operation('data', 'ping');
    world.connect(hanging).send(await world.bytes(hanging));
    const { passed } = await untilHit(world, 'front.dispatch');
    if (!passed) throw new Error('no request hangs');
  },
  codes: { overloaded: (of, world) => world.ask(of) },
};

/** Asks until no request of the data plane is in flight: one is for a moment after its answer. */
async function untilIdle(world) {
  const metrics = operation('ops', 'get_metrics');
  while (!/^matchcloud_requests_in_flight 0$/m.test((await world.ask(metrics)).text));
}

/** Asks until a fault point was hit, as it is once a request hangs there. */
export async function untilHit(world, point) {
  for (;;) {
    const answer = await world.ask(operation('ops', 'get_fault'), { parameters: { point } });
    if (answer.json.hits > 0) return { passed: answer.json.passes };
  }
}

/** Few connections to the ops plane: of those without a whole request the oldest makes room. */
export const crowded = {
  name: 'connections of the ops plane',
  flags: ['--max-ops-connections', '8'],
  where: (of) => of.plane === 'ops',
  atOnce: 100,
  async prepare(world) {
    await world.settle();
    const all = operations.filter(this.where);
    // Those behind the last one push it out, too.
    const behind = Array.from({ length: 8 }, () => all.at(-1));
    this.asked = new Map();
    const health = operation('ops', 'get_health');
    const probe = await world.bytes(health);
    const parts = new Map();
    for (const of of all) parts.set(of, await partOf(of, world));
    for (const of of [...all, ...behind]) {
      // Once this one was answered, the service has read what the one before it sent.
      const connection = world.connect(of).send(probe);
      world.note(health, await connection.answer());
      const answer = connection.send(parts.get(of)).answer();
      answer.catch(() => {});
      if (!this.asked.has(of)) this.asked.set(of, answer);
    }
  },
  codes: { overloaded: async (of, world) => world.note(of, await crowded.asked.get(of)) },
};
