import type { JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Client } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { PingService, Result as WireResult, RunnerService, type Task } from '@mortise/actions-runner-protocol/schema';
import type { NeedResult, Result, ValueMap } from '@mortise/actions/workflow';
import type { JobTask } from '../engine/types.js';

/** What a runner keeps of its registration. */
export interface Registration {
  readonly address: string;
  readonly id: string;
  readonly uuid: string;
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly ephemeral: boolean;
}

export type RunnerClient = Client<typeof RunnerService>;

const transport = (address: string, headers: Readonly<Record<string, string>> = {}) =>
  createConnectTransport({
    baseUrl: `${address.replace(/\/+$/, '')}/api/actions`,
    httpVersion: '1.1',
    interceptors: [
      (next) => async (request) => {
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
        return next(request);
      },
    ],
  });

/** A client that shows the registration with each call. */
export const clientOf = ({ address, uuid, token }: Pick<Registration, 'address' | 'uuid' | 'token'>): RunnerClient =>
  createClient(RunnerService, transport(address, { 'x-runner-uuid': uuid, 'x-runner-token': token }));

/** Registers with a registration token. Throws in words when the server cannot be reached or refuses. */
export async function register(options: {
  readonly address: string;
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly ephemeral: boolean;
  readonly version: string;
}): Promise<Registration> {
  const address = options.address.replace(/\/+$/, '');
  await createClient(PingService, transport(address)).ping({ data: options.name }, { timeoutMs: 10_000 });
  const { name, token, version, ephemeral } = options;
  const labels = [...options.labels];
  const { runner } = await createClient(RunnerService, transport(address)).register(
    { name, token, version, labels, ephemeral, capabilities: ['cancelling'] },
    { timeoutMs: 30_000 },
  );
  if (!runner) throw new Error('the server has registered nothing');
  return { address, id: String(runner.id), uuid: runner.uuid, token: runner.token, name, labels, ephemeral };
}

/** Does the server refuse this runner for good? */
export const isRefused = (error: unknown): boolean =>
  error instanceof ConnectError && (error.code === Code.Unauthenticated || error.code === Code.PermissionDenied);

const resultNames: Readonly<Record<number, Result>> = {
  [WireResult.SUCCESS]: 'success',
  [WireResult.FAILURE]: 'failure',
  [WireResult.CANCELLED]: 'cancelled',
  [WireResult.SKIPPED]: 'skipped',
};

const resultNumbers: Readonly<Record<Result, WireResult>> = {
  success: WireResult.SUCCESS,
  failure: WireResult.FAILURE,
  cancelled: WireResult.CANCELLED,
  skipped: WireResult.SKIPPED,
};

export const protocolResult = (result: Result | undefined): WireResult =>
  result === undefined ? WireResult.UNSPECIFIED : resultNumbers[result];

/** A task of the wire as the engine takes it. */
export function jobTask(task: Task): JobTask {
  const needs: Record<string, NeedResult> = {};
  for (const [id, need] of Object.entries(task.needs))
    needs[id] = { result: resultNames[need.result] ?? 'failure', outputs: need.outputs };
  return {
    payload: Buffer.from(task.workflowPayload ?? new Uint8Array()).toString('utf8'),
    context: (task.context ?? {}) as JsonObject as ValueMap,
    secrets: task.secrets,
    vars: task.vars,
    needs,
  };
}
