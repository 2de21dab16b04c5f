import { Problem, type Actor } from '@mortise/plugin-sdk';
import type { Repository, RepositoryAccess } from '@mortise/repositories/api';

/** May the actor read the code of a repository that another one is related to? */
export const mayRead = (access: RepositoryAccess, actor: Actor, { ownerName, name }: Repository): Promise<boolean> =>
  access.open({ actor, owner: ownerName, name, unit: 'code' }).then(
    () => true,
    (error: unknown) => {
      if (Problem.is(error)) return false;
      throw error;
    },
  );
