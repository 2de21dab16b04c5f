import type { TestHost } from '@mortise/plugin-sdk/testing';
import { registrationTokens, type ActionScope } from '@mortise/actions/api';

/** A task as JSON tells it. */
export interface TaskMessage {
  readonly id: string;
  readonly context: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Base64. */
  readonly workflowPayload: string;
}

/** What answers have, each call some of it; zero and empty are left out. */
interface Messages {
  readonly data: string;
  readonly runner: { readonly id: string; readonly uuid: string; readonly token: string };
  readonly task?: TaskMessage;
  readonly tasksVersion: string;
  readonly state: { readonly result?: string };
  readonly sentOutputs: readonly string[];
  readonly ackIndex?: string;
  /** Of a refusal. */
  readonly code: string;
  readonly message: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: Messages;
}

export async function call(
  host: TestHost,
  method: string,
  payload: object,
  headers: Readonly<Record<string, string>> = {},
  service = 'runner.v1.RunnerService',
): Promise<Answer> {
  const answer = await host.inject({
    method: 'POST',
    url: `/api/actions/${service}/${method}`,
    payload: JSON.stringify(payload),
    headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', ...headers },
  });
  return { status: answer.statusCode, headers: answer.headers, json: answer.json as Messages };
}

/** A runner that speaks JSON. */
export class JsonRunner {
  private constructor(
    private readonly host: TestHost,
    readonly headers: Readonly<Record<string, string>>,
    readonly id: number,
  ) {}

  static async make(
    host: TestHost,
    scope: ActionScope,
    given: { name?: string; labels?: readonly string[]; ephemeral?: boolean; capabilities?: readonly string[] } = {},
  ): Promise<JsonRunner> {
    const token = await host.services.get(registrationTokens).current(scope);
    const made = await call(host, 'Register', { name: 'one', labels: ['linux'], version: 'v1', ...given, token });
    if (made.status !== 200) throw new Error(JSON.stringify(made.json));
    const { uuid, token: secret, id } = made.json.runner;
    return new JsonRunner(host, { 'x-runner-uuid': uuid, 'x-runner-token': secret }, Number(id));
  }

  call(method: string, payload: object): Promise<Answer> {
    return call(this.host, method, payload, this.headers);
  }

  /** Its next task; undefined: there is none. */
  async take(version = 0): Promise<TaskMessage | undefined> {
    const answer = await this.call('FetchTask', { tasksVersion: String(version) });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.json));
    return answer.json.task;
  }

  async report(task: { id: string }, result?: string, more: object = {}, outputs?: object): Promise<Answer> {
    const state = { id: task.id, ...(result && { result: `RESULT_${result}` }), ...more };
    return this.call('UpdateTask', { state, ...(outputs && { outputs }) });
  }

  /** Gives the number of lines that are stored, or the status of a refusal. */
  async log(task: { id: string }, index: number, lines: readonly string[], noMore = false): Promise<number> {
    const rows = lines.map((content) => ({ time: '2026-01-01T00:00:00Z', content }));
    const { status, json } = await this.call('UpdateLog', { taskId: task.id, index: String(index), rows, noMore });
    return status === 200 ? Number(json.ackIndex ?? 0) : -status;
  }
}
