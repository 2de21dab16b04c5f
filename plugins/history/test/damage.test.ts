import { PassThrough, Readable } from 'node:stream';
import Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { NotFound, Problem, type Route } from '@mortise/plugin-sdk';
import { isCorruptObject } from '@mortise/git/api';
import { reportCorruptObjects, withoutCorruptObjects, started } from '../contract/corrupt-object.js';

export const lab = Lab.script();
const { describe, it } = lab;

const failure = Object.assign(new Error('git log failed with 128: bad object'), { name: 'GitFailure' });
const route = (error: Error): Route => ({
  method: 'GET',
  path: '/x',
  access: { actor: 'anyone' },
  handler: () => Promise.reject(error),
});

describe('damaged repositories', () => {
  it('are refused with words, and noted; other faults stay faults', async () => {
    const noted: string[] = [];
    const run = (error: Error) => {
      const [aware] = reportCorruptObjects([route(error)], { warn: (message) => noted.push(message) });
      return aware!.handler({} as never) as Promise<unknown>;
    };
    const refused = await expect(run(failure)).to.reject();
    expect(Problem.is(refused) && refused.status).to.equal(404);
    expect(noted).to.have.length(1);
    await expect(run(new TypeError('a fault'))).to.reject('a fault');
    expect(isCorruptObject(NotFound('file'))).to.be.false();
  });

  it('cost only their own part of an answer', async () => {
    expect(await withoutCorruptObjects(Promise.reject(failure), 'instead')).to.equal('instead');
    expect(await withoutCorruptObjects(Promise.reject(NotFound('file')), 'instead')).to.equal('instead');
    await expect(withoutCorruptObjects(Promise.reject(new TypeError('a fault')), 'instead')).to.reject('a fault');
  });

  it('are told before the first byte of a stream is sent', async () => {
    const broken = new PassThrough();
    setTimeout(() => broken.destroy(failure), 5);
    await expect(started(broken)).to.reject(/bad object/);
    expect(await started(Readable.from(['text']))).to.be.an.object();
    expect(await started(Readable.from([]))).to.be.an.object();
  });
});
