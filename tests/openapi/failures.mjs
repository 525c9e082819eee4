// Provocations by injected faults: by scenario, then by code.
import { once } from 'node:events';
import { operations } from './document.mjs';
import { untilHit } from './limits.mjs';
import { operation } from './world.mjs';

/** The operations that rule faults: what injects faults would take them away. */
const passes = (of) => !of.path.startsWith('/faults');

/** Injects a rule at a point. */
export async function inject(world, point, rule) {
  const answer = await world.ask(operation('ops', 'put_fault'),
    { parameters: { point }, body: JSON.stringify(rule) });
  if (answer.status !== 200) throw new Error(`no fault: ${answer.text}`);
}

/** Ends all faults. */
export const heal = (world) => world.ask(operation('ops', 'clear_faults'));

/** Where requests pass on their way to an answer, by what the service says of its points. */
async function pointsOfRequests(world) {
  const { json } = await world.ask(operation('ops', 'list_faults'));
  return json.points.filter(({ point, kinds }) => kinds.includes('drop') && point.includes('.'))
    .map(({ point }) => point);
}

/** How often requests passed the points so far. */
async function countPasses(world) {
  const { json } = await world.ask(operation('ops', 'list_faults'));
  return json.points.reduce((sum, each) => sum + (world.points.includes(each.point)
    ? each.passes : 0), 0);
}

/** Injects faults of a kind at all points of requests, for those that ask for it. */
async function injectAtRequests(world, kind) {
  for (const point of world.points.filter((each) => !/reply$/.test(each)))
    await inject(world, point, { kind, header: true });
}

/**
 * Settles a world and notes in `world.hindered` which operations pass any point, of those that do
 * not rule faults: the ops plane's front, its reports and more pass none, so that a fault can
 * always be taken away.
 */
async function prepare(world) {
  await world.settle();
  world.points = await pointsOfRequests(world);
  for (const point of world.points) await inject(world, point, { kind: 'delay', delay_ms: 0 });
  world.hindered = new Set();
  for (const of of operations.filter(passes)) {
    const before = await countPasses(world);
    await world.ask(of);
    if (await countPasses(world) > before) world.hindered.add(of);
  }
  await heal(world);
  await world.settle();
  world.chosen = { 'X-Fault': world.points.join(', ') };
}

const prepareFor = (kind) => async (world) => {
  await prepare(world);
  await injectAtRequests(world, kind);
};

const noPoint = 'it passes no point where faults can be injected, so that they can be taken away';

/** What answers a request fails. */
export const failing = {
  name: 'faults that fail',
  flags: [],
  prepare: prepareFor('error'),
  codes: {
    unavailable: async (of, world) => {
      if (of.plane === 'ops' && !world.hindered.has(of)) return { impossible: noPoint };
      return world.ask(of, { headers: world.chosen });
    },
  },
};

/** What answers a request dies at it. */
export const dying = {
  name: 'faults that kill an actor',
  where: passes,
  flags: ['--restart-intensity', '1000'],
  prepare: prepareFor('crash'),
  codes: {
    outcome_unknown: async (of, world) => {
      // An actor that has handled something is replaced at once.
      await world.ask(operation('ops', 'list_tiers'));
      return world.ask(of, { headers: world.chosen });
    },
  },
};

/** What answers a request hangs for longer than its time. */
export const hanging = {
  name: 'faults that stall, and short deadlines',
  where: passes,
  flags: ['--request-timeout-ms', '2000', '--export-timeout-ms', '2000', '--ingest-timeout-ms',
    '2000'],
  prepare: prepareFor('stall'),
  atOnce: 100,
  codes: {
    deadline_exceeded: async (of, world) => {
      // Those are for the process that is stopped.
      if (of.plane === 'ops' && !world.hindered.has(of)) return undefined;
      return world.ask(of, { headers: world.chosen });
    },
  },
};

const day = 86_400_000;
/** A body of an export of so many days of the demo data. */
const span = (days) => {
  const start = Date.UTC(2026, 0, 1);
  return { body: JSON.stringify({ query_start: start, query_end: start + days * day }) };
};

/** The store fails, whatever is asked of it. */
export const storeless = {
  name: 'faults of the store',
  where: passes,
  flags: [],
  sweeps: true,
  async prepare(world) {
    await world.settle();
    for (const part of ['open', 'read', 'write', 'commit'])
      await inject(world, `store.${part}`, { kind: 'error' });
  },
  codes: {
    store_failed: async (of, world) => {
      const answer = await world.ask(of);
      // Those that ask for a token alone are for a store that is out of reach.
      return answer.status < 400 ? undefined : answer;
    },
  },
};


/** The store hangs for longer than there is time, for those that pass no other point. */
export const stalling = {
  name: 'a store that stalls, and short deadlines',
  where: (of, code, provoked) => !provoked && passes(of),
  flags: hanging.flags,
  atOnce: 100,
  async prepare(world) {
    await world.settle();
    for (const part of ['open', 'read', 'write', 'commit'])
      await inject(world, `store.${part}`, { kind: 'stall' });
  },
  codes: {
    deadline_exceeded: async (of, world) => {
      const answer = await world.ask(of);
      return answer.status < 400 ? undefined : answer;
    },
  },
};

/** An export hangs, and no other may wait. */
export const exporting = {
  name: 'exports that hang',
  flags: ['--export-jobs', '1', '--export-queue', '0'],
  async prepare(world) {
    const of = operation('data', 'export_lobby_history');
    // Made first: it tries whether the operation needs a query, by an export of its own.
    const bytes = await world.bytes(of, await world.newFor(of));
    await inject(world, 'export.write', { kind: 'stall' });
    world.connect(of).send(bytes);
    await untilHit(world, 'export.write');
  },
  codes: { exports_busy: async (of, world) => world.ask(of, await world.newFor(of)) },
};

/** Exports fill what they may, and lists are longer than they may. */
export const small = {
  name: 'small limits for exports and lists',
  flags: ['--export-limit-bytes', '1048576', '--avatar-list-limit-bytes', '1024'],
  codes: {
    list_too_large: (of, world) => world.ask(of),
    exports_full: async (of, world) => {
      for (let days = 1; ; ++days) {
        const answer = await world.ask(of, span(days));
        if (answer.status !== 200 || days > 400) return answer;
      }
    },
  },
};

/** The URL of an export is old. */
export const late = {
  name: 'exports that are over',
  flags: ['--export-url-lifetime-ms', '1000'],
  codes: {
    url_expired: async (of, world) => {
      await world.exported();
      await inject(world, 'clock', { kind: 'delay', delay_ms: 3_600_000 });
      const answer = await world.ask(of);
      await heal(world);
      return answer;
    },
  },
};

const deadline_ms = 10;

/** Stops a process for longer than a deadline: what it is doing by then comes too late. */
async function stopFor(child) {
  child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 3 * deadline_ms));
  child.kill('SIGCONT');
}

/** The process stands still while it has requests, for longer than they may take. */
export const stopped = {
  name: 'a process that was stopped',
  flags: ['--request-timeout-ms', `${deadline_ms}`, '--ingest-timeout-ms', `${deadline_ms}`,
    '--mailbox-reports', '100000', '--mailbox-fault-control', '1024', '--max-ops-connections',
    '2000'],
  where: (of, code, provoked) => !provoked,
  codes: {
    deadline_exceeded: async (of, world) => {
      const bytes = await world.bytes(of);
      // Those for everybody are answered by the front itself, at once, and so are these.
      const atOnce = ['get_version', 'get_config', 'get_log_levels'];
      const isAtOnce = of.tokenKinds.length === 0 || atOnce.includes(of.id);
      for (let round = 0; round < (isAtOnce ? 12 : 200); ++round) {
        const asked = Array.from({ length: 100 }, () => world.connect(of));
        await Promise.all(asked.map((each) => once(each.socket, 'connect')));
        const answers = Promise.all(asked.map((each) => each.send(bytes).answer()));
        await new Promise(setImmediate);
        await stopFor(world.service.child);
        const late = (await answers).find(({ status }) => status === 504);
        asked.forEach((each) => each.close());
        if (late) return world.note(of, late);
      }
      if (!isAtOnce) throw new Error('was always in time');
      return { impossible: 'answered within the turn of the event loop that read it: too late ' +
        'only where the process stands still in that very turn' };
    },
  },
};
