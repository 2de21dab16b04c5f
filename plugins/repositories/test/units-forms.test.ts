import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { repositoryUnits } from '../api.js';
import { send, startScene } from '../testing.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('units of a new repository', () => {
  it('REP-02: Actions, packages and releases are switched when a repository is created', async () => {
    const { host, ada } = await startScene({ plugins: ['actions', 'packages', 'releases'] });
    const fields = ['has_actions', 'has_packages', 'has_releases'];
    for (const isOn of [false, true]) {
      const [name, switches] = [`switched-${isOn}`, Object.fromEntries(fields.map((field) => [field, isOn]))];
      const made = await send(ada, 'POST', '/user/repos', { name, ...switches });
      expect(made.statusCode).to.equal(201);
      for (const record of [made, await send(ada, 'GET', `/repos/ada/${name}`)])
        expect(record.json).to.include(switches);
      expect((await send(ada, 'GET', `/repos/ada/${name}/releases`)).statusCode).to.equal(isOn ? 200 : 403);
    }
    await host.close();
  });
});

describe('options of what is not there', () => {
  const tickets = definePlugin({
    name: 'test-tickets',
    version: '1.0.0',
    sdk: '*',
    requires: { repositories: '^1.0.0' },
    register(host) {
      const label = () => 'Tickets';
      host.contribute(repositoryUnits, {
        key: 'issues',
        label,
        order: 20,
        field: 'has_issues',
        labelSets: ['Default'],
      });
    },
  });

  it('are hidden: sets of labels and issues without a plugin for issues', async () => {
    const { host, ada } = await startScene({ plugins: ['repositories'] });
    const create = (await ada.inject('/repo/create')).payload;
    expect(create).not.to.include('issue_labels');
    expect(create).not.to.include('has_issues');
    for (const field of ['has_pull_requests', 'has_projects', 'has_actions', 'has_wiki', 'has_packages'])
      expect(create).not.to.include(field);
    // what a form does not offer keeps its default
    await submitForm(ada, '/repo/create', { repo_name: 'adze', units: 'given', has_code: 'on' });
    expect((await send(ada, 'GET', '/repos/ada/adze')).json).to.include({ has_code: true, has_issues: false });
    expect((await ada.inject('/ada/adze/settings')).payload).not.to.include('has_issues');
    await host.close();
  });

  it('are there with one, which takes the unit over', async () => {
    const { host, ada } = await startScene({ plugins: ['repositories', tickets] });
    const create = (await ada.inject('/repo/create')).payload;
    expect(create).to.include(['issue_labels', 'Tickets']);
    await submitForm(ada, '/repo/create', { repo_name: 'adze', units: 'given', has_code: 'on' });
    expect((await send(ada, 'GET', '/repos/ada/adze')).json).to.include({ has_issues: false });
    expect((await ada.inject('/ada/adze/settings')).payload).not.to.include('external_tracker_url');
    await host.close();
  });
});
