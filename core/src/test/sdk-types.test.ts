import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import {
  database,
  defineEvent,
  defineJob,
  definePlugin,
  definePoint,
  defineRoute,
  defineService,
  defineResource,
  Joi,
  type Database,
  type Events,
  type Jobs,
  type RawForm,
} from '@mortise/plugin-sdk';
import type { Readable } from 'node:stream';

export const lab = Lab.script();
const { describe, it } = lab;

/** True when both are the same type; `any` is the same as nothing but itself. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The value has that type and no other: `typed<Clock>()(value)(true)`. */
const typed =
  <B>() =>
  <A>(_value: A) =>
  (holds: Same<A, B>): boolean =>
    holds;

interface Clock {
  now(): number;
}
const clock = defineService<Clock>('clock.clock');
const rang = defineEvent<{ hour: number }>('clock.rang');
const wind = defineJob<{ turns: number }>('clock.wind');
const faces = definePoint.keyed<{ key: string; digits: number }>('clock.faces');
const tower = defineResource<{ height: number }>('clock.tower');

// What the compiler refuses is said line by line; a line that it no longer refuses stops the build.
export const refused = definePlugin({
  name: 'clock',
  version: '1.0.0',
  sdk: '^1.0.0',
  register(host) {
    // @ts-expect-error -- the factory makes something else
    host.service(clock, { database }, () => ({}));
    // @ts-expect-error -- a method of another type
    host.service(clock, {}, () => ({ now: () => 'noon' }));
    // @ts-expect-error -- a contribution without its digits
    host.contribute(faces, { key: 'roman' });
    // @ts-expect-error -- the same made by a factory
    host.contribute(faces, { database }, () => ({ key: 'roman' }));
    // @ts-expect-error -- the payload has no minute
    host.on(rang, 'after', 'log', {}, async ({ minute }) => void minute);
    // @ts-expect-error -- turns are a number
    host.schedule('nightly', '0 3 * * *', wind, { turns: 'many' });
    // @ts-expect-error -- not among the dependencies
    host.routes({ database }, ({ clock: missing }) => [missing]);
    host.service(clock, { database }, ({ database: given }) => ({
      now: () => (typed<Database>()(given)(true) ? Date.now() : 0),
    }));
    const settings = host.settings('clock', Joi.object<{ HANDS: number }, true>({ HANDS: Joi.number().default(2) }));
    typed<Readonly<{ HANDS: number }>>()(settings)(true);
  },
});

export const emitted = async (events: Events, jobs: Jobs) => {
  // @ts-expect-error -- the event has an hour
  await events.emit(rang, { minute: 1 });
  // @ts-expect-error -- turns are a number
  await jobs.enqueue(wind, { turns: 'many' });
};

describe('the types of the SDK', () => {
  it('a route knows its parameters, query and body from path and schemas', () => {
    const routes = [
      defineRoute({
        method: 'POST',
        path: '/towers/{name}/bells/{bell}/{rest*}',
        access: { actor: 'anyone', resource: tower },
        request: {
          params: Joi.object<{ bell: number }>({ bell: Joi.number() }),
          query: Joi.object<{ loud?: boolean }>({ loud: Joi.boolean() }),
          payload: Joi.object<{ strokes: number }>({ strokes: Joi.number().required() }),
        },
        handler: ({ resource, params, query, payload }) => [
          typed<{ height: number }>()(resource)(true),
          typed<string>()(params.name)(true),
          typed<number>()(params.bell)(true),
          typed<string | undefined>()(params.rest)(true),
          typed<boolean | undefined>()(query.loud)(true),
          typed<number>()(payload.strokes)(true),
          // @ts-expect-error -- no such parameter
          params.tower,
          // @ts-expect-error -- no such key
          payload.strikes,
        ],
      }),
      defineRoute({
        method: 'PUT',
        path: '/towers/{name}/picture',
        access: { actor: 'anyone' },
        request: { query: Joi.object<{ name?: string }>({ name: Joi.string() }) },
        payload: { as: 'stream' },
        handler: ({ payload }) => typed<Readable>()(payload)(true),
      }),
      defineRoute({
        method: 'POST',
        path: '/towers/{name}/form',
        access: { actor: 'anyone' },
        request: { query: Joi.object<{ name?: string }>({ name: Joi.string() }) },
        payload: { as: 'form' },
        handler: ({ payload }) => typed<RawForm>()(payload)(true),
      }),
      defineRoute({
        method: 'POST',
        path: '/towers/{name}/untyped',
        access: { actor: 'anyone', resource: tower },
        request: { payload: Joi.object({ strokes: Joi.number() }) },
        // of a schema without a type nothing is known
        handler: ({ payload }) => typed<unknown>()(payload)(true),
      }),
    ];
    expect(routes).to.have.length(4);
  });
});
