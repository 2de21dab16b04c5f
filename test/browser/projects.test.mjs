// A sprint on a project board: made from a template, cards found by a search and moved by mouse, by keys and by a rule, seen
// live by a second person, looked at as a table with a field of its own and as a roadmap, closed.
// Time: about 20 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';
import { axe, violationsOf } from './axe.mjs';
import { launchChromium, signIn } from './chromium.mjs';
import { complaintsOf, faultsOf } from './page-checks.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const skip = !process.env.MORTISE_TEST_CHROMIUM || process.env.MORTISE_TEST_ENGINE === 'mysql';

const password = 'Tr1cky-passw0rd!';
const home = '/repos/ada/desk';

describe('a sprint on a project board', { timeout: 600_000, skip }, () => {
  let server;
  let browser;
  let page;
  let other;
  let board;
  let complaints;
  const call = async (method, path, body, as = `ada:${password}`) => {
    const answer = await server.api(method, path, { body, as });
    expect(answer.status, answer.text).to.be.below(300);
    return answer.json;
  };
  before(async () => {
    server = await startServer();
    for (const username of ['ada', 'ben'])
      await call(
        'POST',
        '/admin/users',
        { username, email: `${username}@example.com`, password, must_change_password: false },
        'root:password',
      );
    await call('POST', '/user/repos', { name: 'desk', auto_init: true });
    await call('PUT', `${home}/collaborators/ben`, { permission: 'write' });
    for (const title of ['Sand the top', 'Glue the legs', 'Oil the drawer', 'Buy nails'])
      await call('POST', `${home}/issues`, { title, due_date: '2027-01-31T00:00:00Z' });
    browser = await launchChromium();
    const open = async (name) => {
      const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } });
      const made = await context.newPage();
      await signIn(made, server.base, `${name}:${password}`);
      return made;
    };
    page = await open('ada');
    other = await open('ben');
    complaints = complaintsOf(page);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const goTo = (path, by = page) => by.goto(`${server.base}${path}`);
  /** Until the page has said that it is open, and hears of what others do. */
  const openBoard = (by) => Promise.all([by.waitForResponse(/\/watch$/), goTo(board, by)]);
  /** Titles in the columns of a page, by the title of the column. */
  const columnsOf = (by) =>
    by.evaluate(() =>
      Object.fromEntries(
        [...document.querySelectorAll('.project-column')].map((column) => [
          column.querySelector('[data-column-title]').textContent.trim(),
          [...column.querySelectorAll('.project-card .Link--primary')].map((link) => link.textContent),
        ]),
      ),
    );
  const shows = (by, title, column) =>
    by.waitForFunction(
      ([card, name]) =>
        [...document.querySelectorAll('.project-column')].some(
          (one) =>
            one.querySelector('[data-column-title]').textContent.trim() === name && one.textContent.includes(card),
        ),
      [title, column],
    );
  const cardOf = (title, by = page) => by.locator(`.project-card:has-text("${title}")`);
  const looksGood = async () => {
    expect(await faultsOf(page)).to.equal([]);
    await page.evaluate(axe);
    expect(await violationsOf(page)).to.equal([]);
  };

  it('is made from a template, and gets cards by a search', async () => {
    await goTo('/ada/desk/projects');
    await page.click('main a.btn-primary');
    await page.fill('input[name=title]', 'Sprint 1');
    await page.check('input[value=basic_kanban]');
    await Promise.all([page.waitForURL(/\/projects\/\d+$/), page.click('main form button.btn-primary')]);
    board = new URL(page.url()).pathname;
    expect(Object.keys(await columnsOf(page))).to.equal(['Backlog', 'To Do', 'In Progress', 'Done']);
    await page.click('a:text("Search issues")');
    await page.fill('main input[type=search]', 'the');
    await Promise.all([page.waitForURL(/q=the/), page.click('main form[role=search] button')]);
    for (const box of await page.locator('main input[name=ids]').all()) await box.check();
    await looksGood();
    await Promise.all([page.waitForURL(`**${board}`), page.click('main form[method=post] button.btn-primary')]);
    expect((await columnsOf(page)).Backlog).to.have.length(3);
    await page.fill('input[name=address]', '#4');
    await page.press('input[name=address]', 'Enter');
    await shows(page, 'Buy nails', 'Backlog');
    await looksGood();
  });

  it('cards are moved by mouse and by keys, and a second person sees it at once', async () => {
    for (const one of [page, other]) await openBoard(one);
    await cardOf('Sand the top').dragTo(page.locator('.project-column:has-text("To Do") .project-cards'));
    await shows(page, 'Sand the top', 'To Do');
    await shows(other, 'Sand the top', 'To Do');
    await cardOf('Sand the top').locator('[data-card-menu]').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForSelector('[data-moved]:text("Moved to position 1 in In Progress")', { state: 'attached' });
    await shows(other, 'Sand the top', 'In Progress');
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    expect(focused).to.equal('Move or archive Sand the top');
    await cardOf('Glue the legs').locator('[data-card-menu]').click();
    await page.waitForSelector('dialog[open]');
    await page.selectOption('dialog select[name=column]', { label: 'In Progress' });
    await Promise.all([page.waitForNavigation(), page.click('dialog button.btn-primary')]);
    await shows(page, 'Glue the legs', 'In Progress');
    await shows(other, 'Glue the legs', 'In Progress');
  });

  it('moves at the same moment give one order, which both see', async () => {
    for (const one of [page, other]) await openBoard(one);
    await Promise.all(
      [
        [page, 'Sand the top'],
        [other, 'Oil the drawer'],
      ].map(async ([by, title]) => {
        await cardOf(title, by).locator('[data-card-menu]').focus();
        await by.keyboard.press('Shift+ArrowRight');
      }),
    );
    await shows(page, 'Oil the drawer', 'To Do');
    await shows(other, 'Sand the top', 'Done');
    await shows(page, 'Sand the top', 'Done');
    await shows(other, 'Oil the drawer', 'To Do');
    await other.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('.project-card .Link--primary')].map((link) => link.textContent).join() ===
        wanted,
      Object.values(await columnsOf(page))
        .flat()
        .join(),
    );
    expect(await columnsOf(page)).to.equal(await columnsOf(other));
  });

  it('a rule moves what is closed, in the sight of both', async () => {
    await page.click('a:text-is("Rules")');
    await page.selectOption('select[name=closed]', { label: 'Move to Done' });
    await looksGood();
    await Promise.all([page.waitForNavigation(), page.click('main form button.btn-primary')]);
    await openBoard(page);
    await call('PATCH', `${home}/issues/2`, { state: 'closed' });
    await shows(other, 'Glue the legs', 'Done');
    await shows(page, 'Glue the legs', 'Done');
  });

  it('a table shows a field of its own, and a roadmap the days', async () => {
    await goTo(`${board}/fields`);
    await page.fill('#field-name', 'Size');
    await page.selectOption('select[name=kind]', 'single_select');
    await page.fill('#field-options', 'Small\nLarge');
    await Promise.all([page.waitForNavigation(), page.click('button:text("Create field")')]);
    await looksGood();
    await goTo(board);
    await cardOf('Buy nails').locator('[data-card-menu]').click();
    await page.selectOption('dialog select:below(:text("Size"))', { label: 'Large' });
    await Promise.all([page.waitForNavigation(), page.locator('dialog button:text("Save")').click()]);
    await page.click('nav a:text("Table")');
    await page.waitForSelector('td:text("Large")');
    await looksGood();
    await page.selectOption('select[name=group]', { label: 'Size' });
    await Promise.all([page.waitForNavigation(), page.click('button:text-is("Group")')]);
    expect(await page.locator('.project-group').allTextContents()).to.equal(['Large', 'None']);
    await page.click('nav a:text("Roadmap")');
    expect(await page.locator('.project-plan').count()).to.equal(4);
    await looksGood();
  });

  it('is closed, and keeps its cards as they are', async () => {
    await goTo(board);
    await Promise.all([page.waitForNavigation(), page.click('main button:text-is("Close")')]);
    expect(await page.locator('[data-card-menu]').count()).to.equal(0);
    expect(await page.locator('.project-card').count()).to.equal(4);
    await looksGood();
    await page.setViewportSize({ width: 390, height: 844 });
    await looksGood();
    expect(complaints).to.equal([]);
  });
});
