import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database, definePlugin, defineService } from '@mortise/plugin-sdk';
import { startHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { createRepository } from '@mortise/repositories/testing';
import { runtimeTasks } from '../api.js';
import { taskContextEntries, type TaskContextEntry } from '../contract/tasks.js';
import { TaskRow } from '../models/task.js';
import { TaskTokens } from '../services/tasks/task-tokens.js';
import { endTask, makeTask, type TaskOptions } from './rows.js';

export const lab = Lab.script();
const { describe, it } = lab;

const idPart = defineService<TaskContextEntry>('witness.idPart');
/** Looks at what is put into the context of tasks. */
const witness = definePlugin({
  name: 'witness',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { actions: '^1.0.0' },
  provides: [idPart],
  register(host) {
    const parts = host.point(taskContextEntries);
    host.service(idPart, {}, () => ({
      key: 'id-token',
      of: async (task) => parts.get('id-token')!.of(task),
    }));
  },
});

describe('tasks behind tokens', () => {
  it('are found by the token of the task too, while it runs', async () => {
    const host = await startHost({ plugins: ['actions'] });
    try {
      const made = await makeTask(host, await createRepository(host, await createAccount(host, 'ada'), 'mill'));
      const { token, stored: kept } = new TaskTokens(host.site.secret('tokens of tasks')).make();
      const db = host.services.get(database);
      await db.write(() => db.query(TaskRow).patch(kept).where('id', made.task.id));
      const tasks = host.services.get(runtimeTasks);
      expect((await tasks.ofHeader(`Bearer ${token}`))?.jobId).to.equal(made.job.id);
      expect((await tasks.ofHeader(`token ${token}`))?.jobId).to.equal(made.job.id);
      expect(await tasks.ofHeader(`Bearer ${'0'.repeat(40)}`)).to.be.undefined();
      expect(await tasks.ofHeader(`Basic ${token}`)).to.be.undefined();
      expect(await tasks.ofHeader(undefined)).to.be.undefined();
      await endTask(host, made);
      expect(await tasks.ofHeader(`Bearer ${token}`)).to.be.undefined();
    } finally {
      await host.close();
    }
  });

  it('are told where to ask for an identity, when they may', async () => {
    const host = await startHost({ plugins: ['actions', witness] });
    try {
      const repository = await createRepository(host, await createAccount(host, 'ada'), 'mill');
      const told = async (options: TaskOptions) => {
        const { task, job, run } = await makeTask(host, repository, options);
        const claims = { taskId: task.id, jobId: job.id, runId: run.id };
        const ids = { ...claims, repositoryId: repository.id, ownerId: repository.ownerId };
        return host.services.get(idPart).of(ids);
      };
      expect(await told({})).to.be.undefined();
      expect(await told({ mayIdentify: true, isFork: true, event: 'pull_request' })).to.be.undefined();
      const context = (await told({ mayIdentify: true }))!;
      const url = String(context.actions_id_token_request_url);
      expect(url).to.startWith(`${host.site.rootUrl}/api/actions/`);
      const authorization = `Bearer ${String(context.actions_id_token_request_token)}`;
      const answer = await host.inject({
        url: `${url.replace(host.site.rootUrl, '')}&audience=x`,
        headers: { authorization },
      });
      expect(answer.statusCode).to.equal(200);
    } finally {
      await host.close();
    }
  });
});
