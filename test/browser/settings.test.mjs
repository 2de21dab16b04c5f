// Settings that are found by their names, usernames that are offered, and avatars that are cropped before they are sent.
// Time: about 35 s
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { launchChromium, signIn } from './chromium.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const colours = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];

/** A PNG file of three fields beside each other: red, green, blue. */
function stripes(side) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side * 3, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.from([0, ...colours.flatMap((colour) => Array(side).fill(colour).flat())]);
  const pixels = Buffer.concat(Array(side).fill(row));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('settings', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let picture;
  const path = () => page.url().slice(server.base.length);

  before(async () => {
    server = await startServer();
    await server.api('POST', '/admin/users', {
      body: { username: 'grace', email: 'grace@example.com', password: 'Tr1cky-passw0rd!', full_name: 'Grace Hopper' },
      as: 'root:password',
    });
    await server.api('POST', '/user/repos', { body: { name: 'wheel', auto_init: true }, as: 'root:password' });
    picture = join(server.folder, 'stripes.png');
    writeFileSync(picture, stripes(60));
    browser = await launchChromium();
    page = await browser.newPage();
    await signIn(page, server.base, 'root:password');
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('are all where the search says they are, without scripts too', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await signIn(plain, server.base, 'root:password');
    for (const area of ['/user/settings', '/-/admin', '/root/wheel/settings']) {
      await plain.goto(server.base + area);
      await plain.press('.menu-search input', 'Enter');
      const found = await plain.$$eval('main .Box a', (links) => links.map((link) => [link.href, link.innerText]));
      expect(found.length, area).to.be.above(8);
      for (const [href, label] of found) {
        const { hash } = new URL(href);
        const answer = await plain.goto(href.slice(0, href.length - hash.length));
        expect(answer.status(), href).to.equal(200);
        const text = await plain.textContent('main');
        expect(text.includes(label) || (await plain.getByLabel(label).count()) > 0, `${href}: ${label}`).to.be.true();
        if (hash) expect(await plain.locator(hash).count(), href).to.equal(1);
      }
    }
    await context.close();
  });

  it('are found by words of their names, of their choices and of their pages, in two languages', async () => {
    const search = async (words, area = '/user/settings') => {
      await page.goto(server.base + area);
      await page.fill('.menu-search input', words);
      await page.press('.menu-search input', 'Enter');
      await page.waitForURL(/search\?q=/);
      return page.$$eval('main .Box-row a', (links) => links.map((link) => link.innerText));
    };
    expect(await search('dark')).to.equal(['Theme']);
    expect(await search('DIFF view')).to.have.length(1);
    expect(await search('ssh')).to.include('Add SSH key');
    expect(await search('default branch', '/root/wheel/settings')).to.equal(['Default branch']);
    expect(await search('wiki', '/root/wheel/settings')).to.equal(['Wiki']);
    expect(await search('nothing of the kind')).to.equal([]);
    expect(await page.textContent('main')).to.contain('No matching settings');
    await search('theme');
    await page.click('main .Box-row a');
    expect(path()).to.equal('/user/settings/appearance#field-theme');
    await page.selectOption('#field-language', 'de-DE');
    await page.click('main form:has(#field-language) button');
    expect(await search('dunkel')).to.have.length(1);
    expect(await search('dark')).to.have.length(1);
    await page.goto(`${server.base}/user/settings/appearance`);
    await page.selectOption('#field-language', '');
    await page.click('main form:has(#field-language) button');
  });

  it('offer usernames while one is typed, alone or behind others', async () => {
    const offered = async (address, field, typed) => {
      await page.goto(server.base + address);
      await page.locator(field).pressSequentially(typed);
      const choices = page.locator(`${field} + datalist option`);
      await choices.first().waitFor({ state: 'attached' });
      return choices.evaluateAll((options) => options.map(({ value, label }) => [value, label]));
    };
    expect(await offered('/root/wheel/settings/collaboration', '#field-collaborator', 'gra')).to.equal([
      ['grace', 'Grace Hopper'],
    ]);
    expect(await offered('/root/wheel/settings/tags', '#field-whitelist_usernames', 'root,gra')).to.equal([
      ['root, grace', 'Grace Hopper'],
    ]);
    expect(await offered('/user/settings/blocked', '#field-name', 'roo')).to.equal([['root', 'root']]);
  });

  /** Size and colour of the middle of the avatar of root. */
  const avatar = async () => {
    const { json } = await server.api('GET', '/users/root');
    await page.goto(server.base);
    return page.evaluate(async (address) => {
      const bitmap = await globalThis.createImageBitmap(await (await fetch(address)).blob());
      const canvas = new globalThis.OffscreenCanvas(1, 1).getContext('2d');
      canvas.drawImage(bitmap, bitmap.width / 2, bitmap.height / 2, 1, 1, 0, 0, 1, 1);
      return [bitmap.width, bitmap.height, [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)];
    }, json.avatar_url);
  };

  it('crop an avatar to the square that is chosen', async () => {
    await page.goto(`${server.base}/user/settings`);
    await page.setInputFiles('#field-avatar', picture);
    await page.waitForSelector('.avatar-crop canvas');
    const upload = async () => {
      await Promise.all([page.waitForURL(/saved/), page.click('form:has(#field-avatar) button')]);
    };
    await upload();
    expect(await avatar()).to.equal([60, 60, colours[1]]);
    await page.goto(`${server.base}/user/settings`);
    await page.setInputFiles('#field-avatar', picture);
    await page.focus('.avatar-crop canvas');
    for (let times = 0; times < 25; times++) await page.keyboard.press('ArrowRight');
    await page.locator('.avatar-crop input[type=range]').fill('2');
    await upload();
    expect(await avatar()).to.equal([30, 30, colours[2]]);
    await page.goto(`${server.base}/user/settings`);
    await page.setInputFiles('#field-avatar', picture);
    const canvas = page.locator('.avatar-crop canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 20, box.y + 120);
    await page.mouse.down();
    await page.mouse.move(box.x + 230, box.y + 120, { steps: 5 });
    await page.mouse.move(box.x + 440, box.y + 120, { steps: 5 });
    await page.mouse.up();
    await upload();
    expect(await avatar()).to.equal([60, 60, colours[0]]);
    await page.goto(`${server.base}/root/wheel/settings`);
    await page.setInputFiles('#field-avatar', picture);
    await page.waitForSelector('.avatar-crop canvas');
    await upload();
  });

  it('take an avatar as it is without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await signIn(plain, server.base, 'root:password');
    await plain.goto(`${server.base}/user/settings`);
    await plain.setInputFiles('#field-avatar', picture);
    await Promise.all([plain.waitForURL(/saved/), plain.click('form:has(#field-avatar) button')]);
    expect(await avatar()).to.equal([180, 60, colours[1]]);
    await context.close();
  });
});
