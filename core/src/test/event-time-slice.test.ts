import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineEvent } from '@mortise/plugin-sdk';
import type { ManagedEvents } from '../contracts.js';
import { createEvents } from '../events/index.js';
import { engines, plainCall, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const starred = defineEvent<{ number: number }>('stars.starred');

for (const engine of engines) {
  describe(`delivery of many events on ${engine.name}`, () => {
    let test: TestDatabase;
    let events: ManagedEvents;
    before(async () => {
      test = await engine.open();
      events = createEvents({ database: test.database, broker: test.broker, log: test.log, call: plainCall });
    });
    after(async () => {
      await events.stop();
      await test.close();
    });

    it('S11: lets others in between two of them', async () => {
      let turns = 0;
      const seenAt: number[] = [];
      events.subscribe({
        owner: 'stars',
        id: 'busy',
        event: starred,
        when: 'after',
        handle: () => {
          seenAt.push(turns);
          for (const end = performance.now() + 4; performance.now() < end;);
          return Promise.resolve();
        },
      });
      await test.database.write(async () => {
        for (let number = 0; number < 40; number++) await events.emit(starred, { number });
      });
      let isOver = false;
      const turn = () => {
        turns++;
        if (!isOver) setImmediate(turn);
      };
      turn();
      await events.deliverAll();
      isOver = true;
      expect(seenAt).to.have.length(40);
      expect(new Set(seenAt).size).to.be.at.least(12);
    });
  });
}
