import { isMap, type Job } from '@mortise/actions/workflow';
import type { Session } from '../engine/session.js';
import { StepFailure, type Scope } from '../engine/types.js';
import { readContainer, type ContainerDefinition } from './container-definition.js';

/** Starts what `container` and `services` of a job name. Throws `StepFailure` where that cannot be. */
export async function startContainers(session: Session, job: Job, scope: Scope, signal: AbortSignal): Promise<void> {
  const { container, services } = job.source;
  const asked = Object.entries({ container, services }).find(([, value]) => value !== undefined && value !== null);
  if (!asked) return;
  const evaluation = session.evaluation(scope, scope.env);
  const { volumes } = session.host;
  const own = readContainer(container, '"container"', evaluation, volumes);
  const others = new Map<string, ContainerDefinition>();
  for (const [id, service] of Object.entries(isMap(services) ? services : {})) {
    if (!/^[a-z_][\w-]*$/i.test(id)) throw new StepFailure(`"${id}" is no name of a service`);
    const read = readContainer(service, `the service "${id}"`, evaluation, volumes);
    if (read) others.set(id, read);
  }
  if (!own && others.size === 0) return;
  const containers = await session.needContainers().catch((error: unknown) => {
    throw error instanceof StepFailure ? new StepFailure(`the job has "${asked[0]}", and ${error.message}`) : error;
  });
  session.log.write('::group::Containers');
  await containers.start(own, others, signal);
  session.log.write('::endgroup::');
}
