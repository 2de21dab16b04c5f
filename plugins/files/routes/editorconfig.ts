import { Joi, NotFound, defineRoute, type Route } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import { definitionFor } from '../services/editorconfig.js';
import {
  cleanPath,
  readCode,
  refOption,
  repositoryApi as base,
  repositoryTags as tags,
  revisionOf,
} from '@mortise/history/api';

const word = () => Joi.string().allow('');
const definition = Joi.object({
  charset: word(),
  indent_style: word(),
  indent_size: word(),
  tab_width: Joi.number().integer(),
  end_of_line: word(),
  trim_trailing_whitespace: Joi.boolean(),
  insert_final_newline: Joi.boolean(),
}).label('EditorConfigDefinition');

/** How a file is to be written, by the `.editorconfig` at the root of a branch. */
export function editorConfigRoutes({ git: reader }: { readonly git: GitReader }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${base}/editorconfig/{filepath*}`,
      id: 'repoGetEditorConfig',
      tags,
      summary: 'The rules of .editorconfig for a path',
      access: readCode,
      request: { query: Joi.object<{ readonly ref?: string }>({ ref: refOption() }) },
      responses: { 200: definition },
      async handler({ resource: { repository }, params, query }) {
        const git = reader.open(repository.id);
        const { commit } = await revisionOf(git, repository, query.ref);
        const file = await git.entry(commit, '.editorconfig');
        if (file?.type !== 'blob' || ((await git.info(file.oid))?.size ?? Infinity) > 1 << 18)
          throw NotFound('The repository has no .editorconfig.');
        return definitionFor((await git.blob(file.oid)).toString('utf8'), cleanPath(params.filepath)) ?? {};
      },
    }),
  ];
}
