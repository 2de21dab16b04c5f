import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface Operation {
  readonly operationId?: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly description?: string }[];
}

describe('documents of branches, files, rules and statuses', () => {
  let host: TestHost;
  const operations = new Map<string, Operation>();

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files', 'branch-protection', 'commit-status'] });
    const { paths } = (await host.inject('/swagger.v1.json')).json as {
      paths: Record<string, Record<string, Operation>>;
    };
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
      operations.set(operation.operationId ?? '', operation);
  });
  after(() => host.close());

  const answers = (id: string) => Object.keys(operations.get(id)?.responses ?? {});

  it('say that an archived repository is not changed', () => {
    for (const id of [
      'repoCreateBranchProtection',
      'repoEditBranchProtection',
      'repoUpdateBranchProtectionPriories',
      'repoCreateTagProtection',
      'repoEditTagProtection',
      'repoDeleteBranchProtection',
      'repoDeleteTagProtection',
      'repoCreateBranch',
      'repoUpdateBranch',
      'repoRenameBranch',
      'repoDeleteBranch',
      'repoCreateTag',
      'repoDeleteTag',
      'repoChangeFiles',
      'repoCreateFile',
      'repoUpdateFile',
      'repoDeleteFile',
      'repoApplyDiffPatch',
      'repoCreateStatus',
    ])
      expect(answers(id), id).to.include('423');
  });

  it('say what is refused as a bad request, as too large, and as in conflict', () => {
    for (const id of ['repoCompareDiff', 'GetTree', 'GetBlob', 'GetAnnotatedTag', 'repoGetContentsExt'])
      expect(answers(id), id).to.include('400');
    for (const id of ['repoGetArchive', 'repoGetFileContents', 'repoCreateTagProtection'])
      expect(answers(id), id).to.include('400');
    for (const id of ['repoGetContents', 'repoGetContentsList', 'repoChangeFiles', 'repoCreateFile'])
      expect(answers(id), id).to.include('413');
    for (const id of ['repoDeleteTag', 'repoDeleteBranch', 'repoRenameBranch', 'repoDeleteFile'])
      expect(answers(id), id).to.include(['409', '422']);
  });

  it('describe every value of the query of statuses', () => {
    for (const [id, names] of [
      ['repoListStatuses', ['sort', 'state', 'page', 'limit']],
      ['repoListStatusesByRef', ['sort', 'state', 'page', 'limit']],
      ['repoGetCombinedStatusByRef', ['page', 'limit']],
    ] as const) {
      const query = (operations.get(id)?.parameters ?? []).filter((parameter) => parameter.in === 'query');
      expect(
        query.map(({ name }) => name),
        id,
      ).to.equal([...names]);
      for (const { name, description } of query) expect(description, `${id} ${name}`).to.be.a.string();
    }
  });
});
