// The editor of Markdown: toolbar, keys, lists, pasting, drafts, the same on issues, releases and the wiki; a plain field
// without scripts; saved replies.
// Time: about 15 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf, overhangOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';
const who = 'root:password';

describe('issue 29: the editor of Markdown', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let complaints;
  const call = async (method, path, body) => {
    const answer = await server.api(method, path, { body, as: who });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  before(async () => {
    server = await startServer();
    await call('POST', '/user/repos', { name: 'wheel', auto_init: true });
    await call('POST', '/repos/root/wheel/issues', { title: 'Rim of steel' });
    browser = await launchChromium();
    page = await (await browser.newContext({ reducedMotion: 'reduce', locale: 'en-US' })).newPage();
    complaints = complaintsOf(page);
    await signIn(page, server.base, who);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const area = () => page.locator('#comment-body');
  const text = () => area().inputValue();
  const open = async () => {
    await page.goto(`${server.base}/root/wheel/issues/1`);
    await page.locator('#comment-form markdown-toolbar').waitFor();
  };
  const write = async (value) => {
    await area().fill(value);
    await area().press('End');
  };

  it('formats what is selected by buttons and by keys', async () => {
    await open();
    await write('steel');
    await area().press('Control+a');
    await page.getByRole('button', { name: 'Bold (Ctrl+B)' }).click();
    expect(await text()).to.equal('**steel**');
    await write('steel');
    for (const [keys, expected] of [
      ['Control+i', '_steel_'],
      ['Control+e', '`steel`'],
      ['Control+k', '[steel](url)'],
    ]) {
      await write('steel');
      await area().press('Control+a');
      await area().press(keys);
      expect(await text(), keys).to.equal(expected);
    }
    await write('');
    await page.getByRole('button', { name: 'Table' }).click();
    expect(await text()).to.contain('| - | - |');
    // the toolbar is one stop of the Tab key; arrows move within it
    await page.getByRole('button', { name: 'Heading' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement.title)).to.equal('Bold (Ctrl+B)');
  });

  it('goes on with lists, and moves their lines by Tab', async () => {
    await open();
    await write('- [x] hub');
    await area().press('Enter');
    await area().pressSequentially('rim');
    await area().press('Tab');
    await area().press('Enter');
    await area().press('Enter');
    expect(await text()).to.equal('- [x] hub\n  - [ ] rim\n');
    await write('9. spokes');
    await area().press('Enter');
    expect(await text()).to.equal('9. spokes\n10. ');
    // elsewhere the key leaves the field
    await write('plain');
    await area().press('Tab');
    expect(await page.evaluate(() => document.activeElement.id)).to.not.equal('comment-body');
  });

  it('makes links and tables of what is pasted', async () => {
    await open();
    const paste = (types) =>
      area().evaluate((element, data) => {
        const clipboardData = new globalThis.DataTransfer();
        for (const [type, value] of Object.entries(data)) clipboardData.setData(type, value);
        const event = new globalThis.ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        element.dispatchEvent(event);
      }, types);
    await write('the rim');
    await area().press('Control+a');
    await paste({ 'text/plain': 'https://wheels.example/rim' });
    expect(await text()).to.equal('[the rim](https://wheels.example/rim)');
    await write('');
    await paste({
      'text/html': '<meta charset="utf-8"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>',
      'text/plain': 'a\tb\n1\t2',
    });
    expect(await text()).to.match(/a \| b[^]*1 \| 2/);
  });

  it('keeps a draft until it is sent, for this account alone', async () => {
    await open();
    await write('A rim of steel rusts');
    await page.waitForTimeout(700);
    await open();
    expect(await text()).to.equal('A rim of steel rusts');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    expect(await text()).to.equal('');
    await open();
    expect(await text()).to.equal('');
    await write('It was sent');
    await page.waitForTimeout(700);
    await Promise.all([page.waitForLoadState('load'), area().press('Control+Enter')]);
    await page.getByText('It was sent').first().waitFor();
    await open();
    expect(await text()).to.equal('');
    await page.evaluate(() =>
      globalThis.localStorage.setItem(
        'mortise.draft:999:/root/wheel/issues/1#comment-body',
        '{"text":"of another","at":9e15}',
      ),
    );
    await open();
    expect(await text()).to.equal('');
  });

  it('puts in saved replies, from a menu that comes when somebody writes', async () => {
    await page.goto(`${server.base}/user/settings/replies`);
    await page.fill('#field-title', 'Thanks');
    await page.fill('#field-text', 'Thank you for the *report*.');
    await page.getByRole('button', { name: 'Add saved reply' }).click();
    await page.getByText('Thank you for the *report*.').waitFor();
    await open();
    await write('Hello. ');
    await page.locator('#comment-form summary[aria-label="Saved replies"]').click();
    await page.getByRole('button', { name: 'Thanks', exact: true }).click();
    expect(await text()).to.equal('Hello. Thank you for the *report*.');
    expect(await area().evaluate((element) => element === document.activeElement)).to.be.true();
    await write('');
  });

  it('is the same on releases and in the wiki, fits a phone, and is a field without scripts', async () => {
    for (const [path, label] of [
      ['/root/wheel/releases/new', '#note'],
      ['/root/wheel/wiki/_new', '#wiki-text'],
    ]) {
      await page.goto(server.base + path);
      await page.locator(label).fill('steel');
      await page.locator(label).press('Control+a');
      await page.getByRole('button', { name: 'Bold (Ctrl+B)' }).click();
      expect(await page.locator(label).inputValue(), path).to.equal('**steel**');
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    expect(await overhangOf(page)).to.be.undefined();
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    });
    const still = await plain.newPage();
    await still.goto(`${server.base}/root/wheel/issues/1`);
    await still.fill('#comment-body', 'Without a script');
    await still.click('#comment-form button.btn-primary');
    await still.getByText('Without a script').waitFor();
    await still.goto(`${server.base}/root/wheel/releases/new`);
    expect(await still.locator('button[value=preview]').count()).to.equal(1);
    await plain.close();
  });

  it('without a complaint of the browser', () => {
    expect(complaints).to.equal([]);
  });
});
