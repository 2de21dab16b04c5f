import { signUp } from '@mortise/accounts/testing';
import type { PluginDefinition } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { statusNumbers } from '../api.js';
import { jobStates } from '../contract/runs.js';
import { statusName, type StatusName } from '../contract/states.js';
import { JobRow } from '../models/job.js';
import { OutputRow } from '../models/output.js';
import { TaskRow } from '../models/task.js';

export type Person = Awaited<ReturnType<typeof signUp>>;

export interface Answer {
  readonly status: number;
  // answers of many shapes, of which each test looks at a few fields
  readonly body: Readonly<Record<string, unknown>>;
}

/** A repository with workflows, and somebody who does what runners do. */
export class Mill {
  #files = 0;

  private constructor(
    readonly host: TestHost,
    readonly ada: Person,
    readonly ben: Person,
    readonly api: string,
  ) {}

  static async start(
    more: readonly string[] = [],
    own: readonly PluginDefinition[] = [],
    settings: NonNullable<Parameters<typeof startHost>[0]>['settings'] = {},
  ): Promise<Mill> {
    const plugins = ['actions', 'files', 'refs', 'forks', 'organizations', ...more, ...own];
    const host = await startHost({ plugins, settings });
    const mill = new Mill(host, await signUp(host, 'ada'), await signUp(host, 'ben'), '/api/v1/repos/ada/mill');
    await mill.send('POST', '/api/v1/user/repos', { name: 'mill', auto_init: true, default_branch: 'main' });
    return mill;
  }

  async send(method: string, url: string, payload?: object, as: Person | TestHost = this.ada): Promise<Answer> {
    const answer = await as.inject({ method: method as 'GET', url, ...(payload && { payload }) });
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, body: (isJson ? JSON.parse(answer.payload) : {}) as Answer['body'] };
  }

  /** Writes files in one commit, and waits for what follows. Gives the commit. */
  async push(
    files: Readonly<Record<string, string>>,
    message = 'more',
    branch = 'main',
    into?: string,
  ): Promise<string> {
    const made = await this.send('POST', `${this.api}/contents`, {
      branch,
      message,
      ...(into && { new_branch: into }),
      files: Object.entries(files).map(([path, content]) => ({
        operation: 'create',
        path,
        content: Buffer.from(content).toString('base64'),
      })),
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    await this.host.settle();
    return (made.body.commit as { readonly sha: string }).sha;
  }

  /** Adds one workflow and takes away the runs that this starts. */
  async workflow(name: string, text: string): Promise<void> {
    await this.push({ [`.gitea/workflows/${name}`]: text }, `add ${name} [skip ci]`);
  }

  touch(): Promise<string> {
    return this.push({ [`file-${++this.#files}.txt`]: 'x' }, `touch ${this.#files}`);
  }

  /** Newest first. */
  async runs(query = ''): Promise<readonly Record<string, unknown>[]> {
    return (await this.send('GET', `${this.api}/actions/runs?limit=50${query}`)).body.workflow_runs as readonly Record<
      string,
      unknown
    >[];
  }

  async run(id: unknown): Promise<string> {
    const { body } = await this.send('GET', `${this.api}/actions/runs/${String(id)}`);
    return [body.status, body.conclusion].filter(Boolean).join('/');
  }

  /** How the jobs of a run stand, by name. */
  async jobs(id: unknown): Promise<Readonly<Record<string, string>>> {
    const rows = await this.rows(id);
    return Object.fromEntries(rows.map((row) => [row.name, statusName(row.status)]));
  }

  async rows(id: unknown): Promise<JobRow[]> {
    const rows = await this.host.database.query(JobRow).where('run_id', Number(id)).orderBy('id');
    const newest = Math.max(...rows.map((row) => row.attempt));
    return rows.filter((row) => row.attempt === newest);
  }

  /** A runner takes the job. */
  async take(runId: unknown, name: string): Promise<JobRow> {
    const { database, services } = this.host;
    const job = (await this.rows(runId)).find((row) => row.name === name);
    if (job?.status !== statusNumbers.waiting) throw new Error(`${name} does not wait for a runner`);
    await database.write(async () => {
      const now = Date.now();
      const times = { started_at: now, stopped_at: 0, created_at: now, updated_at: now };
      const task = await database.query(TaskRow).insertAndFetch({
        job_id: job.id,
        run_id: job.run_id,
        run_attempt_id: job.run_attempt_id,
        repository_id: job.repository_id,
        owner_id: job.owner_id,
        attempt: job.attempt,
        runner_id: 1,
        status: statusNumbers.running,
        commit_sha: 'c'.repeat(40),
        is_fork: false,
        token_hash: '',
        token_salt: '',
        token_last_eight: '',
        ...times,
      });
      await database
        .query(JobRow)
        .findById(job.id)
        .patch({ task_id: task.id, status: statusNumbers.running, started_at: now, updated_at: now });
      await services.get(jobStates).jobChanged([job.id]);
    });
    return job;
  }

  /** A runner takes the job and reports how it ended. */
  async finish(
    runId: unknown,
    name: string,
    result: Extract<StatusName, 'success' | 'failure' | 'skipped'> = 'success',
    outputs: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { database, services } = this.host;
    const waits = (await this.rows(runId)).find((row) => row.name === name)?.status === statusNumbers.waiting;
    if (waits) await this.take(runId, name);
    const job = (await this.rows(runId)).find((row) => row.name === name)!;
    await database.write(async () => {
      const change = { status: statusNumbers[result], stopped_at: Date.now(), updated_at: Date.now() };
      await database.query(TaskRow).findById(job.task_id).patch(change);
      for (const [key, value] of Object.entries(outputs))
        await database.query(OutputRow).insert({ task_id: job.task_id, output_key: key, output_value: value });
      await database.query(JobRow).findById(job.id).patch(change);
      await services.get(jobStates).jobChanged([job.id]);
    });
    await this.host.settle();
  }

  /** Newest status of each context of a commit: `state: text`. */
  async statuses(sha: string): Promise<Readonly<Record<string, string>>> {
    const { body } = await this.send('GET', `${this.api}/commits/${sha}/status`);
    const list = body.statuses as readonly { context: string; status: string; description: string }[];
    return Object.fromEntries(
      list.map((one) => [one.context, `${one.status}: ${one.description.replace(/\d+s\b/, '<time>')}`]),
    );
  }
}

/** `on` and jobs of a workflow, each job as lines of YAML. */
export function workflowText(on: string, jobs: Readonly<Record<string, string>>, more = ''): string {
  const lines = Object.entries(jobs).map(([id, text]) => {
    const body = text.split('\n').filter(Boolean);
    const isCall = body.some((line) => line.startsWith('uses:'));
    const whole = [
      ...(isCall ? [] : ['runs-on: linux']),
      ...body,
      ...(isCall ? [] : ['steps:', `  - run: echo ${id}`]),
    ];
    return `  ${id}:\n${whole.map((line) => `    ${line}\n`).join('')}`;
  });
  return `on: ${on}\n${more}jobs:\n${lines.join('')}`;
}
