import { Joi } from '@mortise/plugin-sdk';
import { pullResource } from '@mortise/pulls/api';
import { repositoryApi, repositoryResource } from '@mortise/repositories/api';

export const pullsPath = `${repositoryApi}/pulls` as const;
export const pullPath = `${pullsPath}/{index}` as const;
export const tags = ['repository'];

export const readPull = { actor: 'anyone', scope: 'repository', resource: pullResource } as const;
export const usePull = { ...readPull, actor: 'user' } as const;
/** For what is named by its id alone. */
export const usePulls = { actor: 'user', scope: 'repository', resource: repositoryResource, unit: 'pulls' } as const;

const id = Joi.number().integer().positive().max(Number.MAX_SAFE_INTEGER).required();
export const byId = Joi.object<{ readonly id: number }>({ id });
