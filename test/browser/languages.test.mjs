// Each page in each language at 390 pixels: it says its language, nothing throws, and no word makes it scroll sideways.
//   MORTISE_TEST_FULL=1   every page in every language instead of every other page in one of them
// Time: about 40 s
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf, overhangOf, settled } from './page-checks.mjs';
import {
  accountPages,
  adminPages,
  keeperPages,
  organizationPages,
  repositoryPages,
  runPages,
  sitePages,
} from './pages.mjs';
import { seed } from './seed.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const languages = ['de-DE', 'es-ES', 'fr-FR', 'it-IT', 'ja-JP', 'pt-BR', 'ru-RU', 'zh-CN'];
const narrow = { width: 390, height: 844 };
const isFull = Boolean(process.env.MORTISE_TEST_FULL);

describe('issue 29: pages in each language on a phone', { timeout: 1_800_000 }, () => {
  let server;
  let browser;
  let pages;

  before(async () => {
    server = await startServer({ settings: { MORTISE__quota__ENABLED: 'true' } });
    const facts = await seed(server);
    pages = [
      ...sitePages('root'),
      ...accountPages(),
      ...organizationPages(),
      ...adminPages(),
      ...repositoryPages('/root/wheel', facts),
      ...keeperPages('/root/wheel', facts),
      ...runPages(facts),
      '/root/empty',
    ];
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  for (const [at, language] of languages.entries())
    it(`${language}: pages say it, and fit`, async () => {
      const context = await browser.newContext({ viewport: narrow, locale: language, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await signIn(page, server.base, 'root:password');
      const complaints = complaintsOf(page);
      const faults = [];
      const own = pages.filter((_, index) => isFull || index % (2 * languages.length) === at);
      expect(own.length).to.be.above(7);
      for (const path of own) {
        await settled(page, () => page.goto(server.base + path));
        const spoken = await settled(page, () => page.evaluate(() => document.documentElement.lang));
        if (spoken !== language) faults.push(`${path}: in ${spoken}`);
        const overhang = await overhangOf(page);
        if (overhang) faults.push(`${path}: ${overhang}`);
      }
      await context.close();
      expect([...faults, ...complaints]).to.equal([]);
    });
});
