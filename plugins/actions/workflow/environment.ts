import type { Job } from './types.js';
import { isMap, limits, type Value, type ValueMap } from './values.js';

/**
 * Output by which a runner tells the address of what it deployed: only a runner knows what steps gave, and every runner
 * reports the outputs of a job.
 */
export const addressOutput = 'mortise_environment_url';

/** The name in `environment:`, which is a name or a mapping; undefined: there is none. */
export function environmentName(environment: Value | undefined): Value | undefined {
  const name = isMap(environment) ? environment.name : environment;
  return name === null || name === undefined || typeof name === 'object' ? undefined : name;
}

/** 1 to 255 characters without control characters, quotes, commas, semicolons and backslashes. */
export const isEnvironmentName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  name !== '' && name.length <= limits.nameLength && !/[\u0000-\u001f'"`,;\\]/.test(name);

/** The job as it is written, with the output {@link addressOutput} where its environment has an address. */
export function withAddressOutput({ environment, source }: Job): ValueMap {
  const url = isMap(environment) ? environment.url : undefined;
  if (typeof url !== 'string' || url === '') return source;
  const outputs = isMap(source.outputs) ? source.outputs : {};
  return { ...source, outputs: { ...outputs, [addressOutput]: url } };
}
