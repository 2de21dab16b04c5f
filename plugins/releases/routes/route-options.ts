import { Joi } from '@mortise/plugin-sdk';
import { repositoryResource } from '@mortise/repositories/api';

export const base = '/api/v1/repos/{owner}/{repo}/releases';
export const tags = ['repository'];
export const readReleases = {
  actor: 'anyone',
  scope: 'repository',
  resource: repositoryResource,
  unit: 'releases',
} as const;
/** The resource asks to sign in where that could help, so that a private repository shows nothing to nobody. */
export const writeReleases = { ...readReleases, mode: 'write' } as const;
export const number = Joi.number().integer().positive().required();
export const byId = Joi.object<{ readonly id: number }>({ id: number });
