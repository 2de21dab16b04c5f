import { Code, ConnectError, createContextKey, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { Problem, type Logger } from '@mortise/plugin-sdk';
import type { Runner, RunnerService as ActionsRunnerService, TaskLogs } from '@mortise/actions/api';
import { PingService, RunnerService } from '../schema/index.js';
import { numberOf, reportOf, runnerMessage, taskMessage } from './protocol-messages.js';

export interface CallDeps {
  readonly runnerService: ActionsRunnerService;
  readonly taskLogs: Pick<TaskLogs, 'append'>;
  readonly log: Logger;
}

/** Called with the task of an answer, to release it if the answer is not delivered. */
export const deliveryKey = createContextKey<((taskId: number) => void) | undefined>(undefined);

const codes: Partial<Record<Problem['code'], Code>> = {
  bad_request: Code.InvalidArgument,
  invalid: Code.InvalidArgument,
  unauthorized: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  not_found: Code.NotFound,
  conflict: Code.AlreadyExists,
  too_large: Code.ResourceExhausted,
  too_many: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
};

/** Refusals in the words of the protocol; of faults it is not told what they are. */
async function withConnectErrors<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    if (Problem.is(error)) throw new ConnectError(error.message, codes[error.code] ?? Code.Internal);
    log.error('request of a runner failed', { event: 'actions.runner.request', error: (error as Error).stack });
    throw new ConnectError('internal error', Code.Internal);
  }
}

/** The calls of the protocol. */
export function runnerCalls({ runnerService, taskLogs, log }: CallDeps): (router: ConnectRouter) => void {
  const runnerOf = ({ requestHeader }: HandlerContext): Promise<Runner> =>
    runnerService.authenticate(requestHeader.get('x-runner-uuid') ?? '', requestHeader.get('x-runner-token') ?? '');
  return (router) => {
    router.service(PingService, { ping: ({ data }) => ({ data: `Hello, ${data}!` }) });
    router.service(RunnerService, {
      register: (request) =>
        withConnectErrors(log, async () => {
          const { runner, secret } = await runnerService.register({
            name: request.name,
            token: request.token,
            version: request.version,
            labels: request.labels.length ? request.labels : [...request.agentLabels, ...request.customLabels],
            isEphemeral: request.ephemeral,
            capabilities: request.capabilities,
          });
          return { runner: runnerMessage(runner, secret) };
        }),
      declare: ({ version, labels, capabilities }, context) =>
        withConnectErrors(log, async () => {
          const runner = await runnerService.declare(await runnerOf(context), { version, labels, capabilities });
          context.responseHeader.set('x-gitea-actions-capabilities', 'job-summary');
          return { runner: runnerMessage(runner) };
        }),
      fetchTask: ({ tasksVersion }, context) =>
        withConnectErrors(log, async () => {
          const runner = await runnerOf(context);
          const { task, version } = await runnerService.fetch(runner, tasksVersion, context.signal);
          if (task) context.values.get(deliveryKey)?.(task.id);
          return { tasksVersion: version, ...(task && { task: taskMessage(task) }) };
        }),
      updateTask: (request, context) =>
        withConnectErrors(log, async () => {
          const report = reportOf(request);
          const { result, sentOutputs } = await runnerService.report(await runnerOf(context), report);
          return { state: { id: BigInt(report.taskId), result }, sentOutputs: [...sentOutputs] };
        }),
      updateLog: ({ taskId, index, rows, noMore }, context) =>
        withConnectErrors(log, async () => {
          const id = numberOf(taskId);
          await runnerService.checkTask(await runnerOf(context), id);
          return { ackIndex: BigInt(await taskLogs.append(id, rows, { index: numberOf(index), noMore })) };
        }),
    });
  };
}
