// Provocations by a service that ends.
import { operations } from './document.mjs';
import { operation } from './world.mjs';

/** Every operation is asked for by half a request before the service is told to end. */
export const draining = {
  name: 'a service that ends',
  flags: ['--drain-timeout-ms', '1000', '--head-timeout-ms', '60000'],
  async prepare(world) {
    await world.settle();
    this.asked = new Map();
    for (const of of operations) {
      const bytes = await world.bytes(of);
      const half = bytes.subarray(0, bytes.indexOf('\r\n') + 2);
      this.asked.set(of, world.connect(of).send(half));
    }
    for (;;) {
      const { text } = await world.ask(operation('ops', 'get_metrics'));
      const open = [...text.matchAll(/^matchcloud_connections(?:{[^}]*})? (\d+)/gm)];
      const all = open.reduce((sum, [, count]) => sum + Number(count), 0);
      if (all >= operations.filter(({ plane }) => plane === 'data').length) break;
    }
    world.service.child.kill('SIGTERM');
  },
  atOnce: 100,
  codes: { draining: async (of, world) => world.note(of, await draining.asked.get(of).answer()) },
};
