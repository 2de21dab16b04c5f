// One person at one browser window: opens pages, follows links, sends forms; every page on the way is looked over.
import { expect } from '@hapi/code';
import { complaintsOf, faultsOf, settled } from './page-checks.mjs';

export class Walk {
  constructor(page, base) {
    this.page = page;
    this.base = base;
    this.complaints = complaintsOf(page);
  }

  /** Opens an address of the server; answers are 200 unless told. */
  async open(path, status = 200) {
    const answer = await settled(this.page, () => this.page.goto(this.base + path));
    expect(answer.status(), path).to.equal(status);
    await this.look();
  }

  /** Clicks what leads to another page, and waits for that page. */
  async follow(selector) {
    await Promise.all([
      this.page.waitForNavigation({ waitUntil: 'load' }),
      this.page.locator(selector).first().click(),
    ]);
    await this.look();
  }

  /** Fills the fields by name, within `form`, and sends it with its button. */
  async send(form, fields, button = 'button[type=submit]') {
    for (const [name, value] of Object.entries(fields)) {
      const field = this.page.locator(`${form} [name="${name}"]`).first();
      const kind = await field.evaluate((element) => element.type ?? element.tagName);
      if (kind === 'checkbox') await field.setChecked(value);
      else if (kind === 'radio') await this.page.locator(`${form} [name="${name}"][value="${value}"]`).check();
      else if (kind === 'file') await field.setInputFiles(value);
      else if (kind.startsWith('select')) await field.selectOption(value);
      else await field.fill(value);
    }
    await this.follow(`${form} ${button}`);
  }

  /** Opens a menu or another thing that unfolds. */
  unfold(selector) {
    return this.page.locator(selector).first().click();
  }

  /** Presses what asks before, and then the button that does it. */
  async confirm(button) {
    await this.unfold(`details.confirm:has(${button}) > summary`);
    await this.follow(`details.confirm ${button}`);
  }

  async press(key) {
    await Promise.all([this.page.waitForNavigation({ waitUntil: 'load' }), this.page.keyboard.press(key)]);
    await this.look();
  }

  /** Waits until the address, without the server's part, fits. */
  reaches(pattern) {
    return this.page.waitForURL((url) => pattern.test(url.href.slice(this.base.length)));
  }

  async look() {
    for (const fault of await faultsOf(this.page)) this.complaints.push(`${this.path}: ${fault}`);
  }

  get path() {
    return this.page.url().slice(this.base.length);
  }

  text(selector = 'main') {
    return this.page.locator(selector).first().innerText();
  }

  async shows(words, selector = 'main') {
    expect(await this.text(selector), this.path).to.contain(words);
  }

  /** The same for what is worked out beside the page, or left out when it takes long: it is opened again until it is there. */
  async waits(words) {
    await this.#reloadsUntil(async () => (await this.text()).includes(words));
    await this.shows(words);
  }

  /** Follows a link that is left out of the page while what it tells takes long. */
  async waitsAndFollows(selector) {
    await this.#reloadsUntil(async () => (await this.count(selector)) > 0);
    await this.follow(selector);
  }

  async #reloadsUntil(isThere) {
    for (let tries = 0; tries < 400 && !(await isThere()); tries++) {
      await this.page.waitForTimeout(250);
      await settled(this.page, () => this.page.reload());
    }
  }

  async hides(words, selector = 'main') {
    expect(await this.text(selector), this.path).not.to.contain(words);
  }

  count(selector) {
    return this.page.locator(selector).count();
  }

  /** Throws with everything that was wrong since the last time. */
  settle() {
    expect([...new Set(this.complaints.splice(0))]).to.equal([]);
  }
}
