import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { actOrigins, systemActor, type ActOrigin } from '@mortise/plugin-sdk';

export const lab = Lab.script();
const { describe, it } = lab;

const originOf = (plugin: string): ActOrigin => ({
  actor: systemActor(plugin),
  remoteAddress: '',
  surface: 'command',
  plugin,
});

describe('origins of acts', () => {
  it('are known while the act runs, and not to what it left behind while others run', async () => {
    let end = () => {};
    const long = actOrigins.run(originOf('long'), () => new Promise<void>((resolve) => (end = resolve)));
    let left: Promise<ActOrigin | undefined> | undefined;
    const during = await actOrigins.run(originOf('short'), async () => {
      left = new Promise((resolve) => setImmediate(() => resolve(actOrigins.current())));
      await Promise.resolve();
      return actOrigins.current()?.plugin;
    });
    expect([during, await left]).to.equal(['short', undefined]);
    end();
    await long;
  });

  it('are not those of what an act only wakes', async () => {
    const seen = await actOrigins.run(originOf('request'), async () => {
      await Promise.resolve();
      return actOrigins.outside(() => actOrigins.current());
    });
    expect(seen).to.be.undefined();
  });
});
