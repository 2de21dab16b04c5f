import { Readable } from 'node:stream';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { NotFound, database, definePlugin, type Actor } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { createRepository } from '@mortise/repositories/testing';
import { attachmentKinds, attachments, type Attachment } from '../api.js';
import { AttachmentStore } from '../services/attachment-store.js';
import { downloadCounter } from '../services/download-counter.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Things that have files: those with odd numbers are gone, those above 100 nobody may see. */
const boxes = definePlugin({
  name: 'boxes',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { attachments: '^1.0.0' },
  register(host) {
    host.contribute(attachmentKinds, {
      key: 'boxes',
      hold: async ({ ownerId }) => {
        if (ownerId % 2) throw NotFound('box');
      },
      view: async ({ ownerId }: Attachment, _actor: Actor) => {
        if (ownerId > 100) throw NotFound('file');
        return { isPrivate: ownerId > 10 };
      },
    });
  },
});

describe('attachments of any kind', () => {
  let host: TestHost;
  let repositoryId: number;
  const owner = (ownerId: number) => ({ kind: 'boxes', ownerId, repositoryId });
  const put = (ownerId: number, name: string, text = name) =>
    host.services.get(attachments).upload(owner(ownerId), name, Readable.from([Buffer.from(text)]), 1);

  before(async () => {
    host = await startHost({
      plugins: [boxes],
      settings: { attachment: { ALLOWED_TYPES: '.txt,image/*', MAX_SIZE: 1 } },
    });
    const ada = await createAccount(host, 'ada');
    repositoryId = (await createRepository(host, ada, { name: 'wheel' })).id;
  });
  after(() => host.close());

  it('have the limits of [attachment] where their kind has none of its own', async () => {
    expect((await put(2, 'a.png')).size).to.equal(5);
    await expect(put(2, 'a.exe')).to.reject(/not allowed/);
    await expect(put(2, 'large.txt', 'x'.repeat(1_048_577))).to.reject();
    expect((await host.inject('/api/v1/settings/attachment')).json).to.include({ max_size: 1, enabled: true });
  });

  it('are refused for what is gone, and leave nothing', async () => {
    await expect(put(3, 'a.txt')).to.reject(/box/);
    expect((await host.services.get(attachments).list('boxes', [3])).size).to.equal(0);
  });

  it('are shown as their kind says, and to nobody when no plugin knows it', async () => {
    const open = async (file: Attachment) => host.inject(`/attachments/${file.uuid}`);
    const seen = await open(await put(4, 'open.txt'));
    expect([seen.statusCode, seen.payload, seen.headers['cache-control']]).to.equal([
      200,
      'open.txt',
      'public, max-age=0, must-revalidate',
    ]);
    expect((await open(await put(20, 'inner.txt'))).headers['cache-control'] ?? '').to.startWith('private');
    expect((await open(await put(102, 'hidden.txt'))).statusCode).to.equal(404);
    const lost = await host.services
      .get(attachments)
      .upload({ kind: 'unknown', ownerId: 1, repositoryId }, 'a.txt', Readable.from([Buffer.from('x')]), 1);
    expect((await open(lost)).statusCode).to.equal(404);
  });

  it('of one owner and of another are kept apart, and go in the transaction of the caller', async () => {
    const service = host.services.get(attachments);
    const file = await put(6, 'six.txt');
    await put(8, 'eight.txt');
    expect(await service.byId({ kind: 'boxes', ownerId: 8 }, file.id)).to.be.undefined();
    const data = host.services.get(database);
    await expect(
      data.write(async () => {
        await service.removeOf('boxes', [6, 8]);
        throw new Error('taken back');
      }),
    ).to.reject('taken back');
    expect((await service.list('boxes', [6, 8])).size).to.equal(2);
    await service.removeOf('boxes', [6]);
    await host.settle();
    expect([...(await service.list('boxes', [6, 8])).keys()]).to.equal([8]);
    expect((await host.inject(`/attachments/${file.uuid}`)).statusCode).to.equal(404);
  });
});

describe('counts of downloads', () => {
  it('C1: are written before a download is answered', async () => {
    const order: string[] = [];
    const counter = {
      add: () => order.push('counted'),
      flush: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push('written');
      },
    };
    const store = new AttachmentStore({ counter, area: {} } as never);
    const file = {
      id: 1,
      name: 'a.txt',
      kind: 'things',
      uuid: 'ab',
      size: 0,
      sha256: '',
      externalUrl: 'https://a.example/x',
    };
    await store.serve(file as never, { isPrivate: false }, { method: 'GET', headers: {} } as never);
    order.push('answered');
    expect(order).to.equal(['counted', 'written', 'answered']);
    await store.serve(file as never, { isPrivate: false }, { method: 'HEAD', headers: {} } as never);
    expect(order).to.have.length(3);
  });

  it('are all written when they were to be, also what was on its way already', async () => {
    const finish: (() => void)[] = [];
    const database = { write: () => new Promise<void>((resolve) => finish.push(resolve)) };
    const counter = downloadCounter(database as never, {} as never);
    counter.add(1, 1);
    void counter.flush();
    let isWritten = false;
    const closed = counter.close().then(() => (isWritten = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([finish.length, isWritten]).to.equal([1, false]);
    finish[0]!();
    await closed;
  });
});
