// Somebody sets up a webhook, sees that its receiver refused a delivery, mends the receiver and sends it again.
// Time: about 60 s
import { createServer } from 'node:http';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { Walk } from './walk.mjs';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM;

describe('webhooks in the browser', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let walk;
  let receiver;
  let address;
  /** What the receiver answers. */
  let status = 404;
  const settings = '/root/tool/settings/hooks';
  const rows = 'main li:has(> details)';

  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(status === 200 ? 'thanks' : 'out of order'));
    });
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${receiver.address().port}/in`;
    server = await startServer();
    await server.api('POST', '/user/repos', {
      body: { name: 'tool', auto_init: true, default_branch: 'main' },
      as: 'root:password',
    });
    browser = await launchChromium();
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    walk = new Walk(page, server.base);
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    receiver?.close();
  });
  afterEach(() => walk?.settle());

  /** The page again until the newest delivery shows this. */
  const newestShows = async (words) => {
    for (let tries = 0; tries < 200 && !(await walk.text(rows)).includes(words); tries++) {
      await walk.page.waitForTimeout(100);
      await walk.page.reload();
    }
    await walk.shows(words, rows);
  };

  it('issue 29: one is set up, and its failed delivery is sent again', async () => {
    await walk.open(settings);
    await walk.unfold('main summary:has-text("Add webhook")');
    await walk.follow('main .dropdown a:has-text("Mortise")');
    const list = walk.page.locator('#field-events-issues');
    expect(await list.isVisible()).to.be.false();
    await walk.page.check('[name=event_choice][value=chosen]');
    expect(await list.isVisible()).to.be.true();
    await walk.send('form:has([name=url])', { url: address, events: true, event_choice: 'push' });
    await walk.follow('main nav a:has-text("Deliveries")');
    await walk.shows('No deliveries yet.');
    await walk.follow('button:has-text("Send test delivery")');
    await newestShows('404');
    await walk.unfold(`${rows} summary`);
    await walk.page.locator(`${rows} h3:has-text("Response")`).waitFor();
    await walk.shows('out of order', rows);
    status = 200;
    await walk.follow(`${rows} button:has-text("Redeliver")`);
    await walk.shows('1 delivery was queued to be sent again.', '.site-flash');
    await newestShows('200');
    expect(await walk.count(rows)).to.equal(2);
    await walk.open(settings);
    expect(await walk.count('main li [aria-label="The last delivery succeeded"]')).to.equal(1);
  });

  it('issue 29: in German and without scripts', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      locale: 'de-DE',
      storageState: await walk.page.context().storageState(),
    });
    const plain = new Walk(await context.newPage(), server.base);
    await plain.open(settings);
    await plain.unfold('main summary:has-text("Webhook hinzufügen")');
    await plain.follow('main .dropdown a:has-text("Slack")');
    expect(await plain.page.locator('#field-events-issues').isVisible()).to.be.false();
    await plain.page.check('[name=event_choice][value=chosen]');
    await plain.page.check('#field-events-issues');
    await plain.send('form:has([name=url])', { url: address, setting_channel: '#dev' });
    expect(await plain.page.locator('#field-events-issues').isChecked()).to.be.true();
    await plain.follow('main nav a:has-text("Zustellungen")');
    await plain.follow('button:has-text("Testzustellung senden")');
    await plain.unfold(`${rows} summary`);
    await plain.follow(`${rows} a:has-text("Anfrage und Antwort anzeigen")`);
    await plain.shows('Anfrage');
    await plain.follow('button:has-text("Erneut")');
    await plain.shows('1 Zustellung wird erneut gesendet.', '.site-flash');
    plain.settle();
    await context.close();
  });
});
