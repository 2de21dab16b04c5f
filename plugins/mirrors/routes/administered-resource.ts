import { defineResource, Forbidden, Problem, type ResourceResolver } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** A repository for those who administer it; visitors are refused as others are, and not asked to sign in. */
export const administeredResource = defineResource<RepositoryContext>('mirrors.administered');

export const administeredResolver = (
  resolver: ResourceResolver<RepositoryContext>,
): ResourceResolver<RepositoryContext> => ({
  key: administeredResource.id,
  async resolve(request) {
    try {
      return await resolver.resolve(request);
    } catch (error) {
      if (Problem.is(error) && error.code === 'unauthorized') throw Forbidden(t.later('error.administrators'));
      throw error;
    }
  },
});
