import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { languages } from '@mortise/plugin-sdk';
import { actionsUser } from '@mortise/accounts/api';
import { commitStatuses, describeStatus } from '@mortise/commit-status/api';
import { statusNumbers } from '../api.js';
import type { StatusNumber } from '../contract/states.js';
import { JobRow } from '../models/job.js';
import { jobStates } from '../contract/runs.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('States of jobs on pages of commits', () => {
  let mill: Mill;
  let sha: string;
  before(async () => {
    mill = await Mill.start();
    sha = await mill.push({ '.gitea/workflows/on-push.yml': workflowText('push', { one: '' }) });
  });
  after(() => mill.host.close());

  const said = async (language: string): Promise<string> => {
    const { services } = mill.host;
    const repository = (await mill.host.database.query(JobRow).first())!.repository_id;
    const [status] = (await services.get(commitStatuses).latest(repository, [sha])).get(sha)!;
    return services.get(languages).in(language, () => describeStatus(status!));
  };

  for (const [name, german, chinese] of [
    ['waiting', 'Wartet auf einen Runner', '等待运行'],
    ['running', 'Läuft', '正在运行'],
    ['cancelling', 'Wird abgebrochen', '正在取消'],
    ['success', 'Erfolgreich nach 1h2m3s', '成功，用时 1h2m3s'],
    ['failure', 'Fehlgeschlagen nach 1h2m3s', '失败，用时 1h2m3s'],
    ['cancelled', 'Abgebrochen nach 1h2m3s', '已取消，用时 1h2m3s'],
    ['skipped', 'Übersprungen', '已跳过'],
  ] as const)
    it(`W: "${name}" is said in the language of the visitor, and in English in the API`, async () => {
      const { database, services } = mill.host;
      const status: StatusNumber = statusNumbers[name];
      const [job] = await database.query(JobRow);
      await database.write(async () => {
        await database.query(JobRow).findById(job!.id).patch({ status, started_at: 1000, stopped_at: 3_724_000 });
        await services.get(jobStates).jobChanged([job!.id]);
      });
      const [english] = Object.values(await mill.statuses(sha));
      expect(await said('de-DE')).to.equal(german);
      expect(await said('zh-CN')).to.equal(chinese);
      expect(english).to.include(await said('en-US').then((text) => text.replace(/\d+s\b/, '<time>')));
      const page = await mill.ada.inject({
        url: '/ada/mill/commits/branch/main',
        headers: { 'accept-language': 'de-DE' },
      });
      expect(page.payload).to.include(german);
    });

  it('W: what others say of a commit is shown as they said it', () => {
    const description = 'Blocked by required conditions';
    const shown = (creatorId: number) =>
      mill.host.services.get(languages).in('de-DE', () => describeStatus({ creatorId, description }));
    expect(shown(actionsUser.id)).to.equal('Wartet auf nötige Bedingungen');
    expect(shown(1)).to.equal(description);
  });
});
