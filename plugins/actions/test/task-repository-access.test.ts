import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { database as databaseRef, type Database } from '@mortise/plugin-sdk';
import type { OwnedRepository } from '@mortise/repositories/api';
import { repositories as repositoriesRef } from '@mortise/repositories/api';
import { createRepository, startScene, type Scene } from '@mortise/repositories/testing';
import { tokenSettings } from '../contract/token-settings.js';
import { taskAccess } from '../services/tasks/task-access.js';
import { taskGrant } from '../services/tasks/task-identities.js';
import { permissionsOf } from '../services/tasks/task-permissions.js';
import { TaskRepositoryAccess } from '../services/tasks/task-repository-access.js';
import { TokenSettingsService } from '../services/tasks/token-settings.js';
import type { DeclaredPermissions } from '../workflow/index.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const open = { mode: 'permissive', ceiling: {} } as const;

describe('what jobs may', () => {
  let scene: Scene;
  let owned: readonly OwnedRepository[];
  before(async () => {
    scene = await startScene({ plugins: ['actions'] });
    const { host, ada, ben } = scene;
    const make = async (by: typeof ada, name: string) => ({
      repository: await createRepository(host, by.account, { name, isPrivate: true }),
      owner: by.account,
    });
    owned = [
      ...[await make(ada, 'mill'), await make(ada, 'tools'), await make(ada, 'safe')],
      ...[await make(ben, 'kit'), await make(ben, 'shed')],
    ];
    const settings = host.services.get(tokenSettings);
    const [, tools, , kit] = owned.map(({ repository }) => repository.id);
    await settings.setOwner(ada.account.id, { ...open, allowedRepositoryIds: [tools!] });
    const ceiling = { code: 'read', releases: 'none' } as const;
    const taking = {
      mode: 'permissive',
      ceiling,
      overridesOwner: true,
      collaborativeOwnerIds: [ada.account.id],
    } as const;
    await settings.setRepository(kit!, taking);
  });
  after(() => scene?.host.close());

  /** What a job of the first repository is given in all of them, and with how many queries for settings. */
  const given = async (isForkPull: boolean, among = owned) => {
    let queries = 0;
    const real = scene.host.services.get(databaseRef);
    const counting = { query: (model: never) => (queries++, real.query(model)) } as unknown as Database;
    const settings = new TokenSettingsService(counting);
    const source = taskAccess({
      identities: { permissionInput: async () => ({ declared: null, settings: open, isFork: isForkPull }) },
      repositoryAccess: new TaskRepositoryAccess(scene.host.services.get(repositoriesRef), settings),
      settings,
    });
    const { repository } = owned[0]!;
    const grants = taskGrant.make({ taskId: 1, repositoryId: repository.id, ownerId: repository.ownerId, isForkPull });
    const grantee = { kind: 'task', id: 1, isRestricted: false, credentialId: 1, grants } as const;
    const found = await source.grants(grantee, among);
    const names = new Map(owned.map((one) => [one.repository.id, one.repository.name]));
    return { queries, units: Object.fromEntries([...found].map(([id, { units }]) => [names.get(id), units])) };
  };

  it('ACT-72: writes in its own repository, reads in those that are opened to it, within what each allows', async () => {
    const { units } = await given(false);
    expect(Object.keys(units).sort()).to.equal(['kit', 'mill', 'tools']);
    expect(units.mill).to.include({ code: 'write', pulls: 'write', actions: 'write' });
    expect(units.tools).to.equal({ code: 'read', releases: 'read' });
    expect(units.kit).to.equal({ code: 'read' });
  });

  it('ACT-72: of a pull request from elsewhere reads alone, and in its own repository alone', async () => {
    const { units } = await given(true);
    expect(units).to.equal({ mill: { code: 'read', releases: 'read' } });
  });

  it('is found out with as many queries for many repositories as for a few', async () => {
    const many = Array.from({ length: 20 }, () => owned).flat();
    expect((await given(false, many)).queries).to.equal((await given(false)).queries);
  });

  it('is as much as the least of what is declared, set and allowed', () => {
    const declared = (code: 'read' | 'write'): DeclaredPermissions => ({
      idToken: false,
      units: {
        ...({ code, releases: 'none', issues: 'write', 'pull-requests': 'write' } as const),
        ...({ packages: 'write', actions: 'none', wiki: 'none', projects: 'none' } as const),
      },
    });
    const of = (facts: Partial<Parameters<typeof permissionsOf>[0]>, target?: Parameters<typeof permissionsOf>[1]) => {
      const table = permissionsOf({ declared: null, settings: open, isFork: false, ...facts }, target);
      return [table.code, table.pulls, table.packages].join(' ');
    };
    expect(of({})).to.equal('write write write');
    expect(of({ settings: { mode: 'restricted', ceiling: {} } })).to.equal('read none read');
    expect(of({ declared: declared('read') })).to.equal('read write write');
    expect(of({ settings: { mode: 'permissive', ceiling: { pulls: 'read' } } })).to.equal('write read write');
    expect(of({ declared: declared('write'), isFork: true })).to.equal('read none read');
    expect(of({}, open)).to.equal('read none read');
    expect(of({}, { mode: 'permissive', ceiling: { packages: 'none' } })).to.equal('read none none');
  });
});
