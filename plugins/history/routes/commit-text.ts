import { NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import { started } from '../contract/corrupt-object.js';
import { readCode } from '../contract/routes.js';

/** `.diff` and `.patch` of one commit, as the page of the commit links them; programs sign in here too. */
export function commitPatchRoutes({ git: reader }: { readonly git: GitReader }): Route[] {
  return (['diff', 'patch'] as const).map((format) =>
    defineRoute({
      method: 'GET',
      path: `/{owner}/{repo}/commit/{sha}.${format}`,
      surface: 'protocol',
      access: { ...readCode, expensive: true },
      async handler({ resource, params }) {
        const git = reader.open(resource.repository.id);
        const oid = /^[0-9a-f]{4,64}$/.test(params.sha) ? await git.expand(params.sha) : undefined;
        if (!oid || (await git.info(oid))?.type !== 'commit') throw NotFound('commit');
        return reply
          .bytes(
            await started(git.patch((await git.commit(oid)).parents[0], oid, { format, binary: format === 'patch' })),
            'text/plain; charset=utf-8',
          )
          .header('x-content-type-options', 'nosniff');
      },
    }),
  );
}
