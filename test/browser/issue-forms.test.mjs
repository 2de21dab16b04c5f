// An issue by a form: its text areas are editors, and what is wrong is said at its field.
// Time: about 10 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf, overhangOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const who = 'root:password';
const form = `name: Bug
about: Something broke
body:
  - type: textarea
    id: what
    attributes: { label: What happened, description: As exactly as you can }
    validations: { required: true }
  - type: textarea
    id: more
    attributes: { label: Anything else }
  - type: dropdown
    id: where
    attributes: { label: Where, options: [Rim, Hub] }
    validations: { required: true }
`;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('issue 29: issue forms', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let complaints;
  const call = async (method, path, body) => {
    const answer = await server.api(method, path, { body, as: who });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  const address = () => `${server.base}/root/wheel/issues/new?template=.gitea%2Fissue_template%2Fbug.yaml`;
  before(async () => {
    server = await startServer();
    await call('POST', '/user/repos', { name: 'wheel', auto_init: true, default_branch: 'main' });
    const content = Buffer.from(form).toString('base64');
    await call('POST', '/repos/root/wheel/contents/.gitea/issue_template/bug.yaml', { content, branch: 'main' });
    browser = await launchChromium();
    page = await (await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US' })).newPage();
    complaints = complaintsOf(page);
    await signIn(page, server.base, who);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const paste = (label) =>
    page.getByLabel(label).evaluate(
      (area, bytes) => {
        const clipboardData = new globalThis.DataTransfer();
        const picture = new globalThis.File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' });
        clipboardData.items.add(picture);
        area.dispatchEvent(new globalThis.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      },
      [...pixel],
    );

  it('takes pictures, mentions and a preview in its text areas', async () => {
    await page.goto(address());
    await page.fill('[name=title]', 'The rim rusts');
    const what = page.getByLabel('What happened');
    await what.fill('Seen by ');
    await what.press('End');
    await what.pressSequentially('@ro');
    await page.getByRole('option', { name: /root/ }).first().waitFor();
    await what.press('Enter');
    await paste('What happened');
    await paste('Anything else');
    expect(await what.inputValue()).to.contain('![image.png](attachment:image.png)');
    // of two pictures with the same name each stays what it is
    expect(await page.getByLabel('Anything else').inputValue()).to.contain('attachment:image-2.png');
    await page.getByRole('button', { name: 'Preview' }).first().click();
    await page.locator('.markdown-editor-preview a', { hasText: '@root' }).waitFor();
    // what is missing is shown where it is missing, though the preview stands in its place
    await page.getByRole('button', { name: 'Write' }).first().click();
    const text = await what.inputValue();
    await what.fill('');
    await page.getByRole('button', { name: 'Preview' }).first().click();
    await page.locator('form.issue-layout button.btn-primary').click();
    await what.waitFor({ state: 'visible' });
    await what.fill(text);
    await page.getByLabel('Where').selectOption('Rim');
    await page.locator('form.issue-layout button.btn-primary').click();
    await page.waitForURL(/issues\/1$/);
    const shown = page.locator('#issue-text .markdown-body');
    await shown.locator('a', { hasText: '@root' }).waitFor();
    expect(await shown.locator('img').count()).to.equal(2);
    for (const picture of await shown.locator('img').all())
      await page.waitForFunction((one) => one.complete && one.naturalWidth === 1, await picture.elementHandle());
  });

  it('without a script, what is missing is said at its field, and the rest stays', async () => {
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
      viewport: { width: 390, height: 844 },
    });
    const still = await plain.newPage();
    await still.goto(address());
    await still.fill('[name=title]', 'The hub squeaks');
    await still.getByLabel('Anything else').fill('It is *loud*');
    // blanks alone are there for the browser, and nothing for the form
    await still.getByLabel('What happened').fill(' ');
    await still.getByLabel('Where').selectOption('Hub');
    await still.locator('form.issue-layout button.btn-primary').click();
    const what = still.getByLabel('What happened');
    expect(await what.getAttribute('aria-invalid')).to.equal('true');
    const [error] = (await what.getAttribute('aria-describedby')).split(' ');
    expect(await still.locator(`[id="${error}"]`).textContent()).to.contain('What happened is required.');
    expect(await still.getByLabel('Anything else').inputValue()).to.equal('It is *loud*');
    expect(await still.getByLabel('Where').inputValue()).to.equal('Hub');
    expect(await overhangOf(still)).to.be.undefined();
    await plain.close();
  });

  it('without a complaint of the browser', () => {
    expect(complaints).to.equal([]);
  });
});
