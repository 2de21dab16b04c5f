import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { GitReader } from '@mortise/git/api';
import type { Cache } from '@mortise/plugin-sdk';
import { WorkflowFiles } from '../services/runs/workflow-files.js';
import { parseWorkflow } from '../workflow/index.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('The folder of workflows', () => {
  /** Of so many files, all of this text and size. */
  const folderOf = (count: number, text: string, size = text.length) => {
    let reads = 0;
    const entries = [...Array(count).keys()].map((at) => ({
      ...{ type: 'blob', mode: '100644', size },
      path: `.gitea/workflows/${String(at).padStart(4, '0')}.yml`,
      oid: String(at),
    }));
    const git = {
      entry: () => Promise.resolve({ type: 'tree' }),
      treeRecursive: () => Promise.resolve({ entries, total: count }),
      blob: () => Promise.resolve((reads++, Buffer.from(text))),
    };
    const memory = (name: string) => {
      const kept = new Map<string, unknown>();
      return {
        load: async (key: string, make: () => Promise<unknown>) => {
          // whole workflows are not kept here: what lists need is
          if (!kept.has(key) || name === 'actions.workflows') kept.set(key, await make());
          return kept.get(key);
        },
      };
    };
    const workers = {
      parse: async (_id: number, read: string | Uint8Array, file: string) => parseWorkflow(read, file),
    };
    const reader = { open: () => git } as unknown as GitReader;
    const files = new WorkflowFiles(reader, { memory } as unknown as Cache, workers);
    return { files, list: () => files.list(1, 'c', ['.gitea/workflows']), reads: () => reads };
  };
  const text = 'name: Build\non: { workflow_dispatch: }\njobs: { one: { runs-on: x, steps: [{ run: y }] } }\n';

  it('a folder of workflows is read up to 100 files', async () => {
    expect(await folderOf(100, text).list()).to.have.length(100);
    expect(await folderOf(150, text).list()).to.have.length(100);
  });

  it('is read up to 2 MiB; what is beyond has a problem', async () => {
    const { files, list, reads } = folderOf(5, text, 600_000);
    const errors = [];
    for (const file of await list()) errors.push((await files.summary(1, file)).error?.message);
    const beyond = 'the workflows of the folder are larger than 2 MiB together';
    expect(errors).to.equal([undefined, undefined, undefined, beyond, beyond]);
    expect(reads()).to.equal(3);
  });

  it('is not read again for lists', async () => {
    const { files, list, reads } = folderOf(1, text);
    const [file] = await list();
    for (let time = 0; time < 3; time++)
      expect(await files.summary(1, file!)).to.equal({ name: 'Build', events: ['workflow_dispatch'], inputs: [] });
    expect(reads()).to.equal(1);
  });
});
