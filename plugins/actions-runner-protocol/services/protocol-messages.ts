import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import { timestampMs, type Timestamp } from '@bufbuild/protobuf/wkt';
import type { Runner as KnownRunner, ResultNumber, StepReport, TaskPayload, TaskReport } from '@mortise/actions/api';
import {
  RunnerStatus,
  type RunnerSchema,
  type StepState,
  type TaskSchema,
  type UpdateTaskRequest,
} from '../schema/index.js';

const statuses = {
  idle: RunnerStatus.IDLE,
  active: RunnerStatus.ACTIVE,
  offline: RunnerStatus.OFFLINE,
} as const;

/** A runner as the protocol shows it; its secret in the answer to its registration alone. */
export const runnerMessage = (runner: KnownRunner, secret = ''): MessageInitShape<typeof RunnerSchema> => ({
  id: BigInt(runner.id),
  uuid: runner.uuid,
  token: secret,
  name: runner.name,
  status: statuses[runner.status],
  version: runner.version,
  labels: [...runner.labels],
  ephemeral: runner.isEphemeral,
});

export const taskMessage = (task: TaskPayload): MessageInitShape<typeof TaskSchema> => ({
  id: BigInt(task.id),
  workflowPayload: Buffer.from(task.workflow),
  context: task.context as JsonObject,
  secrets: { ...task.secrets },
  vars: { ...task.vars },
  needs: Object.fromEntries(
    Object.entries(task.needs).map(([key, { result, outputs }]) => [key, { result, outputs: { ...outputs } }]),
  ),
});

/** Milliseconds since 1970 UTC; 0 for none, and for times that no calendar holds. */
function timeOf(time: Timestamp | undefined): number {
  const at = time ? timestampMs(time) : 0;
  return Number.isSafeInteger(at) && at > 0 ? at : 0;
}

/** What is no result says that there is none yet. */
const resultOf = (result: number): ResultNumber =>
  Number.isInteger(result) && result >= 0 && result <= 4 ? (result as ResultNumber) : 0;

/** Ids and line numbers; -1 for what cannot be one. */
export const numberOf = (value: bigint): number =>
  value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : -1;

const stepOf = (step: StepState): StepReport => ({
  id: numberOf(step.id),
  result: resultOf(step.result),
  startedAt: timeOf(step.startedAt),
  stoppedAt: timeOf(step.stoppedAt),
  logIndex: Math.max(0, numberOf(step.logIndex)),
  logLength: Math.max(0, numberOf(step.logLength)),
});

export const reportOf = ({ state, outputs }: UpdateTaskRequest): TaskReport => ({
  taskId: numberOf(state?.id ?? -1n),
  result: resultOf(state?.result ?? 0),
  startedAt: timeOf(state?.startedAt),
  stoppedAt: timeOf(state?.stoppedAt),
  steps: (state?.steps ?? []).map(stepOf),
  outputs,
});
